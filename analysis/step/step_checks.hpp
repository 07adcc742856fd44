#pragma once
/// How far the records of steps can be believed: whether they add up, whether they need a common
/// clock to do so, and what making them cost (METRICS.md#step-checks).

#include <cstdint>
#include <span>
#include <vector>

#include "record/measures/checked_steps.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// Of a quantity per step, as share of the step.
struct ShareOfStep {
  double median_frac = not_available;
  double p99_frac = not_available;  ///< 99th percentile
};

/// One number a run.
struct RangeOverRuns {
  double median = not_available;
  double min = not_available;
  double max = not_available;
};

/// Over the steady steps of all runs with `ranks` ranks.
struct StepCheck {
  std::int64_t ranks = 1;
  std::size_t launches = 0;
  std::size_t steps = 0;   ///< that were put together from the critical rank's parts
  ShareOfStep remainder;   ///< |step − parts|
  ShareOfStep clock_free;  ///< |ready by each rank's own clock − by the common clock|
  double same_rank_frac = not_available;  ///< of the steps: both clocks name the same rank
  ShareOfStep spread;  ///< between the ranks' releases, which should come together
  std::int64_t often_critical_rank = 0;        ///< the rank that most often decides
  double often_critical_frac = not_available;  ///< of the steps
  bool is_persistent = false;     ///< that rank decides more often than one of equal ranks would
  RangeOverRuns idle_exchange_s;  ///< unknown with one rank
  double recording_frac = not_available;  ///< cost of recording ÷ time of the steps
};

/// Of runs with as many ranks. Contract: at least one of them has such a step.
[[nodiscard]] StepCheck step_check(std::int64_t ranks, std::span<const CheckedSteps* const> runs);

/// Without the rank counts of which no run recorded waiting apart from transfer, or in which no
/// rank waits for another's gradients.
[[nodiscard]] std::vector<StepCheck> step_checks(const Series& series);

}  // namespace scalestudy
