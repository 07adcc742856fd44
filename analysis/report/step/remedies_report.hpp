#pragma once
/// What changing a setting gained, of which the study ran both values, for people.

#include <string>

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Of a cause at a number of ranks: "; measured in this study: input sharded instead of serial made
/// steps 1.31 (1.28–1.34) times as fast, where 1.30 (1.27–1.33) times was promised". "" where
/// nothing was measured.
[[nodiscard]] std::string remedies_clause(const SeriesAnalysis& analysis,
                                          StepCause cause,
                                          std::int64_t ranks);
[[nodiscard]] ReportTable remedies_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
