#pragma once
/// Rows of a table as lines of text files.

#include <string>
#include <vector>

#include "analysis/export/run_rows.hpp"

namespace scalestudy {

/// Comma-separated as RFC 4180 has it, with its CR LF: quoted where it holds a comma, a quote or a
/// line end. Numbers in the fewest digits that give them back; "" is what was not recorded. What a
/// terminal would obey is written as the text \u001b.
[[nodiscard]] std::string csv_line(const std::vector<ExportCell>& cells);
[[nodiscard]] std::string csv_header(const ExportTable& table);

/// A line of JSON Lines: {"run_id": …, "rank": 0, …}; null is what was not recorded or is infinite.
[[nodiscard]] std::string json_line(const ExportTable& table, const std::vector<ExportCell>& cells);

}  // namespace scalestudy
