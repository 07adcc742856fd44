#pragma once
/// What `scalestudy predict --json` says of more ranks.

#include <string>
#include <vector>

#include "analysis/speed/prediction.hpp"

namespace scalestudy {

[[nodiscard]] std::string predictions_json(const std::vector<SeriesPrediction>& predictions);

}  // namespace scalestudy
