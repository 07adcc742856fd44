#pragma once
/// Times of several arms, each launched once in every block, and what their differences are worth:
/// a two-way fit, time = arm × block × scatter, that launches far off do not move
/// (METRICS.md#block-fit). Pure.

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// A launch of an arm; arms are numbered from 0.
struct BlockedTime {
  std::size_t arm = 0;
  std::int64_t block = 0;
  double time_s = 0;
};

/// An arm's mean time, so many times.
struct ArmTerm {
  std::size_t arm = 0;
  double factor = 1;
};

/// Huber's M-estimate on logarithms, the scatter pooled over all arms and blocks (Huber 1981,
/// Robust Statistics, chapter 7).
class BlockFit {
 public:
  /// Times that are not finite and positive are left out.
  explicit BlockFit(std::vector<BlockedTime> times);

  /// Whether each arm that `terms` name has a launch, and enough are left to know the scatter.
  [[nodiscard]] bool has(std::span<const ArmTerm> terms) const;

  /// Of a typical block.
  [[nodiscard]] double time_of_arm_s(std::size_t arm) const { return std::exp(arms_[arm]); }

  /// Σ factor × time of the arm [s], with standard error and interval, which hold what these blocks
  /// are typical of. Contract: has(terms).
  [[nodiscard]] Estimate sum_s(std::span<const ArmTerm> terms) const;

  /// How much each launch counts, 0 to 1, as the times were given without those left out.
  [[nodiscard]] std::span<const double> weights() const { return weights_; }

  /// Standard deviation of a launch beside its arm and block, share of its time.
  [[nodiscard]] double scatter_frac() const { return scatter_; }
  [[nodiscard]] double degrees_of_freedom() const { return degrees_of_freedom_; }

 private:
  void fit_robustly();
  double fit_by_weights();
  void estimate_scatter();
  [[nodiscard]] double residual(std::size_t launch) const;
  [[nodiscard]] double cut_scale() const;
  [[nodiscard]] double block_variance() const;
  [[nodiscard]] bool mixes_speeds(std::span<const ArmTerm> terms) const;

  std::vector<BlockedTime> times_;
  std::vector<std::size_t> block_of_;  ///< by launch, numbered from 0
  std::vector<double> logs_, weights_;
  std::vector<double> arms_, blocks_;  ///< effects on the logarithm; blocks' mean is 0
  std::vector<double> launches_of_arm_;
  double scale_ = 0;  ///< of a launch's scatter; 0: all count fully
  double scatter_ = not_available;
  double degrees_of_freedom_ = 0;
};

}  // namespace scalestudy
