#pragma once
/// Times and speed-ups by rank count.

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

[[nodiscard]] ReportTable speedup_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
