#pragma once
/// What figures against numbers of ranks share.

#include <cstdint>
#include <set>
#include <string>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Whether there is a speed-up to draw.
[[nodiscard]] bool has_speedup(const SeriesAnalysis& analysis);

[[nodiscard]] std::set<std::int64_t> ranks_of(const SeriesAnalysis& analysis);

/// Ticks at these ranks, and room beside them for markers that stand side by side, as shares of
/// the most ranks.
[[nodiscard]] std::string rank_axis(const std::set<std::int64_t>& ranks,
                                    double before = 0.12,
                                    double behind = 0.1);

/// "value<tab>low<tab>high" for a TSV.
[[nodiscard]] std::string limits(const Estimate& estimate);

/// One more block of a TSV: each run's own training speed-up against the mean of one rank.
[[nodiscard]] std::string run_speedups(const SeriesAnalysis& analysis);

/// "One rank: 26.1 samples/s, training 49 s, launch 52 s."
[[nodiscard]] std::string base_in_absolute_units(const SeriesAnalysis& analysis);

/// What the bars of training speed-ups are, and where there are none, why.
[[nodiscard]] std::string bars(const SeriesAnalysis& analysis);

}  // namespace scalestudy
