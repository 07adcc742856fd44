#include "analysis/step/cause_looks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/error.hpp"

namespace scalestudy {

Look& Look::add(double factor, const Look& other) {
  for (const auto& [arm, times] : other.terms) terms.push_back({arm, factor * times});
  for (const auto& [times, path] : other.records) records.emplace_back(factor * times, path);
  return *this;
}

ArmTerm term(const LaunchArm& arm, double factor) {
  const auto* const found = std::ranges::find(launch_arms, arm);
  SCALESTUDY_EXPECT(found != launch_arms.end());
  return {static_cast<std::size_t>(found - launch_arms.begin()), factor};
}

Growth::Growth(const StepEvidence& evidence,
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

bool Growth::is_known() const {
  return std::min(whole_.size(), at_one_.size()) >= minimum_launches_for_interval &&
         fit_.has(terms(1, 1));
}

std::optional<std::int64_t> Growth::slowest_rank() const {
  std::map<std::int64_t, std::size_t> times;
  for (const auto& one : whole_) ++times[one.path->slowest_rank];
  for (const auto& [rank, count] : times)
    if (10 * count >= 9 * whole_.size()) return rank;
  return std::nullopt;
}

double Growth::ideal_step_s() const {
  return work_ * fit_.time_of_arm_s(term(LaunchArm::whole_at_one, 1).arm);
}

Estimate Growth::of(const Look& look) const {
  const auto at_n = share_in(whole_, look), at_one = share_in(at_one_, look);
  auto all = look.terms;
  std::ranges::copy(terms(at_n.value, at_one.value), std::back_inserter(all));
  auto growth = fit_.sum_s(all);
  const double step_s = fit_.time_of_arm_s(term(LaunchArm::whole, 1).arm);
  add_error(growth, at_n.error * step_s, at_n.count - 1);
  add_error(growth, at_one.error * ideal_step_s(), at_one.count - 1);
  return described(growth);
}

/// Said of what it is made from, and without the p-value of a question that nobody asks.
Estimate Growth::described(Estimate estimate) const {
  if (estimate.interval) estimate.method = IntervalMethod::block_fit;
  estimate.p_value = not_available;
  estimate.count = whole_.size();
  estimate.base_count = at_one_.size();
  return estimate;
}

std::array<ArmTerm, 2> Growth::terms(double at_n, double at_one) const {
  return {term(LaunchArm::whole, at_n), term(LaunchArm::whole_at_one, -work_ * at_one)};
}

Growth::Share Growth::share_in(const std::vector<Weighted>& launches, const Look& look) {
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

Looks::Looks(const StepEvidence& evidence, const BlockFit& fit, bool is_always_the_same_rank)
    : work_(evidence.work_ratio),
      fit_(fit),
      input_(Look::at(&PathStep::input_s)),
      transfer_(Look::at(&PathStep::transfer_s)),
      random_(Look::at([](const PathStep& path) { return path.imbalance_s - path.persistent_s; })),
      optimizer_(Look::at(&PathStep::optimizer_s)),
      uneven_input_(Look::at(&PathStep::uneven_input_s)),
      uneven_optimizer_(Look::at(&PathStep::uneven_optimizer_s)) {
  const double share = 1 / static_cast<double>(evidence.ranks);
  // A rank that is slow in some launches only is fast in others: it counts beyond the mean.
  const double in_mean = is_always_the_same_rank ? share : 0;
  // What a slow rank waits for a core is in its slowness, and not counted again.
  queue_ = Look::at(
      [=](const PathStep& path) { return path.run_queue_wait_s - in_mean * path.slow_queue_s; });
  slow_ = Look::at([=](const PathStep& path) { return (1 - share + in_mean) * path.persistent_s; });
  slow_in_mean_ = Look::at([=](const PathStep& path) { return in_mean * path.persistent_s; });
  compute_ = Look::at(
      [=](const PathStep& path) { return path.compute_s + (share - in_mean) * path.persistent_s; });
  const LaunchArm barrier{ControlArm::barrier_only}, alone{ControlArm::no_communication};
  if (has(barrier)) exchange_ = Look{{term(LaunchArm::whole, 1), term(barrier, -1)}, {}};
  if (has(barrier) && has(alone)) waiting_ = Look{{term(barrier, 1), term(alone, -1)}, {}};
  computing_ = computing();
}

Look Looks::by_records(StepCause cause) const {
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
      if (exchange_) return slower_computing() - (*exchange_ - transfer_);
      return computing_ ? *computing_ - queue_ : slower_computing();
    case StepCause::oversubscription:
      return queue_;
    case StepCause::optimizer:
      break;
  }
  return optimizer_;
}

std::optional<Look> Looks::by_arms(StepCause cause) const {
  switch (cause) {
    case StepCause::input:
      return input_by_arms();
    case StepCause::transfer:
      if (exchange_ && computing_) return *exchange_ - (compute_ - *computing_);
      break;
    case StepCause::slow_rank:
      if (waiting_) return *waiting_ - random_ - uneven_input_ - uneven_optimizer_ + slow_in_mean_;
      break;
    case StepCause::imbalance:
      if (waiting_) return *waiting_ - (slow_ - slow_in_mean_) - uneven_input_ - uneven_optimizer_;
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

/// What ranks that do not meet compute longer than one alone. Their step is the mean over ranks,
/// of which a slow one is a share.
std::optional<Look> Looks::computing() const {
  const LaunchArm neither{ControlArm::synthetic_input_no_communication};
  const LaunchArm at_one{ControlArm::synthetic_input, true};
  if (has(neither) && has(at_one))
    return Look{{term(neither, 1), term(at_one, -work_)}, {}} - (optimizer_ - uneven_optimizer_) -
           slow_in_mean_;
  if (has({ControlArm::no_communication}))
    return Look{{term({ControlArm::no_communication}, 1), term(LaunchArm::whole_at_one, -work_)},
                {}} -
           (optimizer_ - uneven_optimizer_) - slow_in_mean_ - (input_ - uneven_input_);
  return std::nullopt;
}

std::optional<Look> Looks::input_by_arms() const {
  const LaunchArm without{ControlArm::synthetic_input};
  const LaunchArm without_at_one{ControlArm::synthetic_input, true};
  if (!has(without) || !has(without_at_one)) return std::nullopt;
  return Look{{term(LaunchArm::whole, 1), term(without, -1), term(LaunchArm::whole_at_one, -work_),
               term(without_at_one, work_)},
              {}};
}

}  // namespace scalestudy
