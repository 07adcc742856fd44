#pragma once
/// Small tables in files only: on the page sentences and other tables say the same.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Which samples models were judged on.
[[nodiscard]] ReportTable evaluation_sets_table(const SeriesAnalysis& analysis);
/// Of the series and its control arms, as the next.
[[nodiscard]] ReportTable outliers_table(const SeriesAnalysis& analysis);
[[nodiscard]] ReportTable two_speeds_table(const SeriesAnalysis& analysis);
/// Which difference the series can tell.
[[nodiscard]] ReportTable resolution_table(const SeriesAnalysis& analysis);
[[nodiscard]] ReportTable machines_table(const StudyAnalysis& analysis);
/// Runs and plans without a result, and why.
[[nodiscard]] ReportTable absent_runs_table(const StudyAnalysis& analysis);

}  // namespace scalestudy
