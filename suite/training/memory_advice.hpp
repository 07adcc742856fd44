#pragma once
/// What to do when a GPU's memory does not suffice: the batch that would fit, found by trying two
/// small ones.

#include <cstdint>
#include <functional>

#include <c10/core/Device.h>

#include "study/run_spec.hpp"

#include "training/training_task.hpp"

namespace scalestudy {

/// Memory that a forward and a backward pass take beside what stays from step to step.
struct StepMemory {
  std::int64_t one_sample_bytes = 0;
  std::int64_t two_samples_bytes = 0;
  std::int64_t available_bytes = 0;
};

/// Samples of the largest batch that should fit, 0 when not even one does: what a pass takes grows
/// linearly with its samples, and a twentieth is left for gaps between tensors.
[[nodiscard]] std::int64_t batch_that_fits(const StepMemory& memory);

/// Calls `action`. When the memory of a GPU runs out in it, tries passes of one and two samples.
/// Errors: what `action` throws; RunFailed, naming the batch that should fit, in the place of
/// LibTorch's error.
void with_memory_advice(const RunSpec& spec,
                        const c10::Device& device,
                        TrainingTask& task,
                        const std::function<void()>& action);

}  // namespace scalestudy
