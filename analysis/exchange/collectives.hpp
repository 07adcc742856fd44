#pragma once
/// What collective operations cost over the runs of a series: METRICS.md#collectives.

#include <cstdint>
#include <span>
#include <vector>

#include "record/measures/collective_times.hpp"

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

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

/// `runs`: of one series and `ranks` ranks. Sizes that not all runs have are those runs' alone.
[[nodiscard]] std::vector<CollectivePoint> collective_points(
    std::span<const std::vector<CollectiveTimesOfRun>* const> runs, std::int64_t ranks);

/// Of operations with at least three sizes in every run.
[[nodiscard]] std::vector<CollectiveFit> collective_fits(
    std::span<const std::vector<CollectiveTimesOfRun>* const> runs,
    std::span<const CollectivePoint> points);

}  // namespace scalestudy
