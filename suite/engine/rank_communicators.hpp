#pragma once
/// A rank's communicators, one for each purpose, so that each can be slowed, measured or replaced
/// alone and none has to wait for another's order.

#include <memory>
#include <optional>

#include "study/run_spec.hpp"

#include "comm/communicator.hpp"
#include "comm/emulated_link.hpp"
#include "comm/nccl_device.hpp"

#include "engine/compute_stretch.hpp"
#include "engine/inner_collectives.hpp"

namespace scalestudy {

/// A link that is emulated joins all but `control`: what goes over that one is no part of a step.
struct RankCommunicators {
  Communicator control;  ///< between steps: recording, comparing replicas, evaluation
  /// The reduction's alone while a step runs; slow where that is injected. Between GPUs the only
  /// one that is not the host's.
  Communicator gradients;
  /// Synchronised statistics in both passes: counted in `inner`. None when not needed.
  std::optional<Communicator> batch_norm;
  std::optional<Communicator> input;  ///< one producer's batches; none when not needed
  std::shared_ptr<InnerCollectives> inner = std::make_shared<InnerCollectives>();
  std::shared_ptr<ComputeStretch> stretch;  ///< of both passes; none where nothing is injected
  std::shared_ptr<LinkMeter> link;          ///< of the emulated link; none where there is none
  std::shared_ptr<NcclDevice> gpu;          ///< that `gradients` joins with others; null: none
  std::optional<int> gradient_core;         ///< of the thread that carries gradients; none: any
  bool sees_one_gpu = false;                ///< as each of several ranks of a host

  void abort(const std::string& reason, ExitCode exit_code) const noexcept;
};

/// What `spec` needs beside `control`; `gpu`: whose memory holds what travels, null for the host's.
/// Collective. Errors: those of Communicator::duplicate and make_nccl_communicator; BadInput when
/// two ranks have the same GPU.
[[nodiscard]] RankCommunicators make_rank_communicators(const Communicator& control,
                                                        const RunSpec& spec,
                                                        std::shared_ptr<NcclDevice> gpu = nullptr);

}  // namespace scalestudy
