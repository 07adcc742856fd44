#pragma once
/// How far one run's records of its steps add up, and what making them cost
/// (METRICS.md#step-checks).

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/statistics.hpp"

#include "record/measures/run_summary.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

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

/// Of one run: how long all-reduces of one step's buckets take one after the other while nobody
/// computes [s]: the sum over the buckets of the median transfer of their size in the probe. NaN
/// without a probe.
[[nodiscard]] double idle_exchange_s(const RunRecord& record);

/// What recording cost one run, as share of its steady steps' time. NaN where it was not recorded.
[[nodiscard]] double recording_frac(const RunRecord& record, const SteadyWindow& window);

}  // namespace scalestudy
