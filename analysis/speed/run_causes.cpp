#include "analysis/speed/run_causes.hpp"

#include <algorithm>

#include "analysis/statistics/decision.hpp"

namespace scalestudy {
namespace {

using Shares = std::vector<LaunchShares>;

std::size_t index_of(RunCause cause) {
  return static_cast<std::size_t>(cause);
}

template <class Get>
Launches launches_of(const Shares& launches, double factor, const Get& get) {
  Launches all;
  for (const auto& launch : launches)
    all.add(launch.block, factor * get(launch), launch.started_unix_s);
  return all;
}

template <class Get>
double mean_of(const Shares& launches, const Get& get) {
  return mean(launches_of(launches, 1, get).values);
}

/// How times of N ranks exceed 1 ÷ N of those of one.
class Growth {
 public:
  explicit Growth(const RunEvidence& evidence)
      : evidence_(evidence),
        ideal_(1 / static_cast<double>(evidence.ranks)),
        work_ratio_(mean_of(evidence.compared, samples) / mean_of(evidence.base, samples)) {}

  template <class Get>
  [[nodiscard]] Estimate of(const Get& get) const {
    return difference(launches_of(evidence_.compared, 1, get),
                      launches_of(evidence_.base, ideal_, get), evidence_.comparison);
  }

  /// What a protocol of more samples adds at the speed of one rank is no slowness of steps.
  [[nodiscard]] Estimate of(RunCause cause) const {
    const auto share = [at = index_of(cause)](const LaunchShares& one) { return one.share_s[at]; };
    const auto steps = [](const LaunchShares& one) {
      return one.share_s[index_of(RunCause::steps)];
    };
    const double same_work = ideal_ * work_ratio_;
    if (cause == RunCause::steps)
      return difference(launches_of(evidence_.compared, 1, steps),
                        launches_of(evidence_.base, same_work, steps), evidence_.comparison);
    if (cause == RunCause::samples)
      return difference(launches_of(evidence_.base, same_work, steps),
                        launches_of(evidence_.base, ideal_, steps), evidence_.comparison);
    return of(share);
  }

 private:
  static double samples(const LaunchShares& launch) { return launch.samples; }

  const RunEvidence& evidence_;
  double ideal_;
  double work_ratio_;  ///< samples of N ranks ÷ those of one
};

Verdict verdict_on_convergence(const Estimate& sample_ratio, double margin_frac) {
  if (!sample_ratio.interval) return Verdict::undecided;
  if (sample_ratio.interval->low > 1 + margin_frac) return Verdict::supported;
  return sample_ratio.interval->high < 1 + margin_frac ? Verdict::refuted : Verdict::undecided;
}

/// What the first steps took more than as many steady ones is theirs.
void split_steps(const Run& run, LaunchShares& shares) {
  auto& steps_s = shares.share_s[index_of(RunCause::steps)];
  const double steady_s =
      run.digest.mean_step.step_of_a_rank_s() * static_cast<double>(run.digest.step_count);
  shares.share_s[index_of(RunCause::first_steps)] = steps_s - steady_s;
  steps_s = steady_s;
}

Shares shares_of(const Series& series, std::int64_t ranks) {
  Shares all;
  for (const Run* run : series.group(ranks).timed()) {
    const auto& times = run->digest.launch_times;
    if (!times || run->digest.mean_step.launches == 0) continue;
    LaunchShares shares{.block = run->spec.repeat,
                        .started_unix_s = started_unix_s(*run),
                        .launch_s = times->launch_s(),
                        .unexplained_s = times->unexplained_s,
                        .samples = samples_consumed(run->digest.losses)};
    for (std::size_t i = 0; i < launch_part_count; ++i)
      if (const auto cause = launch_parts()[i].cause)
        shares.share_s[index_of(*cause)] += times->part_s[i];
    split_steps(*run, shares);
    all.push_back(shares);
  }
  return all;
}

}  // namespace

RunDecision decide_run_causes(const RunEvidence& evidence) {
  RunDecision decision{.ranks = evidence.ranks, .sample_ratio = evidence.sample_ratio};
  if (std::min(evidence.compared.size(), evidence.base.size()) < minimum_launches_for_interval)
    return decision;
  const Growth growth(evidence);
  const auto launch_s = [](const LaunchShares& launch) { return launch.launch_s; };
  decision.ideal_launch_s = mean_of(evidence.base, launch_s) / static_cast<double>(evidence.ranks);
  decision.margin_s = evidence.margin_frac * decision.ideal_launch_s;
  decision.loss_s = growth.of(launch_s);
  decision.is_loss = decision.loss_s.interval && decision.loss_s.interval->low > decision.margin_s;
  decision.unexplained_s =
      growth.of([](const LaunchShares& launch) { return launch.unexplained_s; }).value;
  std::vector<Chances> asked;
  for (const auto& row : choices<RunCause>) {
    decision.findings.push_back({.cause = row.value, .growth_s = growth.of(row.value)});
    asked.push_back(chances(decision.findings.back().growth_s, decision.margin_s));
  }
  const auto judged = verdicts(asked, decision.is_loss);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    auto& finding = decision.findings[i];
    finding.verdict = judged[i];
    if (finding.verdict == Verdict::undecided)
      finding.launches_to_decide = launches_to_tell(finding.growth_s, {.high = decision.margin_s},
                                                    one_sided_level(run_cause_count));
  }
  decision.slower_convergence = verdict_on_convergence(evidence.sample_ratio, evidence.margin_frac);
  return decision;
}

std::vector<RunDecision> run_causes(const Series& series,
                                    const std::vector<TargetPoint>& targets,
                                    double margin_frac) {
  std::vector<RunDecision> decisions;
  for (auto group = series.by_ranks.rbegin(); group != series.by_ranks.rend(); ++group) {
    if (group->first == 1) continue;
    RunEvidence evidence{.ranks = group->first,
                         .margin_frac = margin_frac,
                         .comparison = series.spec.comparison,
                         .compared = shares_of(series, group->first),
                         .base = shares_of(series, 1)};
    const auto target = std::ranges::find(targets, group->first, &TargetPoint::ranks);
    if (target != targets.end()) evidence.sample_ratio = target->sample_ratio;
    auto decision = decide_run_causes(evidence);
    if (!decision.findings.empty()) decisions.push_back(std::move(decision));
  }
  return decisions;
}

}  // namespace scalestudy
