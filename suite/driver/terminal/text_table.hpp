#pragma once
/// Aligned tables and lines for a terminal.

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace scalestudy {

enum class Align { left, right };

class TextTable {
 public:
  void add_column(std::string title, Align align);
  void add_columns(const std::vector<std::string>& titles, Align align);

  /// As many cells as columns, in their order.
  void add_row(const std::vector<std::string>& cells);

  /// Two blanks between columns, none at the end of a line.
  void print(std::ostream& out, const std::string& indent = "") const;

  /// Removes the columns whose cells are all the same, but for those titled as in `kept`, and
  /// returns them as "title cell", without those that are all "-".
  [[nodiscard]] std::vector<std::string> take_constants(const std::vector<std::string>& kept);

 private:
  struct Column {
    std::string title;
    Align align;
    std::vector<std::string> cells;
  };
  std::vector<Column> columns_;
};

/// Characters as a terminal shows them: UTF-8 continuation bytes take no place.
[[nodiscard]] std::size_t display_width(const std::string& text);

/// As many characters of the front as take `columns` places.
[[nodiscard]] std::string first_columns(const std::string& text, std::size_t columns);

/// Breaks a line at blanks, so that none has over `width` characters where its words allow it; all
/// but the first begin with `indent` blanks.
[[nodiscard]] std::string wrapped(const std::string& line,
                                  std::size_t indent,
                                  std::size_t width = 100);

/// 1234567 -> "1 234 567".
[[nodiscard]] std::string grouped_digits(std::int64_t value);

}  // namespace scalestudy
