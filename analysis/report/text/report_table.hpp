#pragma once
/// A table of the report: once as HTML with sensible digits, once as CSV with all of them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

struct TableCell {
  std::string shown;                                ///< UTF-8 text, not escaped
  std::string raw;                                  ///< for CSV
  std::optional<Interval> interval = std::nullopt;  ///< CSV: two more columns, _low and _high
  std::string detail = {};                          ///< shown small below, not in the CSV
};

[[nodiscard]] TableCell text_cell(const std::string& text);
[[nodiscard]] TableCell integer_cell(std::int64_t value);
[[nodiscard]] TableCell number_cell(double value, int digits = 3);
[[nodiscard]] TableCell shown_cell(const std::string& shown, double raw);
/// Shown in ms, in s in the CSV as all times.
[[nodiscard]] TableCell milliseconds_cell(double time_s);
/// "42 min 31 s", in s in the CSV.
[[nodiscard]] TableCell duration_cell(double time_s);
/// "2.08 (2.02–2.14)".
[[nodiscard]] TableCell estimate_cell(const Estimate& estimate, int digits = 3);
/// Of so many ranks against one; one rank against itself is 1, without digits that say nothing.
[[nodiscard]] TableCell ratio_cell(std::int64_t ranks, const Estimate& ratio);

struct TableColumn {
  std::string name;     ///< CSV heading: snake case with unit
  std::string heading;  ///< for people
  bool is_number = true;
  bool is_shown = true;  ///< false: in the CSV only
};

/// The column that says the labels of a row's runs to readers of the CSV.
inline const TableColumn label_column{"labels", "labels", false, false};

struct ReportTable {
  std::string slug;  ///< file name without .csv
  std::string caption;
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;
};

/// &, <, >, " and ' escaped; bytes that XML forbids are dropped.
[[nodiscard]] std::string escape_html(std::string_view text);
/// In a scrolling frame: wide tables must not widen a phone's page. Those of many columns are of
/// class "wide", for paper.
[[nodiscard]] std::string to_html(const ReportTable& table);
/// A last column of the CSV, the same in every row: a file is read without the page around it.
void add_labels(ReportTable& table, const std::string& labels);
/// RFC 4180.
[[nodiscard]] std::string to_csv(const ReportTable& table);

}  // namespace scalestudy
