#include "analysis/step/step_causes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/statistics/block_fit.hpp"
#include "analysis/statistics/decision.hpp"
#include "analysis/step/cause_looks.hpp"

namespace scalestudy {
namespace {

/// Of all causes' looks together they hold the truth in 95 % of studies (Bonferroni).
Interval simultaneous(const Estimate& estimate, double error_s) {
  const auto looks = 2 * static_cast<double>(choices<StepCause>.size());
  const double reach = student_t_critical(significance_level / looks, estimate.degrees_of_freedom) *
                           estimate.standard_error +
                       error_s;
  return {estimate.value - reach, estimate.value + reach};
}

/// They part by no more than what matters; beside a bound, what arms say lies between it and 0.
bool agree(const CauseFinding& finding, double clock_error_s, double margin_s) {
  if (!finding.contrast_s.interval) return true;
  const auto contrast = simultaneous(finding.contrast_s, finding.is_bound ? clock_error_s : 0);
  auto column = simultaneous(finding.column_s, finding.is_bound ? 0 : clock_error_s);
  if (finding.is_bound) column.low = std::min(0.0, column.low);
  return std::max(column.low, contrast.low) - std::min(column.high, contrast.high) < margin_s;
}

/// The split between waiting and transfer is as good as the clocks, and so is what is told by
/// transfer.
double clock_error_s(const StepEvidence& evidence, StepCause cause) {
  switch (cause) {
    case StepCause::transfer:
    case StepCause::exchange_contention:
    case StepCause::interference:
    case StepCause::oversubscription:
      return evidence.clock_error_s;
    case StepCause::input:
    case StepCause::slow_rank:
    case StepCause::imbalance:
    case StepCause::optimizer:
      break;
  }
  return 0;
}

/// What more there is shows in the growth; that there is less, in the records.
std::optional<std::int64_t> launches_to_decide(const CauseFinding& finding, double margin_s) {
  const auto& look = finding.growth_s().value > margin_s ? finding.growth_s() : finding.column_s;
  return launches_to_tell(look, {.high = margin_s}, one_sided_level(choices<StepCause>.size()));
}

/// One-sided, of so little: of interference and contention also of both together, unless the other
/// one is surely negative.
double chance_of_less(const CauseFinding& finding,
                      const StepDecision& decision,
                      const Estimate& slower_computing_s,
                      double error_s) {
  const double alone = chances(finding.column_s, decision.margin_s - error_s).of_less;
  const double together = chances(slower_computing_s, decision.margin_s).of_less;
  if (finding.cause == StepCause::interference) return std::min(alone, together);
  if (finding.cause != StepCause::exchange_contention) return alone;
  const auto other =
      std::ranges::find(decision.findings, StepCause::interference, &CauseFinding::cause);
  const auto& interval = other->contrast_s.interval;
  return interval && interval->high < 0 ? alone : std::min(alone, together);
}

void judge(StepDecision& decision,
           const StepEvidence& evidence,
           const Estimate& slower_computing_s) {
  std::vector<Chances> asked, recorded;
  for (const auto& finding : decision.findings) {
    const double error_s = clock_error_s(evidence, finding.cause);
    const double by_clock_s = finding.cause == StepCause::exchange_contention ? error_s : 0;
    asked.push_back({chances(finding.growth_s(), decision.margin_s + by_clock_s).of_more,
                     chance_of_less(finding, decision, slower_computing_s, error_s)});
    recorded.push_back(
        {finding.is_bound ? 1.0 : chances(finding.column_s, decision.margin_s + error_s).of_more,
         asked.back().of_less});
  }
  const auto judged = verdicts(asked, decision.is_loss);
  const auto by_records = verdicts(recorded, /*is_loss=*/true);
  for (std::size_t i = 0; i < decision.findings.size(); ++i) {
    auto& finding = decision.findings[i];
    if (!agree(finding, clock_error_s(evidence, finding.cause), decision.margin_s)) continue;
    finding.verdict = judged[i];
    finding.is_recorded = by_records[i] == Verdict::supported;
    if (finding.verdict == Verdict::undecided)
      finding.launches_to_decide = launches_to_decide(finding, decision.margin_s);
  }
}

/// A slow rank hides some of what the others scatter: of their waiting, neither is called the
/// larger part.
bool share_the_waiting(StepCause one, StepCause other) {
  const auto is_waiting = [](StepCause cause) {
    return cause == StepCause::slow_rank || cause == StepCause::imbalance;
  };
  return is_waiting(one) && is_waiting(other);
}

/// By more than half of what matters, in the records and in the arms, where both tell both.
bool is_surely_larger(const CauseFinding& one,
                      const CauseFinding& other,
                      const Looks& looks,
                      const Growth& growth,
                      double margin_s) {
  const auto leads = [&](const Look& first, const Look& second) {
    const auto ahead_s = growth.of(first - second);
    return ahead_s.interval && ahead_s.interval->low > margin_s / 2;
  };
  const auto best = [&](const CauseFinding& finding) {
    const auto by_arms = looks.by_arms(finding.cause);
    return by_arms ? *by_arms : looks.by_records(finding.cause);
  };
  const bool are_recorded = !one.is_bound && !other.is_bound;
  return (!are_recorded || leads(looks.by_records(one.cause), looks.by_records(other.cause))) &&
         leads(best(one), best(other));
}

/// None where too much is unexplained, or an open cause may be as large as the largest.
void name_main(StepDecision& decision, const Looks& looks, const Growth& growth) {
  if (!decision.is_explained()) return;
  std::vector<const CauseFinding*> by_size;
  for (const auto& finding : decision.findings)
    if (finding.verdict != Verdict::refuted && std::isfinite(finding.growth_s().value))
      by_size.push_back(&finding);
  std::ranges::sort(by_size, std::greater(), [](const auto* one) { return one->growth_s().value; });
  if (by_size.empty() || by_size.front()->verdict != Verdict::supported) return;
  const auto& first = *by_size.front();
  std::vector<StepCause> main;
  for (const auto* one : by_size) {
    const bool is_smaller = is_surely_larger(first, *one, looks, growth, decision.margin_s);
    const bool is_open = one->verdict == Verdict::undecided;
    if (is_open && !is_smaller) return;
    if (!is_open && (!is_smaller || share_the_waiting(first.cause, one->cause)))
      main.push_back(one->cause);
  }
  decision.main = main;
}

/// Removing one alone may gain nothing.
void look_behind_each_other(StepDecision& decision, const BlockFit& fit) {
  const std::array without_both{term(LaunchArm::whole, 1),
                                term({ControlArm::synthetic_input_no_communication}, -1)};
  const std::array without_one{term(LaunchArm::whole, 2), term({ControlArm::synthetic_input}, -1),
                               term({ControlArm::no_communication}, -1)};
  const std::array hidden{term(LaunchArm::whole, -1), term({ControlArm::synthetic_input}, 1),
                          term({ControlArm::no_communication}, 1),
                          term({ControlArm::synthetic_input_no_communication}, -1)};
  if (!fit.has(without_both) || !fit.has(without_one)) return;
  if (const auto more_s = fit.sum_s(hidden);
      more_s.interval && more_s.interval->low > decision.margin_s)
    decision.hidden = {fit.sum_s(without_both), fit.sum_s(without_one).value};
}

std::vector<CauseLaunch> usable(const std::vector<CauseLaunch>& launches) {
  std::vector<CauseLaunch> all;
  std::ranges::copy_if(launches, std::back_inserter(all), [](const CauseLaunch& launch) {
    return launch.step_s > 0 && std::isfinite(launch.step_s);
  });
  return all;
}

BlockFit fit_of(const std::vector<CauseLaunch>& launches) {
  std::vector<BlockedTime> times;
  for (const auto& launch : launches)
    times.push_back({term(launch.arm, 1).arm, launch.block, launch.step_s});
  return BlockFit(std::move(times));
}

}  // namespace

std::vector<ControlArm> arms_telling(StepCause cause, bool has_input) {
  switch (cause) {
    case StepCause::input:
      return {ControlArm::synthetic_input};
    case StepCause::transfer:
    case StepCause::exchange_contention:
    case StepCause::slow_rank:
    case StepCause::imbalance:
      return {ControlArm::barrier_only, ControlArm::no_communication};
    case StepCause::interference:
    case StepCause::oversubscription:
      if (has_input)
        return {ControlArm::barrier_only, ControlArm::synthetic_input,
                ControlArm::synthetic_input_no_communication};
      return {ControlArm::barrier_only, ControlArm::no_communication};
    case StepCause::optimizer:
      break;
  }
  return {};
}

bool StepDecision::is_explained() const {
  constexpr double most_unexplained_frac = 0.2;
  return std::abs(unexplained_s) <= most_unexplained_frac * loss_s.value;
}

bool has_cause(const StepDecision& decision, StepCause cause) {
  return std::ranges::find(decision.findings, cause, &CauseFinding::cause) !=
         decision.findings.end();
}

StepDecision decide_causes(const StepEvidence& evidence) {
  const auto launches = usable(evidence.launches);
  const auto fit = fit_of(launches);
  const Growth growth(evidence, fit, launches);
  StepDecision decision{.ranks = evidence.ranks, .work_ratio = evidence.work_ratio};
  if (!growth.is_known()) return decision;
  decision.ideal_step_s = growth.ideal_step_s();
  decision.margin_s = evidence.margin_frac * decision.ideal_step_s;
  decision.loss_s = growth.loss_s();
  decision.is_loss = decision.loss_s.interval && decision.loss_s.interval->low > decision.margin_s;
  decision.slowest_rank = growth.slowest_rank();
  decision.unexplained_s = growth.of(Look::at(&PathStep::other_s)).value;
  const Looks looks(evidence, fit, decision.slowest_rank.has_value());
  for (const auto& row : choices<StepCause>) {
    if (row.value == StepCause::exchange_contention && !looks.tell_contention()) continue;
    CauseFinding finding{.cause = row.value, .is_bound = looks.is_bound(row.value)};
    finding.column_s = growth.of(looks.by_records(row.value));
    if (const auto by_arms = looks.by_arms(row.value)) finding.contrast_s = growth.of(*by_arms);
    decision.findings.push_back(finding);
  }
  decision.slow_rank_lacks_core = growth.of(Look::at(&PathStep::slow_queue_s)).value >
                                  0.5 * growth.of(looks.by_records(StepCause::slow_rank)).value;
  judge(decision, evidence, growth.of(looks.slower_computing()));
  name_main(decision, looks, growth);
  look_behind_each_other(decision, fit);
  return decision;
}

}  // namespace scalestudy
