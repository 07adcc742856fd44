#pragma once
/// How far the records of steps can be believed: whether they add up, whether they need a common
/// clock to do so, and what making them cost (METRICS.md#step-checks).

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analysis/run_summary.hpp"
#include "analysis/statistics.hpp"

namespace scalestudy {

struct Series;

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

/// The steady steps of one run that could be put together from the critical rank's parts. The first
/// three have a value for each of them, a share of the step as in StepCheck.
struct CheckedSteps {
  std::vector<double> remainder_frac, clock_free_frac, spread_frac;
  std::map<std::int64_t, std::size_t> critical_count;  ///< by rank
  std::size_t same_rank_count = 0;                     ///< how often both clocks name the same rank
  double idle_exchange_s = not_available;
  double recording_frac = not_available;
};
[[nodiscard]] CheckedSteps checked_steps(const RunRecord& record, const SteadyWindow& window);

/// Of runs with as many ranks. Contract: at least one of them has such a step.
[[nodiscard]] StepCheck step_check(std::int64_t ranks, std::span<const CheckedSteps* const> runs);

/// Without the rank counts of which no run recorded waiting apart from transfer, or in which no
/// rank waits for another's gradients.
[[nodiscard]] std::vector<StepCheck> step_checks(const Series& series);

/// Of one run: how long all-reduces of one step's buckets take one after the other while nobody
/// computes [s]: the sum over the buckets of the median transfer of their size in the probe. NaN
/// without a probe.
[[nodiscard]] double idle_exchange_s(const RunRecord& record);

/// What recording cost one run, as share of its steady steps' time. NaN where it was not recorded.
[[nodiscard]] double recording_frac(const RunRecord& record, const SteadyWindow& window);

}  // namespace scalestudy
