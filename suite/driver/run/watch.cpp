#include "driver/run/watch.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "core/file_content.hpp"
#include "core/rank_signals.hpp"
#include "core/text.hpp"

#include "record/study_folder/heartbeat.hpp"

#include "driver/run/failure.hpp"
#include "driver/run/log_limit.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t last_line_bytes = 1024;
constexpr std::int64_t log_end_bytes = std::int64_t{1} << 20;  // says who failed, if anything does
constexpr Seconds poll_interval{0.2};  // an ended child wakes the loop at once anyway

std::vector<std::optional<HeartbeatState>> heartbeats_in(const std::filesystem::path& folder,
                                                         std::int64_t ranks) {
  std::vector<std::optional<HeartbeatState>> states;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    states.push_back(read_heartbeat(heartbeat_file(folder, rank)));
  }
  return states;
}

double latest_beat_s(const std::vector<std::optional<HeartbeatState>>& heartbeats) {
  double latest_s = 0;
  for (const auto& state : heartbeats) {
    if (state) latest_s = std::max(latest_s, state->time_s);
  }
  return latest_s;
}

WatchedProgress slowest_of(const std::vector<std::optional<HeartbeatState>>& heartbeats) {
  WatchedProgress progress;
  bool first = true;
  for (const auto& state : heartbeats) {
    if (!state) return {-1, progress.total_steps, "starting", 0};
    progress.total_steps = std::max(progress.total_steps, state->total_steps);
    if (!first && state->step >= progress.step) continue;
    progress.step = state->step;
    progress.phase = state->phase;
    first = false;
  }
  return progress;
}

/// The processes of one run, from start to the last exit.
class ProcessGroup {
 public:
  explicit ProcessGroup(const LaunchPlan& plan) {
    for (const auto& process : plan.processes) {
      children_.emplace_back(process);
      ended_.push_back({process.name, process.log_file, {}, -1, false});
    }
  }

  /// Takes note of children that have ended since the last call.
  void poll() {
    ++polls_;
    for (std::size_t i = 0; i < children_.size(); ++i) {
      if (ended_[i].order >= 0) continue;
      const auto& end = children_[i].poll();
      if (!end) continue;
      ended_[i].end = *end;
      ended_[i].order = polls_;
      ended_[i].stopped = stopping_;
    }
  }

  [[nodiscard]] bool any_left() const {
    return std::any_of(ended_.begin(), ended_.end(), [](const auto& e) { return e.order < 0; });
  }

  /// Those that were asked to end do not fail: their peers end, too, each in its time.
  [[nodiscard]] bool any_failed() const {
    return std::any_of(ended_.begin(), ended_.end(), [](const auto& e) {
      return e.order >= 0 && !e.end.is_success() && !is_left_on_request(e.end);
    });
  }

  /// Sends `signal`, and SIGKILL after the grace time or at a further interruption.
  void stop(int signal, SignalQueue& signals, Seconds grace) {
    poll();  // what has ended by now has ended by itself
    stopping_ = true;
    const Stopwatch since;
    const int interruptions = signals.interruptions();
    signal_all(signal);
    signal_all(SIGCONT);  // one that is stopped heeds no other
    while (any_left()) {
      const bool impatient = signals.interruptions() > interruptions;
      if (impatient || since.elapsed_s() > grace.count()) signal_all(SIGKILL);
      signals.wait(Seconds(0.05));
      poll();
    }
  }

  [[nodiscard]] const std::vector<EndedProcess>& ended() const { return ended_; }

 private:
  void signal_all(int signal) {
    for (auto& child : children_) child.signal_group(signal);
  }

  std::vector<ChildProcess> children_;
  std::vector<EndedProcess> ended_;
  int polls_ = 0;
  bool stopping_ = false;
};

/// Ranks that train on may leave a checkpoint. Those that cannot any more, because one of them is
/// gone or hangs, end at once; they heed SIGTERM, but not SIGINT.
int stop_signal(StopCause cause) {
  return cause == StopCause::interrupted ? checkpoint_and_end_signal : SIGINT;
}

/// A checkpoint comes after the step and the records at work; a further interruption is quicker.
Seconds grace(StopCause cause, const WatchLimits& limits) {
  return cause == StopCause::interrupted ? limits.checkpoint_grace : limits.stop_grace;
}

LogLimit log_limit_of(const LaunchPlan& plan) {
  std::vector<std::filesystem::path> logs;
  for (const auto& process : plan.processes) logs.push_back(process.log_file);
  return LogLimit(logs);
}

/// Decides when a run has to be stopped.
class StopRule {
 public:
  explicit StopRule(const WatchLimits& limits) : limits_(limits) {}

  [[nodiscard]] StopCause cause(const SignalQueue& signals, bool any_failed, double last_beat_s) {
    if (signals.interruptions() > 0) return StopCause::interrupted;
    const double time_s = now_s();
    if (any_failed && first_failure_s_ == 0) first_failure_s_ = time_s;
    if (any_failed && time_s - first_failure_s_ > limits_.peer_grace.count()) {
      return StopCause::peer_failed;
    }
    if (time_s - start_s_ > limits_.run_timeout.count()) return StopCause::run_timeout;
    const double last_sign_s = std::max(start_s_, last_beat_s);
    if (time_s - last_sign_s > limits_.no_progress.count()) return StopCause::no_progress;
    return StopCause::none;
  }

 private:
  WatchLimits limits_;
  double start_s_ = now_s();
  double first_failure_s_ = 0;
};

}  // namespace

WatchedProgress progress_in(const std::filesystem::path& run_folder, std::int64_t ranks) {
  return slowest_of(heartbeats_in(run_folder, ranks));
}

RunOutcome watch_run(const WatchedRun& run,
                     SignalQueue& signals,
                     const std::function<void(const WatchedProgress&)>& on_progress) {
  const double launched_unix_s = unix_time_s();
  const Stopwatch wall;
  ProcessGroup group(run.plan);
  LogLimit log_limit = log_limit_of(run.plan);
  StopRule rule(run.limits);
  Evidence evidence;
  double launch_wall_time_s = 0;
  while (group.any_left()) {
    signals.wait(poll_interval);
    group.poll();
    launch_wall_time_s = wall.elapsed_s();
    log_limit.apply();
    const auto heartbeats = heartbeats_in(run.folder, run.ranks);
    evidence.cause = rule.cause(signals, group.any_failed(), latest_beat_s(heartbeats));
    if (evidence.cause != StopCause::none) {
      group.stop(stop_signal(evidence.cause), signals, grace(evidence.cause, run.limits));
      launch_wall_time_s = wall.elapsed_s();
    }
    auto progress = slowest_of(heartbeats);
    progress.elapsed_s = wall.elapsed_s();
    on_progress(progress);
  }
  log_limit.apply();
  evidence.processes = group.ended();
  for (auto& process : evidence.processes)
    process.last_line = last_line_of(end_of_file(process.log_file, last_line_bytes));
  evidence.heartbeats = heartbeats_in(run.folder, run.ranks);
  evidence.one_process_per_rank = run.plan.one_process_per_rank;
  evidence.limits = run.limits;
  if (!evidence.one_process_per_rank) {
    evidence.told_by_launcher = run.launcher.failure_in_log(
        end_of_file(run.plan.processes.front().log_file, log_end_bytes));
  }
  auto outcome = deduce_outcome(evidence);
  outcome.launched_unix_s = launched_unix_s;
  outcome.launch_wall_time_s = launch_wall_time_s;
  return outcome;
}

}  // namespace scalestudy
