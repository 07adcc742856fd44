#pragma once
/// Is the loss curve of N ranks smoother than that of one, beyond what averaging predicts?

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// Smoothness that surely lies this near to a prediction is said to be as predicted.
inline constexpr double smoothness_margin_frac = 0.10;

/// Ratios N ÷ 1: below 1 is smoother. METRICS.md#smoothness.
struct Smoothness {
  std::int64_t ranks = 1;
  double weight_ratio = not_available;  ///< k: loss weight averaged per step, N ÷ 1
  /// What averaging over k times the samples would make of the one-rank runs' own losses: sampling
  /// noise and nothing else. Geometric mean over these runs; NaN where it is not defined.
  double predicted_per_step = not_available;
  std::string_view why_not_predicted;  ///< in words, where it is NaN; else ""
  double roughness = not_available;    ///< geometric mean over launches, per step
  double roughness_equal_samples = not_available;
  Estimate per_step;
  Estimate equal_samples;           ///< predicted: 1
  std::int64_t window_samples = 1;  ///< samples per point of `equal_samples`
  bool is_invented = false;         ///< a replay's losses: nothing is to be said of them
};

/// As many samples per point of a loss curve as the largest global batch of the series has, so that
/// the points of all numbers of ranks are of equally many.
[[nodiscard]] std::int64_t smoothness_window_samples(const Series& series);

[[nodiscard]] std::vector<Smoothness> smoothness_by_ranks(const Series& series);

}  // namespace scalestudy
