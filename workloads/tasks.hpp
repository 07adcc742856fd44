#pragma once
/// The training tasks of all workloads (generated at configure time, like the catalogue).

#include <memory>

#include <c10/core/Device.h>

#include "study/run_spec.hpp"

#include "data/shared_pictures.hpp"

#include "training/training_task.hpp"

namespace scalestudy {

/// `heartbeat` is called while data are read; with `share` the ranks of a host decode pictures
/// together, and this is collective. Errors: BadInput for a workload that does not train; those of
/// the workload's make_task.
[[nodiscard]] std::unique_ptr<TrainingTask> make_training_task(const RunSpec& spec,
                                                               const c10::Device& device,
                                                               const HeartbeatCallback& heartbeat,
                                                               const ShareOnHost& share = {});

}  // namespace scalestudy
