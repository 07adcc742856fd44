#pragma once
/// Of which factors speed-ups are the product, as tables.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Of the training speed-up against one rank.
[[nodiscard]] ReportTable factorisation_table(const SeriesAnalysis& analysis);
/// The same against other bases; no rows where there is none.
[[nodiscard]] ReportTable factor_bases_table(const SeriesAnalysis& analysis);
/// Of the time to the declared quality; no rows without such.
[[nodiscard]] ReportTable target_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
