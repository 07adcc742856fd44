#pragma once
/// The runs of the folders, and what the plan left out.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Every run of the folders, also those that failed, are missing or unreadable.
[[nodiscard]] ReportTable run_table(const StudyAnalysis& analysis);
[[nodiscard]] ReportTable skipped_table(const StudyAnalysis& analysis);

}  // namespace scalestudy
