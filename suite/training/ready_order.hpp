#pragma once
/// In which order gradients become ready: buckets are filled in it.

#include <cstddef>
#include <vector>

#include "training/flat_parameters.hpp"
#include "training/training_task.hpp"

namespace scalestudy {

/// Runs both passes of the first step's batch, as training does, to see it; rank 0's order holds
/// for all. Parameters and batch norm statistics are as before afterwards. Collective. Errors:
/// InternalError when a parameter got no gradient, or two.
[[nodiscard]] std::vector<std::size_t> observe_ready_order(const Communicator& comm,
                                                           TrainingTask& task,
                                                           GradientHooks& hooks,
                                                           const EpochLayout& layout,
                                                           Precision precision);

}  // namespace scalestudy
