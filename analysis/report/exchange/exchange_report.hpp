#pragma once
/// How gradients got from rank to rank, as tables.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// A row for each number of ranks; none where nothing is all-reduced.
[[nodiscard]] ReportTable exchange_table(const SeriesAnalysis& analysis);
/// α + β · bytes of idle all-reduces, by the probe and by collectives runs; none where neither
/// holds three sizes.
[[nodiscard]] ReportTable exchange_fits_table(const SeriesAnalysis& analysis);
/// What that line of the probe goes through.
[[nodiscard]] ReportTable exchange_probe_table(const SeriesAnalysis& analysis);
[[nodiscard]] ReportTable all_buckets_table(const SeriesAnalysis& analysis);
/// The buckets at the most ranks; of many those that took longest, and the sum of the others.
[[nodiscard]] ReportTable buckets_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
