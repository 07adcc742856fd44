#pragma once
/// Numbers and estimates in what commands print as JSON.

#include <nlohmann/json.hpp>

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// null for NaN and infinity, which JSON has no word for.
[[nodiscard]] nlohmann::json json_number(double value);
[[nodiscard]] nlohmann::json json_estimate(const Estimate& estimate);

}  // namespace scalestudy
