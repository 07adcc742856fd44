#pragma once
/// One rank of one run: epochs of steps, and between them evaluation, learning-rate schedule,
/// replica check and recording. The same for every workload.

#include <filesystem>
#include <optional>
#include <string>

#include <c10/core/Device.h>

#include "core/log.hpp"

#include "study/run_spec.hpp"

#include "comm/communicator.hpp"
#include "record/heartbeat.hpp"
#include "record/run_file.hpp"

#include "engine/phase_timeline.hpp"

#include "training/checkpoint.hpp"
#include "training/training_task.hpp"

namespace scalestudy {

/// What a rank works with; built in main() and passed down.
struct RankServices {
  const RunSpec& spec;
  Communicator comm;
  /// Own ones where collectives run beside those of the gradients: none when not needed.
  std::optional<Communicator> batch_norm_comm, input_comm;
  c10::Device device;
  StepClock& clock;  ///< training clock; its zero is the first touch of training data
  RunFileWriter* writer = nullptr;  ///< rank 0 only
  Heartbeat& heartbeat;
  Log& log;
  std::filesystem::path run_folder;
  const Checkpoint* resume_from = nullptr;  ///< the same on all ranks; null: from the start

  /// Frees the peers, whatever they are waiting in. Local.
  void abort_all(const std::string& reason, ExitCode exit_code) const noexcept;
};

struct TrainingOutcome {
  bool diverged = false;
  std::string reason;        ///< in words, when diverged
  double clock_start_s = 0;  ///< training clock's zero on the steady clock
};

/// Collective. Errors: those of the task and the communicator, after what this rank has measured
/// was written.
[[nodiscard]] TrainingOutcome train(RankServices& services, TrainingTask& task);

}  // namespace scalestudy
