#pragma once
/// What `scalestudy predict --json` and summary.json say of more ranks, of the critical batch and
/// of efficiency.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/learning/noise_scale.hpp"
#include "analysis/speed/prediction.hpp"
#include "analysis/step/pop_factors.hpp"

namespace scalestudy {

[[nodiscard]] nlohmann::json prediction_json(const SeriesPrediction& prediction);
[[nodiscard]] nlohmann::json noise_scale_json(const NoiseScale& noise);
[[nodiscard]] nlohmann::json pop_json(const std::vector<PopPoint>& points);

/// The whole document of the command.
[[nodiscard]] std::string predictions_json(const std::vector<SeriesPrediction>& predictions);

}  // namespace scalestudy
