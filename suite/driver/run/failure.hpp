#pragma once
/// Which rank failed first, and of what: deduced from how the processes ended and what the ranks'
/// heartbeats said last. Pure, so that every case can be tested.

#include <optional>
#include <vector>

#include "core/process.hpp"

#include "record/study_folder/heartbeat.hpp"

#include "driver/run/watch.hpp"

namespace scalestudy {

/// One process of the launch plan after its end.
struct EndedProcess {
  std::string name;
  std::filesystem::path log_file;
  ProcessEnd end;
  int order = 0;          ///< poll in which the end was seen; equal: at the same time
  bool stopped = false;   ///< it ended only because the driver stopped it
  std::string last_line;  ///< of its log
};

/// Why the driver stopped the run, if it did.
enum class StopCause { none, peer_failed, run_timeout, no_progress, interrupted };

struct Evidence {
  std::vector<EndedProcess> processes;
  std::vector<std::optional<HeartbeatState>> heartbeats;  ///< by rank
  std::optional<RankFailure> told_by_launcher;            ///< when one process started all ranks
  bool one_process_per_rank = true;
  StopCause cause = StopCause::none;
  WatchLimits limits;
};

/// Asked by a signal, a rank ends so, with a checkpoint where it can; mpirun, too.
[[nodiscard]] bool is_left_on_request(const ProcessEnd& end);

/// Everything of the outcome but the wall time.
[[nodiscard]] RunOutcome deduce_outcome(const Evidence& evidence);

}  // namespace scalestudy
