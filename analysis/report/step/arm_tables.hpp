#pragma once
/// Control arms of the study, and what leaving something out saves.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

[[nodiscard]] ReportTable control_arm_table(const StudyAnalysis& analysis);
[[nodiscard]] ReportTable arm_contrast_table(const StudyAnalysis& analysis);

}  // namespace scalestudy
