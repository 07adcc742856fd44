#pragma once
/// A table of comma-separated values with a heading (RFC 4180), or with semicolons or tabs where
/// the heading has them and no comma. Files are not trusted.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

/// Of a unit of time in capitals or not: "min", "Hours"; nothing for another word.
[[nodiscard]] std::optional<double> seconds_in(std::string_view unit);
inline constexpr std::string_view time_unit_names = "us, ms, s, min, h, days";

class CsvTable {
 public:
  /// Blanks around values are none of them; rows without a value are none, nor are lines with #,
  /// and Excel's "sep=;". Where numbers follow on lines with #, the last of them is the heading.
  /// Errors: BadInput with `origin` and line: no heading, a name twice, an open quote, NUL bytes, a
  /// row with more or fewer values than the heading.
  CsvTable(std::string_view text, std::string origin);

  /// The lines with #, and what else stands before the heading.
  [[nodiscard]] const std::string& comments() const { return comments_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// `column`: in small letters, as all names are found; columns() are as the heading has them.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view column) const;
  /// Errors: BadInput when there is none.
  [[nodiscard]] std::size_t require(std::string_view column) const;
  /// Calls a column `name` for find(), and multiplies its numbers by `factor`.
  void convert(std::size_t column, std::string name, double factor);
  /// Makes one row of neighbours that say the same in column `key`: of one that has column `once`,
  /// and of others that leave it empty. Of the columns `names` they must not say different things;
  /// of others the first value stays. Returns how many rows went into another.
  std::size_t merge_rows(std::size_t key,
                         std::size_t once,
                         std::span<const std::string_view> names);
  /// Columns that are none of `used`, up to ten; "" where there are none.
  [[nodiscard]] std::string unused(std::span<const std::string_view> used) const;
  /// Columns in which two rows differ.
  [[nodiscard]] std::vector<std::string> differing(std::size_t one, std::size_t other) const;
  /// As many as there are columns.
  [[nodiscard]] const std::vector<std::string>& values(std::size_t row) const;
  [[nodiscard]] const std::string& text(std::size_t row, std::size_t column) const;
  /// What may be wrong of what can be read: a last value that the end of the text may have cut, and
  /// points that may stand between thousands.
  [[nodiscard]] std::vector<std::string> doubts() const;
  /// The power of ten that all numbers are multiples of, as converted; 1 of "5" and "60", 0.1 of
  /// "5.0" and "6.2"; 0 where they have exponents; 60 of different whole multiples of it.
  [[nodiscard]] double step_of(std::span<const std::size_t> rows, std::size_t column) const;
  /// Finite or not: "nan" and "inf" are numbers. Errors: BadInput when it is none.
  [[nodiscard]] double number(std::size_t row, std::size_t column) const;
  /// Errors: BadInput when it is finite and not from 0 to 1, as percentages are, or no number.
  void require_share(std::size_t row, std::size_t column) const;
  /// "log.csv, line 7, column loss"
  [[nodiscard]] std::string place(std::size_t row, std::size_t column) const;

 private:
  struct Row {
    std::size_t line = 0;
    std::vector<std::string> values;
  };
  void add(Row row);
  [[nodiscard]] bool may_be_cut() const;
  [[nodiscard]] bool may_have_thousands() const;

  std::string origin_, comments_;
  std::size_t heading_line_ = 0;
  char separator_ = ',';
  bool has_open_end_ = false;  ///< of its last row
  std::vector<std::string> columns_, names_;
  std::vector<double> factors_;
  std::vector<Row> rows_;
};

}  // namespace scalestudy
