#pragma once
/// A table of the report: once as HTML with sensible digits, once for files with all of them.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

struct TableCell {
  std::string shown;                                ///< UTF-8 text, not escaped
  std::string raw;                                  ///< for files
  std::optional<Interval> interval = std::nullopt;  ///< files: two more columns, _low and _high
  std::string detail = {};                          ///< shown small below, not in files
};

[[nodiscard]] TableCell text_cell(std::string_view text);
[[nodiscard]] TableCell yes_no_cell(bool value);
template <std::integral Integer>
[[nodiscard]] TableCell integer_cell(Integer value) {
  return text_cell(std::to_string(value));
}
[[nodiscard]] TableCell integer_cell(const std::optional<std::int64_t>& value);
[[nodiscard]] TableCell number_cell(double value, int digits = 3);
[[nodiscard]] TableCell shown_cell(const std::string& shown, double raw);
[[nodiscard]] TableCell shown_cell(const std::string& shown, const Estimate& raw);
/// Shown in ms, in s in files as all times.
[[nodiscard]] TableCell milliseconds_cell(double time_s);
/// A difference, likewise: "35.3 (33.1 to 37.5)".
[[nodiscard]] TableCell difference_ms_cell(const Estimate& time_s);
/// "42 min 31 s", in s in files.
[[nodiscard]] TableCell duration_cell(double time_s);
/// "2.08 (2.02–2.14)".
[[nodiscard]] TableCell estimate_cell(const Estimate& estimate, int digits = 3);
/// Of so many ranks against one; one rank against itself is 1, without digits that say nothing.
[[nodiscard]] TableCell ratio_cell(std::int64_t ranks, const Estimate& ratio);

struct TableColumn {
  std::string name;     ///< in files: snake case with unit
  std::string heading;  ///< for people
  bool is_number = true;
  bool is_shown = true;  ///< false: in files only
};

[[nodiscard]] inline TableColumn file_number(const std::string& name) {
  return {name, "", true, false};
}
[[nodiscard]] inline TableColumn file_text(const std::string& name) {
  return {name, "", false, false};
}

/// The column that says the labels of a row's runs to readers of files.
inline const TableColumn label_column{"labels", "labels", false, false};

struct ReportTable {
  std::string slug;  ///< file name without .csv
  std::string caption;
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;
  bool is_on_page = true;  ///< false: in files only
};

/// A cell that the page does not show.
struct FileCell {
  const char* name;  ///< of its column
  TableCell cell;
  bool is_number = true;
};
/// At the end of the last row; the first row makes the columns.
void add_file_cells(ReportTable& table, const std::vector<FileCell>& cells);

/// As files have it: limits of intervals are columns of their own.
struct FileTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;
};
[[nodiscard]] FileTable file_table(const ReportTable& table);

/// &, <, >, " and ' escaped; bytes that XML forbids are dropped.
[[nodiscard]] std::string escape_html(std::string_view text);
/// In a scrolling frame: wide tables must not widen a phone's page. Those of many columns are of
/// class "wide", for paper.
[[nodiscard]] std::string to_html(const ReportTable& table);
/// A last column of files, the same in every row: a file is read without the page around it.
void add_labels(ReportTable& table, const std::string& labels);
/// RFC 4180.
[[nodiscard]] std::string to_csv(const ReportTable& table);

}  // namespace scalestudy
