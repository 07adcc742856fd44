#pragma once
/// What a rank works with; built by the rank program and passed down.

#include <exception>
#include <filesystem>
#include <string>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"

#include "study/run_spec.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/heartbeat.hpp"

#include "engine/checkpoint_request.hpp"
#include "engine/host_monitors.hpp"
#include "engine/part_times.hpp"
#include "engine/phase_timeline.hpp"
#include "engine/rank_communicators.hpp"

namespace scalestudy {

/// What the driver and the peers are told of a rank that ends by an error.
struct Failure {
  std::string message;
  ExitCode exit_code = ExitCode::internal;
};

/// Of one of our own errors, of std::bad_alloc (the run does not fit), or of a bug.
[[nodiscard]] Failure failure_of(const std::exception& error);

struct RankServices {
  const RunSpec& spec;
  RankCommunicators comms;
  StepClock& clock;  ///< training clock; its zero is the first touch of training data
  RunFileWriter* writer = nullptr;  ///< rank 0 only
  Heartbeat& heartbeat;
  Log& log;
  std::filesystem::path run_folder;
  PendingRequest* request = nullptr;  ///< null: nobody can ask for a checkpoint
  HostMonitors* monitors = nullptr;   ///< null: nobody looks at the machine
  PartTimes parts = {};               ///< filled in on the way
  Stopwatch since_loaded = {};        ///< since the data are there

  /// Tells the driver and frees the peers, whatever they are waiting in. Local; with MPI the
  /// process ends here.
  void announce(const Failure& failure) const noexcept {
    heartbeat.set_error(failure.message);
    comms.abort(failure.message, failure.exit_code);
  }
};

}  // namespace scalestudy
