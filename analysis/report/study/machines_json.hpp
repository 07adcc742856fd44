#pragma once
/// What summary.json says of machines. Numbers stand with the series that are named.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/study/machines.hpp"

namespace scalestudy {

[[nodiscard]] nlohmann::json machines_json(const std::vector<Machine>& machines);

[[nodiscard]] nlohmann::json side_by_side_json(const std::vector<MachineComparison>& comparisons);

}  // namespace scalestudy
