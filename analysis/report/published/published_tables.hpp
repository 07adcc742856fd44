#pragma once
/// Published studies, as tables.

#include "analysis/published/published_analysis.hpp"
#include "analysis/report/text/report_table.hpp"

namespace scalestudy {

/// One row per arm and number of ranks.
[[nodiscard]] ReportTable published_table(const PublishedAnalysis& analysis);

/// What each speed-up is the product of, as far as the published numbers tell it apart.
[[nodiscard]] ReportTable published_factors_table(const PublishedAnalysis& analysis);

}  // namespace scalestudy
