#pragma once
/// A step by phase.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

[[nodiscard]] ReportTable step_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
