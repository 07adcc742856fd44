#pragma once
/// Where the time of a step goes at the most ranks, as a figure.

#include <optional>

#include "analysis/report/plot/figure.hpp"

namespace scalestudy {

/// From the ideal step over each cause to the measured one, of the most ranks.
[[nodiscard]] std::optional<Figure> causes_figure(const SeriesAnalysis& analysis);

}  // namespace scalestudy
