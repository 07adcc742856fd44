#pragma once
/// What a rank works with; built by the rank program and passed down.

#include <filesystem>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/log.hpp"

#include "study/run_spec.hpp"

#include "comm/communicator.hpp"
#include "record/heartbeat.hpp"
#include "record/run_file.hpp"

#include "engine/phase_timeline.hpp"

namespace scalestudy {

struct RankServices {
  const RunSpec& spec;
  Communicator comm;
  /// Own ones where collectives run beside those of the gradients: none when not needed.
  std::optional<Communicator> batch_norm_comm, input_comm;
  StepClock& clock;  ///< training clock; its zero is the first touch of training data
  RunFileWriter* writer = nullptr;  ///< rank 0 only
  Heartbeat& heartbeat;
  Log& log;
  std::filesystem::path run_folder;

  /// Frees the peers, whatever they are waiting in. Local.
  void abort_all(const std::string& reason, ExitCode exit_code) const noexcept;
};

}  // namespace scalestudy
