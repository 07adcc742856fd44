#pragma once
/// Published points in the speed-up figure of a measured study: hollow, labelled, and in no ratio
/// with what was measured.

#include <string>
#include <vector>

#include "analysis/published/published_analysis.hpp"
#include "analysis/report/plot/figure.hpp"

namespace scalestudy {

/// Adds the arms that have a point with one rank; of rates where no total time is published. The
/// caption says what differs.
void add_overlays(Figure& speedup,
                  const SeriesAnalysis& analysis,
                  const std::vector<PublishedAnalysis>& overlays);

/// What the points are, in what they differ from the study, and which arms cannot be drawn; ""
/// without any.
[[nodiscard]] std::string overlay_sentences(const SeriesAnalysis& analysis,
                                            const std::vector<PublishedAnalysis>& overlays);

}  // namespace scalestudy
