#pragma once
/// What was decided about causes, for programs.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/speed/run_causes.hpp"
#include "analysis/step/remedies.hpp"
#include "analysis/step/step_causes.hpp"

namespace scalestudy {

[[nodiscard]] nlohmann::json causes_json(const std::vector<StepDecision>& decisions);
[[nodiscard]] nlohmann::json remedies_json(const std::vector<MeasuredRemedy>& remedies);
[[nodiscard]] nlohmann::json run_causes_json(const std::vector<RunDecision>& decisions);

}  // namespace scalestudy
