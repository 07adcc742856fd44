#pragma once
/// Where a run is in its plan.

#include <cstdint>
#include <limits>
#include <vector>

#include "study/run_spec.hpp"

#include "data/sampling.hpp"

namespace scalestudy {

/// A mean of losses in the making.
struct LossMean {
  double sum = 0;
  double weight = 0;
};

/// How far a run is: what the loop carries from step to step, and a checkpoint keeps of it.
struct RunProgress {
  std::int64_t epochs_done = 0;
  std::int64_t steps_done = 0;
  std::int64_t samples_seen = 0;  ///< by all ranks
  double best_validation_loss = std::numeric_limits<double>::infinity();
  std::vector<double> schedule_state;  ///< empty: as the schedule begins
  // Of the steps of an epoch that is not over.
  LossMean epoch_loss;  ///< this rank's
  double epoch_s = 0;   ///< what they took
};

/// Whether steps of an epoch are done that is not over.
[[nodiscard]] bool is_within_epoch(const RunProgress& progress, const EpochLayout& layout);

/// Whether a multiple of `every` lies in (before, now]; 0 has none.
[[nodiscard]] constexpr bool passes_multiple(std::int64_t every,
                                             std::int64_t before,
                                             std::int64_t now) {
  return every > 0 && now / every > before / every;
}

/// At the end of `epochs` epochs, on whatever number of ranks they were trained.
[[nodiscard]] RunProgress progress_after(std::int64_t epochs, const EpochLayout& layout);

/// As the run's plan has it.
[[nodiscard]] EpochLayout epoch_layout(const RulePlan& plan);

}  // namespace scalestudy
