#include "driver/inspect/unreadable_runs.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "analysis/report/study/completeness.hpp"

namespace scalestudy {

void refuse_unreadable(const std::vector<std::string>& reasons,
                       const std::string& why,
                       const char* rest) {
  if (reasons.empty()) return;
  auto list = join(first_of(reasons, 20, rest), "\n  ");
  if (list.ends_with('.')) list.pop_back();
  throw BadInput({counted(reasons.size(), "file") + " could not be read", why,
                  "What to do about each:\n  " + list});
}

void refuse_unreadable_runs(const RunSet& set, const std::string& why) {
  std::vector<std::string> reasons;
  for (const auto& file : set.unreadable) reasons.push_back(file.reason);
  refuse_unreadable(reasons, why, "in the run table of scalestudy report");
}

void warn_of_runs_left_out(const StudyAnalysis& analysis, std::ostream& err) {
  const RunSet& set = analysis.runs();
  if (analysis.data_runs() < set.runs.size() + set.without_file.size())
    err << "warning: " << completeness_sentence(analysis) << std::endl;
}

}  // namespace scalestudy
