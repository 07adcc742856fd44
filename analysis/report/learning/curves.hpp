#pragma once
/// How models learned: one line per run, one colour per rank count.

#include <vector>

#include "analysis/report/plot/figure.hpp"

namespace scalestudy {

/// Training and validation loss by samples and by time (training: equal samples per point), and by
/// time the metrics that conclusions ask about, where they were measured while training.
[[nodiscard]] std::vector<Figure> learning_figures(const SeriesAnalysis& analysis);

}  // namespace scalestudy
