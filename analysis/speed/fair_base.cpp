#include "analysis/speed/fair_base.hpp"

#include <algorithm>

namespace scalestudy {
namespace {

/// That the ranks of a run may use together; 0 where it was not recorded.
std::int64_t core_count(const Run& run) {
  std::int64_t cores = 0;
  for (const RankRow& rank : run.record.ranks) cores = std::max(cores, rank.core_count);
  return cores;
}

std::int64_t usable(std::int64_t threads, std::int64_t cores) {
  return cores > 0 ? std::min(threads, cores) : threads;
}

BaseCandidate candidate_of(const Series& series, std::int64_t cores, const RunGroup& compared) {
  const auto base = series.group(1);
  BaseCandidate one;
  one.threads = series.spec.settings.threads_per_rank;
  one.cores = usable(one.threads, cores);
  const auto launches = base.timed();
  one.launches = launches.size();
  one.busy_launches = static_cast<std::size_t>(std::ranges::count_if(
      launches, [](const Run* run) { return run->has_label(RunLabel::busy_machine); }));
  one.absolute = absolute_times(base);
  one.speedup = inverse(compare(compared, base, &SummaryRow::training_time_s));
  return one;
}

/// core_count is of one process: what several hosts or bindings have together it does not tell.
bool share_their_cores(const Run& run) {
  const auto& ranks = run.record.ranks;
  return std::ranges::all_of(ranks, [&](const RankRow& rank) {
    return rank.host == ranks.front().host && rank.binding == ranks.front().binding;
  });
}

}  // namespace

const BaseCandidate* FairBase::best() const {
  const auto found = std::ranges::min_element(
      candidates, {}, [](const BaseCandidate& one) { return one.absolute.training_time_s; });
  return found == candidates.end() ? nullptr : &*found;
}

bool FairBase::has_equal_cores() const {
  return std::ranges::any_of(candidates,
                             [&](const BaseCandidate& one) { return one.cores == cores; });
}

const BaseCandidate* FairBase::disturbed() const {
  const auto found = std::ranges::find_if(candidates, [&](const BaseCandidate& one) {
    return one.cores == cores && one.threads > threads_per_rank && one.busy_launches > 0;
  });
  return found == candidates.end() ? nullptr : &*found;
}

std::int64_t FairBase::idle_cores() const {
  for (const BaseCandidate& one : candidates)
    if (one.threads == threads_per_rank) return cores - one.cores;
  return 0;
}

FairBase fair_base_of(const Series& series, std::span<const Series* const> all) {
  FairBase fair;
  const auto ranks = most_timed_ranks(series);
  if (ranks == 1 || !computes_on_cores(series)) return fair;
  const Run& run = *series.by_ranks.at(ranks).front();
  if (!share_their_cores(run)) return fair;
  const auto compared = series.group(ranks);
  const auto cores = core_count(run);
  fair.ranks = ranks;
  fair.threads_per_rank = series.spec.settings.threads_per_rank;
  fair.cores = usable(ranks * fair.threads_per_rank, cores);
  fair.absolute = absolute_times(compared);
  for (const Series* other : all) {
    const auto threads = other->spec.settings.threads_per_rank;
    if (!differs_in_threads_only(series, *other)) continue;
    if (threads > ranks * fair.threads_per_rank) {
      fair.has_larger_base |= other->is_fair_base;
      continue;
    }
    if (other->group(1).timed().empty()) continue;
    fair.candidates.push_back(candidate_of(*other, cores, compared));
  }
  std::ranges::sort(fair.candidates, {}, &BaseCandidate::threads);
  std::vector<Estimate*> family;
  for (BaseCandidate& one : fair.candidates) family.push_back(&one.speedup);
  adjust_for_several(family);
  return fair;
}

}  // namespace scalestudy
