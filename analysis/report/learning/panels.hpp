#pragma once
/// What the models see and say: input | 1 rank | N ranks, side by side, equally stretched; for
/// segmentation (panels "input-1", "mask-1", "prediction-1", …) picture | mask | outlines at 1 rank
/// | … at N ranks, one row per sample.

#include <string>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// HTML, or "" when no run of the series recorded panels.
[[nodiscard]] std::string panels_html(const SeriesAnalysis& analysis);

}  // namespace scalestudy
