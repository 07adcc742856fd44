#include "engine/run_progress.hpp"

namespace scalestudy {

EpochLayout epoch_layout(const RulePlan& plan) {
  return {plan.global_batch_size, plan.steps_per_epoch, plan.samples_per_epoch,
          plan.epoch_stride_samples};
}

bool is_within_epoch(const RunProgress& progress, const EpochLayout& layout) {
  return progress.steps_done > progress.epochs_done * layout.steps_per_epoch;
}

RunProgress progress_after(std::int64_t epochs, const EpochLayout& layout) {
  RunProgress progress;
  progress.epochs_done = epochs;
  for (; progress.steps_done < epochs * layout.steps_per_epoch; ++progress.steps_done)
    progress.samples_seen += global_count(StepIndex(progress.steps_done), layout);
  return progress;
}

}  // namespace scalestudy
