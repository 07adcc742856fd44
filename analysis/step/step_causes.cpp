#include "analysis/step/step_causes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
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

/// Seconds of a step: Σ factor × time of the arm, and by how much parts of the records grow from
/// one rank to N for as much work.
struct Look {
  std::vector<ArmTerm> terms;
  std::vector<std::pair<double, Path>> records;

  Look& add(double factor, const Look& other) {
    for (const auto& [arm, times] : other.terms) terms.push_back({arm, factor * times});
    for (const auto& [times, path] : other.records) records.emplace_back(factor * times, path);
    return *this;
  }
  friend Look operator+(Look one, const Look& other) { return one.add(1, other); }
  friend Look operator-(Look one, const Look& other) { return one.add(-1, other); }
};

Look look_at(Path path) {
  return {{}, {{1, std::move(path)}}};
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

  [[nodiscard]] bool is_known() const {
    return std::min(whole_.size(), at_one_.size()) >= minimum_launches_for_interval &&
           fit_.has(terms(1, 1));
  }

  /// In nine of ten launches: of two ranks chance makes the same one the slowest in four of five
  /// launches of every third study.
  [[nodiscard]] std::optional<std::int64_t> slowest_rank() const {
    std::map<std::int64_t, std::size_t> times;
    for (const auto& one : whole_) ++times[one.path->slowest_rank];
    for (const auto& [rank, count] : times)
      if (10 * count >= 9 * whole_.size()) return rank;
    return std::nullopt;
  }

  /// Of the whole step.
  [[nodiscard]] Estimate loss_s() const { return described(fit_.sum_s(terms(1, 1))); }

  [[nodiscard]] double ideal_step_s() const {
    return work_ * fit_.time_of_arm_s(number_of(LaunchArm::whole_at_one));
  }

  /// A column counts as its share of a step, which a launch that is slow as a whole leaves as it
  /// is, of the step that all launches together tell.
  [[nodiscard]] Estimate of(const Look& look) const {
    const auto at_n = share_in(whole_, look), at_one = share_in(at_one_, look);
    auto all = look.terms;
    std::ranges::copy(terms(at_n.value, at_one.value), std::back_inserter(all));
    auto growth = fit_.sum_s(all);
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

  /// Said of what it is made from, and without the p-value of a question that nobody asks.
  [[nodiscard]] Estimate described(Estimate estimate) const {
    if (estimate.interval) estimate.method = IntervalMethod::block_fit;
    estimate.p_value = not_available;
    estimate.count = whole_.size();
    estimate.base_count = at_one_.size();
    return estimate;
  }

  [[nodiscard]] std::array<ArmTerm, 2> terms(double at_n, double at_one) const {
    return {ArmTerm{number_of(LaunchArm::whole), at_n},
            ArmTerm{number_of(LaunchArm::whole_at_one), -work_ * at_one}};
  }

  static Share share_in(const std::vector<Weighted>& launches, const Look& look) {
    double weights = 0, sum = 0, squares = 0;
    for (const auto& [path, weight] : launches) {
      double share = 0;
      for (const auto& [factor, column] : look.records)
        share += factor * column(*path) / path->step_s;
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

/// The two independent looks at each cause: what records of the study proper say, and what arms
/// say that leave it out. What the exchange adds to computing no record tells from what neighbours
/// add: there each look needs arms. METRICS.md#causes
class Looks {
 public:
  Looks(const StepEvidence& evidence, const BlockFit& fit, bool is_always_the_same_rank)
      : work_(evidence.work_ratio), fit_(fit) {
    const double share = 1 / static_cast<double>(evidence.ranks);
    // A rank that is slow in some launches only is fast in others: it counts beyond the mean.
    const double in_mean = is_always_the_same_rank ? share : 0;
    slow_ =
        look_at([=](const PathStep& path) { return (1 - share + in_mean) * path.persistent_s; });
    slow_in_mean_ = look_at([=](const PathStep& path) { return in_mean * path.persistent_s; });
    compute_ = look_at([=](const PathStep& path) {
      return path.compute_s + (share - in_mean) * path.persistent_s;
    });
    if (has({ControlArm::barrier_only}))
      exchange_ = Look{{term(LaunchArm::whole, 1), term({ControlArm::barrier_only}, -1)}, {}};
    if (has({ControlArm::barrier_only}) && has({ControlArm::no_communication}))
      waiting_ =
          Look{{term({ControlArm::barrier_only}, 1), term({ControlArm::no_communication}, -1)}, {}};
    computing_ = computing();
  }

  /// Whether what the exchange adds to computing can be told from what neighbours add.
  [[nodiscard]] bool tell_contention() const { return exchange_ || computing_; }
  /// Whether by_records() is only an upper limit of it.
  [[nodiscard]] bool is_bound(StepCause cause) const {
    return cause == StepCause::exchange_contention && !computing_;
  }

  /// What no record tells apart: interference and contention together.
  [[nodiscard]] Look slower_computing() const { return compute_ - queue_; }

  [[nodiscard]] Look by_records(StepCause cause) const {
    switch (cause) {
      case StepCause::input:
        return input_;
      case StepCause::transfer:
        return transfer_;
      case StepCause::slow_rank:
        return slow_;
      case StepCause::imbalance:
        return random_;
      case StepCause::exchange_contention:
        return compute_ - (computing_ ? *computing_ : queue_);
      case StepCause::interference:
        if (exchange_) return compute_ - queue_ - (*exchange_ - transfer_);
        return computing_ ? *computing_ - queue_ : slower_computing();
      case StepCause::oversubscription:
        return queue_;
      case StepCause::optimizer:
        break;
    }
    return optimizer_;
  }

  [[nodiscard]] std::optional<Look> by_arms(StepCause cause) const {
    switch (cause) {
      case StepCause::input:
        return input_by_arms();
      case StepCause::transfer:
        if (exchange_ && computing_) return *exchange_ - (compute_ - *computing_);
        break;
      case StepCause::slow_rank:
        if (waiting_) return *waiting_ - random_ - uneven_input_ + slow_in_mean_;
        break;
      case StepCause::imbalance:
        if (waiting_) return *waiting_ - (slow_ - slow_in_mean_) - uneven_input_;
        break;
      case StepCause::exchange_contention:
        if (exchange_) return *exchange_ - transfer_;
        break;
      case StepCause::interference:
        if (computing_) return *computing_ - queue_;
        break;
      case StepCause::oversubscription:
        if (exchange_ && computing_) return *computing_ - by_records(StepCause::interference);
        break;
      case StepCause::optimizer:
        break;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool has(const LaunchArm& arm) const { return fit_.has(std::array{term(arm, 1)}); }

  /// What ranks that do not meet compute longer than one alone. Their step is the mean over ranks,
  /// of which a slow one is a share.
  [[nodiscard]] std::optional<Look> computing() const {
    const LaunchArm neither{ControlArm::synthetic_input_no_communication};
    const LaunchArm at_one{ControlArm::synthetic_input, true};
    if (has(neither) && has(at_one))
      return Look{{term(neither, 1), term(at_one, -work_)}, {}} - optimizer_ - slow_in_mean_;
    if (has({ControlArm::no_communication}))
      return Look{{term({ControlArm::no_communication}, 1), term(LaunchArm::whole_at_one, -work_)},
                  {}} -
             optimizer_ - slow_in_mean_ - (input_ - uneven_input_);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Look> input_by_arms() const {
    const LaunchArm without{ControlArm::synthetic_input};
    const LaunchArm without_at_one{ControlArm::synthetic_input, true};
    if (!has(without) || !has(without_at_one)) return std::nullopt;
    return Look{{term(LaunchArm::whole, 1), term(without, -1),
                 term(LaunchArm::whole_at_one, -work_), term(without_at_one, work_)},
                {}};
  }

  double work_;
  const BlockFit& fit_;
  Look input_ = look_at([](const PathStep& path) { return path.input_s; });
  Look uneven_input_ = look_at([](const PathStep& path) { return path.uneven_input_s; });
  Look transfer_ = look_at([](const PathStep& path) { return path.transfer_s; });
  Look random_ = look_at([](const PathStep& path) { return path.imbalance_s - path.persistent_s; });
  Look queue_ = look_at([](const PathStep& path) { return path.run_queue_wait_s; });
  Look optimizer_ = look_at([](const PathStep& path) { return path.optimizer_s; });
  Look slow_, slow_in_mean_, compute_;
  std::optional<Look> exchange_;   ///< leaving it out: transfer and what it adds to computing
  std::optional<Look> waiting_;    ///< leaving out that ranks meet
  std::optional<Look> computing_;  ///< interference and oversubscription
};

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
    if (finding.verdict != Verdict::refuted) by_size.push_back(&finding);
  std::ranges::sort(by_size, std::greater(), [](const auto* one) { return one->growth_s().value; });
  if (by_size.empty() || by_size.front()->verdict != Verdict::supported) return;
  const auto& first = *by_size.front();
  std::vector<StepCause> main;
  for (const auto* one : by_size) {
    const bool is_smaller = is_surely_larger(first, *one, looks, growth, decision.margin_s);
    const bool is_open = one->verdict == Verdict::undecided;
    if (is_open && !is_smaller && std::isfinite(one->growth_s().value)) return;
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
    times.push_back({number_of(launch.arm), launch.block, launch.step_s});
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
  decision.unexplained_s =
      growth.of(look_at([](const PathStep& path) { return path.other_s; })).value;
  const Looks looks(evidence, fit, decision.slowest_rank.has_value());
  for (const auto& row : choices<StepCause>) {
    if (row.value == StepCause::exchange_contention && !looks.tell_contention()) continue;
    CauseFinding finding{.cause = row.value, .is_bound = looks.is_bound(row.value)};
    finding.column_s = growth.of(looks.by_records(row.value));
    if (const auto by_arms = looks.by_arms(row.value)) finding.contrast_s = growth.of(*by_arms);
    decision.findings.push_back(finding);
  }
  judge(decision, evidence, growth.of(looks.slower_computing()));
  name_main(decision, looks, growth);
  look_behind_each_other(decision, fit);
  return decision;
}

}  // namespace scalestudy
