#pragma once
/// Files of a study that could not be read: one that is left out may be the one that decides.

#include <string>
#include <vector>

#include "analysis/series/run_set.hpp"

namespace scalestudy {

/// Errors: BadInput naming the first of them, where there are any. `why`: what goes without them;
/// `rest`: where the others are named.
void refuse_unreadable(const std::vector<std::string>& reasons,
                       const std::string& why,
                       const char* rest);
/// The same of runs, whose rest stands in the table of a report.
void refuse_unreadable_runs(const RunSet& set, const std::string& why);

}  // namespace scalestudy
