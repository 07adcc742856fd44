#include "analysis/step/step_causes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/error.hpp"

#include "analysis/statistics/block_fit.hpp"
#include "analysis/statistics/decision.hpp"

namespace scalestudy {
namespace {

using Path = std::function<double(const PathStep&)>;

std::size_t number_of(const LaunchArm& arm) {
  const auto* const found = std::ranges::find(launch_arms, arm);
  SCALESTUDY_EXPECT(found != launch_arms.end());
  return static_cast<std::size_t>(found - launch_arms.begin());
}

ArmTerm term(const LaunchArm& arm, double factor) {
  return {number_of(arm), factor};
}

double random_imbalance_s(const PathStep& path) {
  return path.imbalance_s - path.persistent_s;
}

/// Columns that grow where the cause is at work.
Path column_of_cause(StepCause cause) {
  switch (cause) {
    case StepCause::input:
      return [](const PathStep& path) { return path.input_s; };
    case StepCause::transfer:
      return [](const PathStep& path) { return path.transfer_s; };
    case StepCause::slow_rank:
      return [](const PathStep& path) { return path.persistent_s; };
    case StepCause::imbalance:
      return random_imbalance_s;
    case StepCause::interference:
      return [](const PathStep& path) { return path.compute_s - path.run_queue_wait_s; };
    case StepCause::oversubscription:
      return [](const PathStep& path) { return path.run_queue_wait_s; };
    case StepCause::optimizer:
      break;
  }
  return [](const PathStep& path) { return path.optimizer_s; };
}

/// What arms' times tell of a cause, as soon as what records say of the rest is taken out.
struct Contrast {
  std::vector<ArmTerm> terms;
  Path rest;  ///< none: nothing else is in them
};

/// Nothing of the optimiser, which no arm leaves out. A step of ranks that do not meet is the mean
/// over ranks, of which a slow one is a share.
Contrast contrast_of(StepCause cause, const StepEvidence& evidence) {
  const double work = evidence.work_ratio;
  const double share = 1 / static_cast<double>(evidence.ranks);
  const std::vector<ArmTerm> waiting{term({ControlArm::barrier_only}, 1),
                                     term({ControlArm::no_communication}, -1)};
  const std::vector<ArmTerm> computing{term({ControlArm::synthetic_input_no_communication}, 1),
                                       term({ControlArm::synthetic_input, true}, -work)};
  switch (cause) {
    case StepCause::input:
      return {
          {term(LaunchArm::whole, 1), term({ControlArm::synthetic_input}, -1),
           term(LaunchArm::whole_at_one, -work), term({ControlArm::synthetic_input, true}, work)},
          {}};
    case StepCause::transfer:
      return {{term(LaunchArm::whole, 1), term({ControlArm::barrier_only}, -1)}, {}};
    case StepCause::slow_rank:
      return {waiting, [=](const PathStep& path) {
                return random_imbalance_s(path) - share * path.persistent_s + path.uneven_input_s;
              }};
    case StepCause::imbalance:
      return {waiting, [=](const PathStep& path) {
                return (1 - share) * path.persistent_s + path.uneven_input_s;
              }};
    case StepCause::interference:
      return {computing, [=](const PathStep& path) {
                return path.run_queue_wait_s + path.optimizer_s + share * path.persistent_s;
              }};
    case StepCause::oversubscription:
      return {computing, [=](const PathStep& path) {
                return path.compute_s - path.run_queue_wait_s + path.optimizer_s +
                       share * path.persistent_s;
              }};
    case StepCause::optimizer:
      break;
  }
  return {};
}

/// How parts of the step grow from one rank to N, for as much work.
class Growth {
 public:
  Growth(const StepEvidence& evidence,
         const BlockFit& fit,
         const std::vector<CauseLaunch>& launches)
      : work_(evidence.work_ratio), fit_(fit) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (!launches[i].path) continue;
      const Weighted one{&*launches[i].path, fit.weights()[i]};
      if (launches[i].arm == LaunchArm::whole) whole_.push_back(one);
      if (launches[i].arm == LaunchArm::whole_at_one) at_one_.push_back(one);
    }
  }

  /// Said of what it is made from, and without the p-value of a question that nobody asks.
  [[nodiscard]] Estimate described(Estimate estimate) const {
    if (estimate.interval) estimate.method = IntervalMethod::block_fit;
    estimate.p_value = not_available;
    estimate.count = whole_.size();
    estimate.base_count = at_one_.size();
    return estimate;
  }

  [[nodiscard]] bool is_known() const {
    return std::min(whole_.size(), at_one_.size()) >= minimum_launches_for_interval &&
           fit_.has(terms(1, 1));
  }

  [[nodiscard]] std::optional<std::int64_t> slowest_rank() const {
    std::map<std::int64_t, std::size_t> times;
    for (const auto& one : whole_) ++times[one.path->slowest_rank];
    for (const auto& [rank, count] : times)
      if (5 * count >= 4 * whole_.size()) return rank;
    return std::nullopt;
  }

  /// Of the whole step.
  [[nodiscard]] Estimate loss_s() const { return described(fit_.sum_s(terms(1, 1))); }

  [[nodiscard]] double ideal_step_s() const {
    return work_ * fit_.time_of_arm_s(number_of(LaunchArm::whole_at_one));
  }

  /// The column's share of a step, which a launch that is slow as a whole leaves as it is, of the
  /// step that all launches together tell.
  [[nodiscard]] Estimate of(const Path& column) const {
    const auto at_n = share_in(whole_, column), at_one = share_in(at_one_, column);
    auto growth = fit_.sum_s(terms(at_n.value, at_one.value));
    add_error(growth, at_n.error * fit_.time_of_arm_s(number_of(LaunchArm::whole)), at_n.count - 1);
    add_error(growth, at_one.error * ideal_step_s(), at_one.count - 1);
    return described(growth);
  }

 private:
  struct Weighted {
    const PathStep* path;
    double weight;
  };
  struct Share {
    double value, error, count;
  };

  [[nodiscard]] std::array<ArmTerm, 2> terms(double at_n, double at_one) const {
    return {ArmTerm{number_of(LaunchArm::whole), at_n},
            ArmTerm{number_of(LaunchArm::whole_at_one), -work_ * at_one}};
  }

  static Share share_in(const std::vector<Weighted>& launches, const Path& column) {
    double weights = 0, sum = 0, squares = 0;
    for (const auto& [path, weight] : launches) {
      const double share = column(*path) / path->step_s;
      weights += weight;
      sum += weight * share;
      squares += weight * share * share;
    }
    const auto count = static_cast<double>(launches.size());
    const double mean = sum / weights;
    const double variance = std::max(0.0, squares / weights - mean * mean) * count / (count - 1);
    return {mean, std::sqrt(variance / count), count};
  }

  double work_;
  const BlockFit& fit_;
  std::vector<Weighted> whole_, at_one_;
};

/// Independent of each other.
Estimate less(const Estimate& one, const Estimate& other) {
  Estimate difference;
  difference.value = one.value - other.value;
  const double a = one.standard_error * one.standard_error;
  const double b = other.standard_error * other.standard_error;
  const double dof =
      a + b > 0 ? joint_degrees_of_freedom(a, one.degrees_of_freedom, b, other.degrees_of_freedom)
                : one.degrees_of_freedom;
  set_t_interval(difference, std::sqrt(a + b), dof);
  return difference;
}

/// Of all causes' looks together they hold the truth in 95 % of studies (Bonferroni).
Interval simultaneous(const Estimate& estimate, double error_s) {
  const auto looks = 2 * static_cast<double>(choices<StepCause>.size());
  const double reach = student_t_critical(significance_level / looks, estimate.degrees_of_freedom) *
                           estimate.standard_error +
                       error_s;
  return {estimate.value - reach, estimate.value + reach};
}

/// They part by no more than what matters.
bool agree(const CauseFinding& finding, double clock_error_s, double margin_s) {
  if (!finding.contrast_s.interval) return true;
  const auto column = simultaneous(finding.column_s, clock_error_s);
  const auto contrast = simultaneous(finding.contrast_s, 0);
  return std::max(column.low, contrast.low) - std::min(column.high, contrast.high) < margin_s;
}

/// The split between waiting and transfer is as good as the clocks.
double clock_error_s(const StepEvidence& evidence, StepCause cause) {
  const bool is_by_clock = cause == StepCause::transfer;
  return is_by_clock ? evidence.clock_error_s : 0;
}

/// What more there is shows in the growth; that there is less, in the records.
std::optional<std::int64_t> launches_to_decide(const CauseFinding& finding, double margin_s) {
  const auto& look = finding.growth_s().value > margin_s ? finding.growth_s() : finding.column_s;
  return launches_to_tell(look, {.high = margin_s}, one_sided_level(choices<StepCause>.size()));
}

void judge(StepDecision& decision, const StepEvidence& evidence) {
  std::vector<Chances> asked;
  for (const auto& finding : decision.findings) {
    const double error_s = clock_error_s(evidence, finding.cause);
    asked.push_back({chances(finding.growth_s(), decision.margin_s).of_more,
                     chances(finding.column_s, decision.margin_s - error_s).of_less});
  }
  const auto judged = verdicts(asked, decision.is_loss);
  for (std::size_t i = 0; i < decision.findings.size(); ++i) {
    auto& finding = decision.findings[i];
    if (!agree(finding, clock_error_s(evidence, finding.cause), decision.margin_s)) continue;
    finding.verdict = judged[i];
    if (finding.verdict == Verdict::undecided)
      finding.launches_to_decide = launches_to_decide(finding, decision.margin_s);
  }
}

/// None where too much is unexplained, or an open cause may be the largest.
void name_main(StepDecision& decision, const Growth& growth) {
  if (!decision.is_explained()) return;
  std::vector<const CauseFinding*> by_size;
  for (const auto& finding : decision.findings)
    if (finding.verdict != Verdict::refuted) by_size.push_back(&finding);
  std::ranges::sort(by_size, std::greater(), [](const auto* one) { return one->growth_s().value; });
  if (by_size.empty() || by_size.front()->verdict != Verdict::supported) return;
  const auto first = column_of_cause(by_size.front()->cause);
  for (const auto* one : by_size) {
    if (one->verdict != Verdict::supported) continue;
    const auto ahead = growth.of([&, own = column_of_cause(one->cause)](const PathStep& path) {
      return first(path) - own(path);
    });
    const bool is_less = one != by_size.front() && ahead.interval && ahead.interval->low > 0;
    if (!is_less) decision.main.push_back(one->cause);
  }
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
    times.push_back({number_of(launch.arm), launch.block, launch.step_s});
  return BlockFit(std::move(times));
}

}  // namespace

std::vector<ControlArm> arms_telling(StepCause cause) {
  std::vector<ControlArm> arms;
  for (const auto& one : contrast_of(cause, {}).terms)
    if (const auto arm = launch_arms.at(one.arm).left_out;
        arm && std::ranges::find(arms, *arm) == arms.end())
      arms.push_back(*arm);
  return arms;
}

bool StepDecision::is_explained() const {
  constexpr double most_unexplained_frac = 0.2;
  return std::abs(unexplained_s) <= most_unexplained_frac * loss_s.value;
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
  decision.unexplained_s = growth.of([](const PathStep& path) { return path.other_s; }).value;
  for (const auto& [cause, name, summary] : choices<StepCause>) {
    CauseFinding finding{.cause = cause, .column_s = growth.of(column_of_cause(cause))};
    const auto contrast = contrast_of(cause, evidence);
    if (!contrast.terms.empty() && fit.has(contrast.terms)) {
      const auto by_arms_s = fit.sum_s(contrast.terms);
      finding.contrast_s =
          growth.described(contrast.rest ? less(by_arms_s, growth.of(contrast.rest)) : by_arms_s);
    }
    decision.findings.push_back(finding);
  }
  judge(decision, evidence);
  name_main(decision, growth);
  look_behind_each_other(decision, fit);
  return decision;
}

}  // namespace scalestudy
