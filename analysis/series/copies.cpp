#include "analysis/series/copies.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "record/run_file/run_file.hpp"

namespace scalestudy {
namespace {

using Indexes = std::vector<std::size_t>;

/// No two executions have equal step times; those without a step are told apart by all they hold.
std::string execution_of(const Run& run) {
  const auto& [header, digest] = std::tie(run.record.header, run.digest);
  if (digest.step_count == 0) return header.run_id + run.record.content_sha256;
  return cat(header.run_id, ' ', digest.step_count, ' ', run.spec.ranks, ' ',
             hex64(digest.step_times_hash));
}

bool is_complete(const Run& run) {
  return run.record.header.status == RunStatus::complete;
}

/// Which of the files of one execution counts.
std::size_t best_of(const Indexes& same, const std::vector<Run>& runs) {
  return *std::ranges::min_element(same, {}, [&](std::size_t i) {
    return std::pair(!is_complete(runs[i]), !is_in_own_folder(runs[i].record));
  });
}

bool contradict(const Run& one, const Run& other) {
  return is_complete(one) && is_complete(other) &&
         one.record.content_sha256 != other.record.content_sha256;
}

void refuse_all(const Indexes& same, RunSet& set) {
  std::vector<std::string> files;
  for (const auto i : same) files.push_back(set.runs[i].record.file.string());
  const BadInput error(
      {cat("These files are of one execution of one run, but differ: ", join(files, ", ")),
       "nobody can tell which of them was changed", "Keep the one that is as it was recorded"});
  for (const auto& file : files) set.unreadable.push_back({file, error.what()});
}

void list_copies(const Indexes& same, std::size_t best, RunSet& set) {
  const auto& original = set.runs[best].record;
  for (const auto i : same) {
    if (i == best) continue;
    const auto& record = set.runs[i].record;
    const char* what =
        record.content_sha256 == original.content_sha256 ? "a copy of " : "an earlier state of ";
    set.copies.push_back({record.file.string(), what + original.file.string()});
  }
}

}  // namespace

void set_copies_aside(RunSet& set) {
  std::map<std::string, Indexes> executions;
  for (std::size_t i = 0; i < set.runs.size(); ++i)
    executions[execution_of(set.runs[i])].push_back(i);
  std::vector<bool> counts(set.runs.size(), true);
  for (const auto& [execution, same] : executions) {
    if (same.size() == 1) continue;
    const auto best = best_of(same, set.runs);
    const bool differ = std::ranges::any_of(
        same, [&](std::size_t i) { return contradict(set.runs[i], set.runs[best]); });
    for (const auto i : same) counts[i] = i == best && !differ;
    differ ? refuse_all(same, set) : list_copies(same, best, set);
  }
  std::vector<Run> kept;
  for (std::size_t i = 0; i < set.runs.size(); ++i)
    if (counts[i]) kept.push_back(std::move(set.runs[i]));
  set.runs = std::move(kept);
}

}  // namespace scalestudy
