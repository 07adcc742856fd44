#pragma once
/// Runs of a study that are in no number: one that is left out may be the one that decides.

#include <ostream>
#include <string>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Errors: BadInput naming the first of them, where there are any. `why`: what goes without them;
/// `rest`: where the others are named.
void refuse_unreadable(const std::vector<std::string>& reasons,
                       const std::string& why,
                       const char* rest);
/// The same of runs, whose rest stands in the table of a report.
void refuse_unreadable_runs(const RunSet& set, const std::string& why);

/// Writes a line on runs that failed, are invalid or have no result file, where there are any.
void warn_of_runs_left_out(const StudyAnalysis& analysis, std::ostream& err);

}  // namespace scalestudy
