#pragma once
/// Collective operations by message size, as figures.

#include <vector>

#include "analysis/report/plot/figure.hpp"

namespace scalestudy {

/// Of each operation time and bus bandwidth against size; none without sizes.
[[nodiscard]] std::vector<Figure> collective_figures(const StudyAnalysis& analysis);

}  // namespace scalestudy
