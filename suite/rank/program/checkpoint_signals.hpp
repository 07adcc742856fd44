#pragma once
/// Signals of this process as requests for checkpoints. One object at a time.

#include <array>

#include <signal.h>  // struct sigaction is POSIX, not in <csignal>

#include "engine/checkpoint_request.hpp"

namespace scalestudy {

/// While it lives, checkpoint_signal asks for a checkpoint; SIGTERM and checkpoint_and_end_signal
/// ask for one and the end. When no steps are at work, and when the same one comes once more, the
/// latter two end the process at once, as they would without this.
class CheckpointSignals {
 public:
  CheckpointSignals();
  ~CheckpointSignals();
  CheckpointSignals(const CheckpointSignals&) = delete;
  CheckpointSignals& operator=(const CheckpointSignals&) = delete;

  [[nodiscard]] static PendingRequest& request();

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace scalestudy
