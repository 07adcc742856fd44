#include "analysis/step/step_evidence.hpp"

#include <algorithm>

#include "analysis/step/step_composition.hpp"

namespace scalestudy {
namespace {

void add(const Series& series, std::int64_t ranks, StepEvidence& evidence) {
  const LaunchArm arm{series.spec.control_arm, ranks == 1};
  if (std::ranges::find(launch_arms, arm) == launch_arms.end()) return;
  for (const Run* run : with_steps(series.group(ranks)).runs)
    evidence.launches.push_back(
        {arm, run->spec.repeat, run->digest.mean_step.step_of_a_rank_s(), run->digest.path_step});
}

double clock_error_s(const Series& series, std::int64_t ranks) {
  double error_s = 0;
  for (const Run* run : series.group(ranks).runs)
    for (const auto& rank : run->record.ranks)
      if (rank.clock_offset_error_s > error_s) error_s = rank.clock_offset_error_s;
  return error_s;
}

double local_samples(const Series& series, std::int64_t ranks) {
  return mean(with_steps(series.group(ranks)).values(samples_of_a_rank()));
}

StepEvidence step_evidence(const Series& proper,
                           std::span<const Series* const> arms,
                           std::int64_t ranks,
                           double margin_frac) {
  StepEvidence evidence{.ranks = ranks,
                        .work_ratio = local_samples(proper, ranks) / local_samples(proper, 1),
                        .margin_frac = margin_frac,
                        .clock_error_s = clock_error_s(proper, ranks),
                        .launches = {}};
  for (const auto at : {std::int64_t{1}, ranks}) {
    add(proper, at, evidence);
    for (const Series* arm : arms) add(*arm, at, evidence);
  }
  return evidence;
}

}  // namespace

std::vector<StepDecision> step_causes(const Series& proper,
                                      std::span<const Series* const> arms,
                                      double margin_frac) {
  std::vector<StepDecision> decisions;
  for (auto group = proper.by_ranks.rbegin(); group != proper.by_ranks.rend(); ++group) {
    if (group->first == 1) continue;
    auto decision = decide_causes(step_evidence(proper, arms, group->first, margin_frac));
    if (decision.findings.empty()) continue;
    decisions.push_back(std::move(decision));
    if (!decisions.back().is_loss) break;
  }
  return decisions;
}

}  // namespace scalestudy
