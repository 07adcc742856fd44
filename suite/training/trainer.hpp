#pragma once
/// Trains a workload's model with LibTorch: the epoch loop's work, the same for every workload.

#include <c10/core/Device.h>

#include "engine/epoch_loop.hpp"
#include "engine/rank_services.hpp"

#include "training/checkpoint.hpp"
#include "training/training_task.hpp"

namespace scalestudy {

/// `resume_from` is the same on all ranks; null: from the start. Collective. Errors: those of the
/// task and the communicator, after what this rank has measured was written.
[[nodiscard]] TrainingOutcome train(RankServices& services,
                                    const c10::Device& device,
                                    TrainingTask& task,
                                    const Checkpoint* resume_from = nullptr);

}  // namespace scalestudy
