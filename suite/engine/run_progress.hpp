#pragma once
/// Where a run is in its plan.

#include <cstdint>
#include <limits>
#include <vector>

#include "study/run_spec.hpp"

#include "data/sampling.hpp"

namespace scalestudy {

/// How far a run is: what the loop carries from epoch to epoch, and a checkpoint keeps of it.
struct RunProgress {
  std::int64_t epochs_done = 0;
  std::int64_t steps_done = 0;
  std::int64_t samples_seen = 0;  ///< by all ranks
  double best_validation_loss = std::numeric_limits<double>::infinity();
  std::vector<double> schedule_state;  ///< empty: as the schedule begins
};

/// At the end of `epochs` epochs, on whatever number of ranks they were trained.
[[nodiscard]] RunProgress progress_after(std::int64_t epochs, const EpochLayout& layout);

/// As the run's plan has it.
[[nodiscard]] EpochLayout epoch_layout(const RulePlan& plan);

}  // namespace scalestudy
