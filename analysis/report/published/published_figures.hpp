#pragma once
/// Published speed-ups and efficiencies, as figures.

#include <vector>

#include "analysis/published/published_analysis.hpp"
#include "analysis/report/plot/figure.hpp"

namespace scalestudy {

/// Speed-up and efficiency of all arms; none where no arm has two numbers of ranks.
[[nodiscard]] std::vector<Figure> published_figures(const PublishedAnalysis& analysis);

}  // namespace scalestudy
