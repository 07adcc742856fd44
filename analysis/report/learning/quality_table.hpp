#pragma once
/// Quality and smoothness by rank count.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

[[nodiscard]] ReportTable quality_table(const SeriesAnalysis& analysis);
[[nodiscard]] ReportTable smoothness_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
