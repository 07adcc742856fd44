#pragma once
/// Starts the processes of one run, watches them, and finds out how it ended.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"

#include "record/run_file/run_record.hpp"

#include "driver/terminal/signals.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {

struct WatchLimits {
  Seconds run_timeout{86400};
  Seconds collective_deadline{60};  ///< of the ranks among themselves
  Seconds no_progress{125};         ///< without a heartbeat of any rank
  Seconds peer_grace{2};         ///< for the other ranks to end by themselves once one has failed
  Seconds stop_grace{5};         ///< from the first signal to SIGKILL
  Seconds checkpoint_grace{60};  ///< instead, where ranks are asked for a checkpoint
};

/// What the slowest rank is doing.
struct WatchedProgress {
  std::int64_t step = -1;
  std::int64_t total_steps = 0;
  std::string phase;
  double elapsed_s = 0;
};

struct RunOutcome {
  RunStatus status = RunStatus::complete;
  std::string reason;
  std::int64_t failed_rank = -1;
  std::string failed_phase;
  ExitCode exit_code = ExitCode::done;  ///< of the rank that failed first
  double launched_unix_s = 0;           ///< time of the first exec
  double launch_wall_time_s = 0;        ///< from then to the last exit
  std::string disturbance;  ///< found when its file is closed: see busy_machine_reason()
  std::vector<std::string> validity_codes;  ///< likewise: see validity_codes_of()
};

/// The part of a watch that varies from run to run.
struct WatchedRun {
  const Launcher& launcher;
  LaunchPlan plan;
  std::filesystem::path folder;
  std::int64_t ranks = 1;
  WatchLimits limits;
};

/// Returns when no process of the run is left. Errors: RunFailed when a process cannot be started
/// (then none is left either).
[[nodiscard]] RunOutcome watch_run(const WatchedRun& run,
                                   SignalQueue& signals,
                                   const std::function<void(const WatchedProgress&)>& on_progress);

/// From the heartbeats in `run_folder`; step −1 before training.
[[nodiscard]] WatchedProgress progress_in(const std::filesystem::path& run_folder,
                                          std::int64_t ranks);

}  // namespace scalestudy
