#include "analysis/step/step_composition.hpp"

#include <array>

namespace scalestudy {
namespace {

constexpr std::array averaged_values{&MeanStep::local_samples, &MeanStep::step_s,
                                     &MeanStep::communication_overhead_frac,
                                     &MeanStep::peer_wait_frac, &MeanStep::exposed_transfer_frac};

MeanStep mean_of(const RunGroup& group) {
  MeanStep sum;
  sum.ranks = group.runs.front()->digest.mean_step.ranks;
  for (const Run* run : group.runs) {
    const MeanStep& one = run->digest.mean_step;
    sum.launches += one.launches;
    for (const auto value : averaged_values) sum.*value += one.*value;
    for (std::size_t i = 0; i < step_phase_count; ++i) sum.phase_s[i] += one.phase_s[i];
  }
  const auto n = static_cast<double>(sum.launches);
  for (const auto value : averaged_values) sum.*value /= n;
  for (double& phase_s : sum.phase_s) phase_s /= n;
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
