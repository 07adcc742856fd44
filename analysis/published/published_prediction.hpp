#pragma once
/// What published rates say of other numbers of ranks, by the models that runs of ours are fitted
/// by (METRICS.md#predict).

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/published/published_analysis.hpp"
#include "analysis/speed/prediction.hpp"

namespace scalestudy {

/// One for each arm. Contract: all `ranks` are at least 1.
[[nodiscard]] std::vector<SeriesPrediction> predict(const PublishedAnalysis& analysis,
                                                    std::span<const std::int64_t> ranks);

}  // namespace scalestudy
