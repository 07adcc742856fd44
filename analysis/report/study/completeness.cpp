#include "analysis/report/study/completeness.hpp"

#include "core/text.hpp"

namespace scalestudy {
namespace {

std::string copies_remark(const RunSet& set) {
  if (set.copies.empty()) return "";
  return cat(" ", counted(set.copies.size(), "run file"),
             set.copies.size() == 1 ? " is a copy of another and counts once."
                                    : " are copies of others and count once.");
}

std::string plan_remark(const RunSet& set) {
  const auto count = set.damaged_plans.size() + set.without_plan.size();
  if (count == 0) return "";
  return cat(" Which runs are missing is not known: ", count == 1 ? "a folder has" : "folders have",
             " no readable plan.json.");
}

}  // namespace

std::string completeness_sentence(const StudyAnalysis& analysis) {
  const RunSet& set = analysis.runs();
  const std::size_t data = analysis.data_runs();
  const std::size_t all = set.runs.size() + set.unreadable.size() + set.without_file.size();
  if (all == 0) return "These folders hold no run yet.";
  const auto remarks = copies_remark(set) + plan_remark(set);
  if (data == all) return remarks.empty() ? "" : remarks.substr(1);
  std::vector<std::string> parts;
  const auto add_part = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(cat(count, ' ', what));
  };
  add_part(set.runs.size() - data, "unfinished, failed or invalid");
  add_part(set.unreadable.size(), "unreadable");
  add_part(set.without_file.size(), "without a result file");
  return cat(data, " of ", counted(all, "run"), " count as data; ", join(parts, ", "),
             ". The run table gives each one's reason.", remarks);
}

}  // namespace scalestudy
