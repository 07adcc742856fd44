#pragma once
/// What collective operations cost, from /collectives: METRICS.md#collectives.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "study/collective_operation.hpp"

#include "record/collective_columns.hpp"

#include "analysis/statistics.hpp"

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

/// The same of all runs with a number of ranks.
struct CollectivePoint {
  std::int64_t ranks = 1;
  CollectiveOperation operation = CollectiveOperation::barrier;
  std::int64_t size_bytes = 0;
  std::int64_t calls = 0;        ///< of all runs
  Estimate time_s;               ///< of the runs' medians: geometric mean, t interval on logarithms
  double p99_s = not_available;  ///< median of the runs'; NaN where one has none
  double max_s = not_available;  ///< of all calls
  bool is_checked = true;

  [[nodiscard]] double algorithm_bytes_per_s() const;
  [[nodiscard]] double bus_bytes_per_s() const;
};

/// t = α + β · size, fitted to each run's medians with the squared relative error as weight.
struct CollectiveFit {
  std::int64_t ranks = 1;
  CollectiveOperation operation = CollectiveOperation::barrier;
  std::int64_t sizes = 0;
  Estimate alpha_s;                            ///< over runs as time_s
  Estimate beta_s_per_byte;                    ///< likewise
  double worst_residual_frac = not_available;  ///< of any size, |α + β · size − t| ÷ t
};

/// A line through these points, by least squares of relative errors, neither part below 0.
struct Line {
  double alpha_s = not_available;
  double beta_s_per_byte = not_available;
};
/// `sizes_bytes` and `times_s` > 0, as many. Contract: at least two sizes.
[[nodiscard]] Line fitted_line(std::span<const double> sizes_bytes,
                               std::span<const double> times_s);

/// `runs`: of one series and `ranks` ranks. Sizes that not all runs have are those runs' alone.
[[nodiscard]] std::vector<CollectivePoint> collective_points(
    std::span<const std::vector<CollectiveTimesOfRun>* const> runs, std::int64_t ranks);

/// Of operations with at least three sizes in every run.
[[nodiscard]] std::vector<CollectiveFit> collective_fits(
    std::span<const std::vector<CollectiveTimesOfRun>* const> runs,
    std::span<const CollectivePoint> points);

}  // namespace scalestudy
