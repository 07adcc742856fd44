#pragma once
/// Loss curves: one line per run, one colour per rank count.

#include <vector>

#include "analysis/report/figures.hpp"

namespace scalestudy {

/// Training loss by samples and by time (equal samples per point), validation loss by samples.
[[nodiscard]] std::vector<Figure> loss_figures(const SeriesAnalysis& analysis);

}  // namespace scalestudy
