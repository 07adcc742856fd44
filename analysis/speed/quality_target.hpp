#pragma once
/// What it took to reach the quality that a study declares: time and samples, of a run that never
/// reached it only that it took more than it had.

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/speed/speedup.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// Of one run: at the end of the first evaluation of weights at work that reached the target, or at
/// its end.
struct ReachedTarget {
  bool reached = false;
  double time_s = not_available;   ///< training clock, as training_time_s; NaN for resumed runs
  double samples = not_available;  ///< of all ranks
};

/// Errors: none; nothing without a target.
[[nodiscard]] std::optional<ReachedTarget> reached_target(const Run& run, const QualityGoal& goal);

/// One rank count.
struct TargetPoint {
  std::int64_t ranks = 1;
  std::size_t runs = 0;
  std::size_t reached = 0;
  double time_s = not_available;  ///< geometric means over runs, all of which reached it
  double samples = not_available;
  /// Of the time to it; `fixed_cost` is all that is no steady training. Where not all runs of both
  /// reached it: the throughput alone.
  Factorisation factors;
  Estimate sample_ratio;  ///< N ÷ 1, how many more samples; only where all runs of both reached it
  /// Where only runs of N, or only of one rank, did not all reach it: total and statistical factor
  /// with what those had instead, which the true ones lie beyond: below for the former, above for
  /// the latter.
  double speedup_bound = not_available;
  double statistical_bound = not_available;

  [[nodiscard]] bool all_reached() const { return reached == runs && reached > 0; }
};

/// Empty without a target, for control arms, and where the metric is not measured while training.
[[nodiscard]] std::vector<TargetPoint> target_by_ranks(const Series& series);

}  // namespace scalestudy
