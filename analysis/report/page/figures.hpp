#pragma once
/// All figures of a series.

#include <vector>

#include "analysis/report/plot/figure.hpp"

namespace scalestudy {

/// Figures that have data: speed-up, efficiency, step phases, causes, buckets of a step, quality by
/// ranks, losses and quality by samples and time. `overlays`: published points for the first.
[[nodiscard]] std::vector<Figure> figures_of(const SeriesAnalysis& analysis,
                                             const std::vector<PublishedAnalysis>& overlays = {});

}  // namespace scalestudy
