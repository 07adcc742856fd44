#pragma once
/// Where the time of one launch's steps went, along the rank that decided each of them
/// (METRICS.md#path). Light: the record layer only. Local, pure.

#include <optional>

#include "record/measures/run_summary.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// Means over the steady steps that follow another one of their epoch; seconds. The first six parts
/// add up to step_s.
struct PathStep {
  double step_s = 0;       ///< from last release to last release, without what lies between steps
  double input_s = 0;      ///< the critical rank waited for its batch
  double compute_s = 0;    ///< both passes, and the copy to the device: mean over ranks, without
                           ///< what a rank that is slow in all steps adds to it
  double imbalance_s = 0;  ///< what the critical rank computed longer, and waited inside passes
  double transfer_s = 0;   ///< exposed, and inside passes
  double optimizer_s = 0;  ///< the critical rank's
  double other_s = 0;      ///< what no part explains
  std::int64_t slowest_rank = 0;  ///< in the mean
  double uneven_input_s = 0;      ///< part of input_s: beyond the mean over ranks
  double uneven_optimizer_s = 0;  ///< part of optimizer_s: likewise
  double persistent_s = 0;      ///< part of imbalance_s: the slowest rank's beyond the others' mean
  double slow_queue_s = 0;      ///< part of persistent_s: the same, of run_queue_wait_s
  double run_queue_wait_s = 0;  ///< part of compute_s, mean over ranks: ready, but no core; NaN
                                ///< where the kernel does not tell
};

/// Nothing where no such step has its waiting told from its transfer on all ranks.
[[nodiscard]] std::optional<PathStep> path_step(const StepTable& steps, const SteadyWindow& window);

}  // namespace scalestudy
