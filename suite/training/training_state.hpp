#pragma once
/// Between a training at work and its checkpoint.

#include <c10/core/Device.h>

#include "study/run_spec.hpp"

#include "comm/communicator.hpp"

#include "training/checkpoint.hpp"
#include "training/flat_parameters.hpp"
#include "training/owned_update.hpp"
#include "training/precision.hpp"

namespace scalestudy {

/// The parts that remember something; all outlive this.
struct TrainingState {
  const RunSpec& spec;
  const Communicator& comm;
  c10::Device device;
  torch::nn::Module& model;
  FlatParameters& parameters;
  OwnedUpdate& update;
  LossScaler& scaler;
};

/// Collective; only rank 0's result is whole. Its tensors are those at work, not copies. `progress`
/// is this rank's. Best weights are left to the caller.
[[nodiscard]] Checkpoint capture(TrainingState& state, const RunProgress& progress);

/// Local. The checkpoint may come from any number of ranks and any order of buckets. A rank that
/// the checkpoint's run did not have takes the random state of rank mod their number. Within an
/// epoch, however, only from as many ranks. Returns where this rank goes on. Errors: BadInput
/// naming `origin` when it is of another model or optimiser, or within an epoch of other ranks.
[[nodiscard]] RunProgress restore(const Checkpoint& checkpoint,
                                  TrainingState& state,
                                  const std::string& origin);

}  // namespace scalestudy
