#pragma once
/// What to do when a GPU's memory does not suffice: the batch that would fit, found by trying
/// smaller ones.

#include <cstdint>
#include <functional>

#include <c10/core/Device.h>

#include "study/run_spec.hpp"

#include "training/training_task.hpp"

namespace scalestudy {

/// The most memory in use during a forward and a backward pass, with all that stays from step to
/// step.
struct PassMemory {
  std::int64_t sample_count = 0;
  std::int64_t peak_bytes = 0;
};

/// Samples of the largest batch that should fit, 0 when not even one does: from the smaller pass to
/// the larger one and beyond, memory grows linearly with the samples, and a twentieth of
/// `available_bytes` is left for gaps between tensors.
[[nodiscard]] std::int64_t batch_that_fits(const PassMemory& smaller,
                                           const PassMemory& larger,
                                           std::int64_t available_bytes);

/// Calls `action`. When the memory of a GPU runs out in it, tries passes of 1, 2, 4, … samples:
/// what few of them take is the parameters' rather than their own. Errors: what `action` throws;
/// RunFailed, naming the batch that should fit, in the place of LibTorch's error.
void with_memory_advice(const RunSpec& spec,
                        const c10::Device& device,
                        TrainingTask& task,
                        const std::function<void()>& action);

}  // namespace scalestudy
