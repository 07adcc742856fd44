#pragma once
/// What stands in a table of the report, by the name of its column.

#include <stdexcept>
#include <string>
#include <string_view>

#include "core/text.hpp"

#include "analysis/report/text/report_table.hpp"

namespace scalestudy {

inline const TableCell& cell_in(const ReportTable& table,
                                std::size_t row,
                                std::string_view column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == column) return table.rows.at(row).at(i);
  throw std::logic_error(cat("no column ", column));
}

/// Of the page.
inline std::string shown_in(const ReportTable& table, std::size_t row, std::string_view column) {
  return cell_in(table, row, column).shown;
}

/// Of the CSV.
inline std::string raw_in(const ReportTable& table, std::size_t row, std::string_view column) {
  return cell_in(table, row, column).raw;
}

}  // namespace scalestudy
