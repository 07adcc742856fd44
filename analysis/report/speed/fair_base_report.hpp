#pragma once
/// What the report says of N ranks against one rank on the same cores.

#include <string>

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Begins with a space; "" where nothing is to be said: the base above has the cores that the ranks
/// have, or what was run computes on none. `busy`: without a verdict.
[[nodiscard]] std::string fair_base_sentence(const FairBase& fair, bool busy);

/// One rank that made the most of the cores that the ranks have, with other threads than each of
/// them; null where none did or was run.
[[nodiscard]] const BaseCandidate* better_base(const FairBase& fair);

/// "1.11 times as fast as one process on the same 2 cores, 1.67 times as fast as one rank on 1
/// core"; `factor` is that against one rank.
[[nodiscard]] std::string factors_in_brief(const FairBase& fair, const std::string& factor);

/// No rows where one rank was run with one number of threads only.
[[nodiscard]] ReportTable fair_base_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
