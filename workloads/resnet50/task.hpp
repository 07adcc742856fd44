#pragma once
/// ResNet50 as the trainer sees it.

#include <memory>

#include <c10/core/Device.h>

#include "study/run_spec.hpp"

#include "data/shared_pictures.hpp"

#include "training/training_task.hpp"

namespace scalestudy::resnet50 {

/// Lists the pictures, looks for equal ones in training and evaluation, and builds the model
/// (initialised from the spec's seed, the same on every rank). Errors: BadInput for unusable data.
/// Collective with `share`.
[[nodiscard]] std::unique_ptr<TrainingTask> make_task(
    const RunSpec& spec,
    const c10::Device& device,
    const HeartbeatCallback& heartbeat = [] {},
    const ShareOnHost& share = {});

}  // namespace scalestudy::resnet50
