#include "analysis/statistics/block_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/statistics.hpp"

#include "analysis/statistics/two_speeds.hpp"

namespace scalestudy {
namespace {

/// 95 % as efficient as the mean where launches scatter normally (Huber 1981, chapter 4).
constexpr double reach = 1.345;
/// Mean of min(z², reach²), z normal: what the squares of residuals, cut off there, come to.
constexpr double mean_cut_square = 0.7102;
/// With fewer the scale of so few residuals is not known apart from launches far off: then plain
/// least squares, which two arms and complete blocks make a paired t.
constexpr double least_robust_degrees = 6;
constexpr int most_rounds = 500;
constexpr double settled = 1e-10;

double square(double value) {
  return value * value;
}

double largest_difference(const std::vector<double>& one, const std::vector<double>& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    largest = std::max(largest, std::abs(one[i] - other[i]));
  return largest;
}

}  // namespace

BlockFit::BlockFit(std::vector<BlockedTime> times) : times_(std::move(times)) {
  std::erase_if(times_, [](const BlockedTime& one) {
    return !(one.time_s > 0) || !std::isfinite(one.time_s);
  });
  std::map<std::int64_t, std::size_t> blocks;
  std::size_t arm_count = 0;
  for (const auto& one : times_) {
    block_of_.push_back(blocks.try_emplace(one.block, blocks.size()).first->second);
    logs_.push_back(std::log(one.time_s));
    arm_count = std::max(arm_count, one.arm + 1);
  }
  arms_.assign(arm_count, 0);
  launches_of_arm_.assign(arm_count, 0);
  blocks_.assign(blocks.size(), 0);
  for (const auto& one : times_) ++launches_of_arm_[one.arm];
  const auto used_arms = std::ranges::count_if(launches_of_arm_, [](double n) { return n > 0; });
  degrees_of_freedom_ =
      static_cast<double>(times_.size()) - static_cast<double>(used_arms + std::ssize(blocks)) + 1;
  weights_.assign(times_.size(), 1);
  if (degrees_of_freedom_ < 2) return;
  fit_by_weights();
  if (degrees_of_freedom_ >= least_robust_degrees) fit_robustly();
  estimate_scatter();
}

/// Weights, effects and scale by turns (Huber's proposal 2), which converge to one solution.
void BlockFit::fit_robustly() {
  scale_ = cut_scale();
  for (int round = 0; round < most_rounds && scale_ > 0; ++round) {
    // A launch counts by its residual up to the reach, and beyond as if it were there.
    for (std::size_t i = 0; i < times_.size(); ++i)
      weights_[i] = std::min(1.0, reach * scale_ / std::abs(residual(i)));
    const double moved = fit_by_weights(), before = scale_;
    scale_ = cut_scale();
    if (moved <= settled && std::abs(scale_ - before) <= settled * before) break;
  }
}

double BlockFit::residual(std::size_t launch) const {
  return logs_[launch] - arms_[times_[launch].arm] - blocks_[block_of_[launch]];
}

/// Of the residuals, each cut off at the reach of the scale before; at first of all as they are.
double BlockFit::cut_scale() const {
  double squares = 0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const double cut = reach * scale_;
    squares += scale_ > 0 ? std::min(square(residual(i)), square(cut)) : square(residual(i));
  }
  return std::sqrt(squares / degrees_of_freedom_ / (scale_ > 0 ? mean_cut_square : 1));
}

/// Least squares by turns, which converge because both are projections. Returns how far a block
/// moved.
double BlockFit::fit_by_weights() {
  const auto means = [&](std::vector<double>& effects, const auto& place_of, const auto& rest_of) {
    std::vector<double> sums(effects.size()), weights(effects.size());
    for (std::size_t i = 0; i < times_.size(); ++i) {
      sums[place_of(i)] += weights_[i] * rest_of(i);
      weights[place_of(i)] += weights_[i];
    }
    for (std::size_t e = 0; e < effects.size(); ++e)
      if (weights[e] > 0) effects[e] = sums[e] / weights[e];
  };
  const auto arm_of = [&](std::size_t i) { return times_[i].arm; };
  const auto block_of = [&](std::size_t i) { return block_of_[i]; };
  const auto at_first = blocks_;
  for (int round = 0; round < most_rounds; ++round) {
    means(arms_, arm_of, [&](std::size_t i) { return logs_[i] - blocks_[block_of_[i]]; });
    const auto before = blocks_;
    means(blocks_, block_of, [&](std::size_t i) { return logs_[i] - arms_[times_[i].arm]; });
    const double centre = mean(blocks_);
    for (double& block : blocks_) block -= centre;
    for (double& arm : arms_) arm += centre;
    if (largest_difference(blocks_, before) < settled / 100) break;
  }
  return largest_difference(blocks_, at_first);
}

/// Huber's variance of M-estimates, with his correction for as many effects as there are here.
void BlockFit::estimate_scatter() {
  const auto n = static_cast<double>(times_.size());
  double squares = 0, inside = 0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    squares += square(weights_[i] * residual(i));
    inside += weights_[i] == 1;
  }
  const double share = inside / n;
  const double correction = 1 + (n - degrees_of_freedom_) / n * (1 - share) / share;
  scatter_ = correction * std::sqrt(squares / degrees_of_freedom_) / share;
}

/// Of the mean of all blocks' effects, beside what launches' scatter makes of them.
double BlockFit::block_variance() const {
  if (blocks_.size() < 2) return 0;
  const auto blocks = static_cast<double>(blocks_.size());
  const double of_launches = square(scatter_) * blocks / static_cast<double>(times_.size());
  return std::max(0.0, square(standard_deviation(blocks_)) - of_launches) / blocks;
}

bool BlockFit::has(std::span<const ArmTerm> terms) const {
  return degrees_of_freedom_ >= 2 && std::ranges::all_of(terms, [&](const ArmTerm& term) {
           return term.arm < arms_.size() &&
                  launches_of_arm_[term.arm] >= minimum_launches_for_interval;
         });
}

bool BlockFit::mixes_speeds(std::span<const ArmTerm> terms) const {
  std::vector<Launches> groups;
  for (const auto& term : terms) {
    auto& group = groups.emplace_back();
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (times_[i].arm == term.arm) group.add(times_[i].block, logs_[i]);
  }
  // Single launches far off do not move the fit.
  return mix_speeds(groups, /*in_blocks=*/true, /*fewest=*/2);
}

Estimate BlockFit::sum_s(std::span<const ArmTerm> terms) const {
  SCALESTUDY_EXPECT(has(terms));
  Estimate estimate;
  estimate.value = 0;
  double variance = 0;
  std::map<std::size_t, double> factors;
  for (const auto& [arm, factor] : terms) factors[arm] += factor;
  for (const auto& [arm, factor] : factors) {
    const double time_s = factor * time_of_arm_s(arm);
    estimate.value += time_s;
    variance += square(time_s * scatter_) / launches_of_arm_[arm];
  }
  if (mixes_speeds(terms)) {
    estimate.method = IntervalMethod::two_speeds;
    return estimate;
  }
  set_t_interval(estimate, std::sqrt(variance), degrees_of_freedom_);
  // Blocks stretch all arms alike, and so the sum.
  add_error(estimate, std::abs(estimate.value) * std::sqrt(block_variance()),
            static_cast<double>(blocks_.size()) - 1);
  return estimate;
}

}  // namespace scalestudy
