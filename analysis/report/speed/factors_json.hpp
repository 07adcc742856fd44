#pragma once
/// Of what speed-ups are the product, for summary.json.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/speed/factor_bases.hpp"
#include "analysis/speed/quality_target.hpp"

namespace scalestudy {

[[nodiscard]] nlohmann::json factors_json(const Factorisation& factors);
[[nodiscard]] nlohmann::json factor_bases_json(const std::vector<FactorsAgainst>& bases);
[[nodiscard]] nlohmann::json targets_json(const std::vector<TargetPoint>& targets);

}  // namespace scalestudy
