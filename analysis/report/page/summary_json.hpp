#pragma once
/// summary.json: the report for programs, with the tables as their files have them.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/report/page/document.hpp"

namespace scalestudy {

/// Numbers that are not known are null; names of columns are those of the CSV files.
[[nodiscard]] std::string summary_json(const Document& document);

/// JSON Schema of it.
[[nodiscard]] nlohmann::json summary_schema();

}  // namespace scalestudy
