#pragma once
/// The wall time of launches by part.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Parts in rows, numbers of ranks in columns; no rows where launches were recorded without parts.
[[nodiscard]] ReportTable launch_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
