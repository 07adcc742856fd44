#include "analysis/step/step_composition.hpp"

namespace scalestudy {
namespace {

void add(MeanStep& sum, const MeanStep& one) {
  sum.launches += one.launches;
  sum.local_samples += one.local_samples;
  sum.step_s += one.step_s;
  sum.communication_overhead_frac += one.communication_overhead_frac;
  sum.peer_wait_frac += one.peer_wait_frac;
  sum.exposed_transfer_frac += one.exposed_transfer_frac;
  for (std::size_t i = 0; i < step_phase_count; ++i) sum.phase_s[i] += one.phase_s[i];
}

void divide_by_launches(MeanStep& sum) {
  const auto n = static_cast<double>(sum.launches);
  for (double* value : {&sum.local_samples, &sum.step_s, &sum.communication_overhead_frac,
                        &sum.peer_wait_frac, &sum.exposed_transfer_frac}) {
    *value /= n;
  }
  for (double& phase_s : sum.phase_s) phase_s /= n;
}

MeanStep mean_of(const RunGroup& group) {
  MeanStep sum;
  sum.ranks = group.runs.front()->digest.mean_step.ranks;
  for (const Run* run : group.runs) add(sum, run->digest.mean_step);
  divide_by_launches(sum);
  return sum;
}

}  // namespace

RunGroup with_steps(const RunGroup& group) {
  RunGroup kept{group.timed(), group.comparison};
  std::erase_if(kept.runs, [](const Run* run) { return run->digest.mean_step.launches == 0; });
  return kept;
}

Quantity step_of_a_rank() {
  return {[](const Run& run) { return run.digest.mean_step.step_of_a_rank_s(); }};
}

Quantity samples_of_a_rank() {
  return {[](const Run& run) { return run.digest.mean_step.local_samples; }};
}

std::vector<StepComposition> step_compositions(const Series& series) {
  const auto base = with_steps(series.group(1));
  std::vector<StepComposition> all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    const auto group = with_steps(series.group(ranks));
    if (group.runs.empty()) continue;
    all.push_back({mean_of(group)});
    if (base.runs.empty()) continue;
    const MeanStep one = mean_of(base);
    all.back().expected_s = one.step_s * all.back().local_samples / one.local_samples;
  }
  return all;
}

}  // namespace scalestudy
