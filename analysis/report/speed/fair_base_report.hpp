#pragma once
/// What the report says of N ranks against one rank on the same cores.

#include <string>

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Begins with a space; "" where nothing is to be said: the base above has the cores that the ranks
/// have, or what was run computes on none. `busy`: without a verdict.
[[nodiscard]] std::string fair_base_sentence(const FairBase& fair, bool busy);

/// No rows where one rank was run with one number of threads only.
[[nodiscard]] ReportTable fair_base_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
