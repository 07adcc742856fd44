#pragma once
/// What the models are worth, by ranks.

#include <string>
#include <vector>

#include "analysis/report/plot/figure.hpp"

namespace scalestudy {

/// The metrics that conclusions ask about: a dot per run, means, and the intervals of the
/// differences to one rank. None where runs were evaluated on different samples, or of one number
/// of ranks.
[[nodiscard]] std::vector<Figure> quality_figures(const SeriesAnalysis& analysis);

/// "top1-frac": for names of files.
[[nodiscard]] std::string file_name_of(const Measure& metric);

}  // namespace scalestudy
