#pragma once
/// How far the records of steps can be believed.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// No rows where runs recorded no waiting apart from transfer.
[[nodiscard]] ReportTable step_checks_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
