#pragma once
/// How the gradients of a step get from rank to rank, bucket by bucket: how long that takes, how
/// much of it computing hides, and what the idle machine could do (METRICS.md#exchange). Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include "record/measures/collective_times.hpp"
#include "record/measures/run_summary.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// One bucket over the steady steps. Times are means over ranks and steps; the first four after the
/// rank's step began.
struct BucketExchange {
  std::int64_t bucket = 0;
  double size_bytes = not_available;  ///< NaN where it differs between steps
  double share = 1;                   ///< of ranks and steps that have it; sums weight with it
  double ready_s = 0;
  double entered_s = 0;
  double all_arrived_s = 0;
  double left_s = 0;
  double exposed_s = 0;                       ///< of the transfer, what no computing hides
  double slowest_transfer_s = not_available;  ///< median over steps of the slowest rank's
  double idle_transfer_s = not_available;     ///< the same of its size in the probe

  [[nodiscard]] double wait_s() const { return all_arrived_s - entered_s; }
  [[nodiscard]] double transfer_s() const { return left_s - all_arrived_s; }
};

/// An all-reduce of the probe by size: median over rounds of the slowest rank's.
struct ProbeTime {
  double size_bytes = 0;
  double transfer_s = 0;
};

/// NaN where the probe has no such size.
[[nodiscard]] double probed_transfer_s(const std::vector<ProbeTime>& probe, double size_bytes);

/// Of one run, or the mean over several with `ranks` ranks. Seconds of a step.
struct Exchange {
  std::int64_t ranks = 1;
  std::size_t launches = 0;
  std::vector<BucketExchange> buckets;  ///< in launch order
  std::vector<ProbeTime> probe;         ///< by size, without the barrier
  double overlap_s = not_available;     ///< from the first entering to the end of the backward pass
  double best_exposed_s = not_available;  ///< NaN without a probe of every size

  [[nodiscard]] double size_bytes() const;
  [[nodiscard]] double wait_s() const;
  [[nodiscard]] double transfer_s() const;
  [[nodiscard]] double exposed_s() const;
  [[nodiscard]] double span_s() const;  ///< from the first bucket's entering to the last's leaving
};

/// Of one run; nothing with one rank, without steady steps or buckets, or where a bucket is not one
/// all-reduce of all ranks.
[[nodiscard]] std::optional<Exchange> exchange_of(const RunRecord& record,
                                                  const SteadyWindow& window);

/// size × bus_factor(all_reduce) ÷ time.
[[nodiscard]] double bus_bytes_per_s(double size_bytes, double time_s, std::int64_t ranks);

/// t = α + β · size through the probe; nothing for fewer than three sizes, with which any line
/// fits.
struct ProbeFit {
  Line line;
  std::vector<double> residuals_frac;  ///< (α + β · size − t) ÷ t, of each size of the probe

  [[nodiscard]] double worst_residual_frac() const;  ///< the largest, whatever its sign
};
[[nodiscard]] std::optional<ProbeFit> probe_fit(const Exchange& exchange);

}  // namespace scalestudy
