#pragma once
/// What a rank works with; built by the rank program and passed down.

#include <exception>
#include <filesystem>
#include <initializer_list>
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

/// What the driver and the peers are told of a rank that ends by an error.
struct Failure {
  std::string message;
  ExitCode exit_code = ExitCode::internal;
};

/// Of one of our own errors, of std::bad_alloc (the run does not fit), or of a bug.
[[nodiscard]] Failure failure_of(const std::exception& error);

/// Tells the driver and frees the peers, whatever they are waiting in. Local; with MPI the process
/// ends here. Communicators in the order in which they are freed; not all may be there.
void announce(const Failure& failure,
              Heartbeat& heartbeat,
              std::initializer_list<std::optional<Communicator>> comms) noexcept;

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

  void announce(const Failure& failure) const noexcept {
    scalestudy::announce(failure, heartbeat, {batch_norm_comm, input_comm, comm});
  }
};

}  // namespace scalestudy
