#pragma once
/// What collective operations cost in one run, from /collectives: METRICS.md#collectives.

#include <cstdint>
#include <span>
#include <vector>

#include "core/statistics.hpp"

#include "study/collective_operation.hpp"

#include "record/run_file/collective_columns.hpp"

namespace scalestudy {

/// A 99th percentile of fewer calls is their maximum.
inline constexpr std::int64_t fewest_calls_for_p99 = 100;

/// One operation of one size in one run. A call takes from the last rank's entering until the last
/// one leaves.
struct CollectiveTimesOfRun {
  CollectiveOperation operation = CollectiveOperation::barrier;
  std::int64_t size_bytes = 0;
  std::int64_t calls = 0;
  double median_s = not_available;
  double p99_s = not_available;  ///< NaN for fewer than fewest_calls_for_p99
  double max_s = not_available;
  bool is_checked = true;  ///< all of them
};

/// By operation and size. Calls that not all of `ranks` recorded, and operations of a newer
/// version, are left out. Local, pure.
[[nodiscard]] std::vector<CollectiveTimesOfRun> collective_times(
    std::span<const CollectiveRow> rows, std::int64_t ranks);

/// What bus bandwidth is made of: what the slowest link must carry, as a share of the size
/// (nccl-tests, doc/PERFORMANCE.md). NaN where nothing is carried: with one rank, for a barrier.
[[nodiscard]] double bus_factor(CollectiveOperation operation, std::int64_t ranks);

/// A line through these points, by least squares of relative errors, neither part below 0.
struct Line {
  double alpha_s = not_available;
  double beta_s_per_byte = not_available;
};
/// `sizes_bytes` and `times_s` > 0, as many. Contract: at least two sizes.
[[nodiscard]] Line fitted_line(std::span<const double> sizes_bytes,
                               std::span<const double> times_s);

}  // namespace scalestudy
