#include "driver/run/failure.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/text.hpp"

namespace scalestudy {
namespace {

const HeartbeatState* heartbeat_of(const Evidence& evidence, std::int64_t rank) {
  const auto index = static_cast<std::size_t>(rank);
  if (rank < 0 || index >= evidence.heartbeats.size()) return nullptr;
  const auto& heartbeat = evidence.heartbeats[index];
  return heartbeat ? &*heartbeat : nullptr;
}

std::string where(const HeartbeatState* heartbeat) {
  if (heartbeat == nullptr) return " before its first sign of life";
  auto text = cat(" in phase '", heartbeat->phase, "'");
  if (heartbeat->step >= 0) text += cat(" of step ", heartbeat->step);
  return text;
}

/// The rank with the oldest heartbeat; one without any is older than all.
std::int64_t most_silent_rank(const Evidence& evidence) {
  const auto& heartbeats = evidence.heartbeats;
  const auto time_s = [](const auto& heartbeat) { return heartbeat ? heartbeat->time_s : -1; };
  return std::ranges::min_element(heartbeats, {}, time_s) - heartbeats.begin();
}

/// Rank whose error is the earliest, or −1.
std::int64_t first_rank_with_error(const Evidence& evidence) {
  std::int64_t rank = -1;
  double earliest_s = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < evidence.heartbeats.size(); ++i) {
    const auto& heartbeat = evidence.heartbeats[i];
    if (!heartbeat || heartbeat->error.empty() || heartbeat->time_s >= earliest_s) continue;
    earliest_s = heartbeat->time_s;
    rank = static_cast<std::int64_t>(i);
  }
  return rank;
}

/// The process whose failure came first; of those seen at the same time a killed one is the cause
/// and the others, which missed it, are the consequence. −1 when none failed by itself.
std::int64_t first_failed_process(const Evidence& evidence) {
  std::int64_t first = -1;
  const auto rank_of_cause = [](const EndedProcess& process) {
    return std::pair(process.order, process.end.by_signal ? 0 : 1);
  };
  for (std::size_t i = 0; i < evidence.processes.size(); ++i) {
    const auto& process = evidence.processes[i];
    if (process.stopped || process.end.is_success()) continue;
    const auto best = static_cast<std::size_t>(first);
    if (first >= 0 && rank_of_cause(process) >= rank_of_cause(evidence.processes[best])) continue;
    first = static_cast<std::int64_t>(i);
  }
  return first;
}

/// A rank that had to be stopped and had been silent for much longer than the one that gave up on
/// it: the real cause of a deadline error. −1 when there is none.
std::int64_t silent_peer_of(const Evidence& evidence, std::int64_t failed_rank) {
  const auto* failed = heartbeat_of(evidence, failed_rank);
  if (failed == nullptr) return -1;
  const auto silent = most_silent_rank(evidence);
  const auto& process = evidence.processes[static_cast<std::size_t>(silent)];
  const auto* heartbeat = heartbeat_of(evidence, silent);
  const double silent_since_s = heartbeat == nullptr ? 0 : heartbeat->time_s;
  const double threshold_s = evidence.limits.collective_deadline.count() / 2;
  const bool much_longer = failed->time_s - silent_since_s > threshold_s;
  return process.stopped && silent != failed_rank && much_longer ? silent : -1;
}

ExitCode exit_code_of(const ProcessEnd& end) {
  if (end.by_signal) return ExitCode::run_failed;
  const auto code = static_cast<ExitCode>(end.number);
  return code == ExitCode::bad_input || code == ExitCode::unavailable ? code : ExitCode::run_failed;
}

void blame(const Evidence& evidence,
           std::int64_t rank,
           const std::string& how,
           RunOutcome& outcome) {
  const auto* heartbeat = heartbeat_of(evidence, rank);
  outcome.failed_rank = rank;
  if (heartbeat != nullptr) outcome.failed_phase = heartbeat->phase;
  outcome.reason = cat("rank ", rank, " ", how, where(heartbeat));
  if (heartbeat != nullptr && !heartbeat->error.empty()) outcome.reason += ": " + heartbeat->error;
}

/// Where ranks say themselves why they failed, the order in which they found out tells more than
/// the one in which they ended: the first of them may have had much to take down.
std::int64_t first_failed_rank(const Evidence& evidence) {
  const auto process = first_failed_process(evidence);
  SCALESTUDY_EXPECT(process >= 0);
  const auto* heartbeat = heartbeat_of(evidence, process);
  const bool has_said_why = heartbeat != nullptr && !heartbeat->error.empty();
  return has_said_why ? first_rank_with_error(evidence) : process;
}

/// Where the heartbeats do not say why.
std::string log_of(const EndedProcess& process) {
  const auto& line = process.last_line;
  return cat(" (see ", process.log_file.filename().string(),
             line.empty() ? "" : ", which ends with: " + line, ")");
}

void deduce_from_rank_processes(const Evidence& evidence, RunOutcome& outcome) {
  const auto index = first_failed_rank(evidence);
  const auto& process = evidence.processes[static_cast<std::size_t>(index)];
  outcome.exit_code = exit_code_of(process.end);
  const auto silent = process.end.by_signal ? -1 : silent_peer_of(evidence, index);
  if (silent >= 0) {
    blame(evidence, silent, "hung", outcome);
    const auto* failed = heartbeat_of(evidence, index);
    outcome.reason += cat("; rank ", index, " gave up: ", failed->error);
    return;
  }
  blame(evidence, index, process.stopped ? "failed" : process.end.text(), outcome);
  const auto* heartbeat = heartbeat_of(evidence, index);
  if (heartbeat == nullptr || heartbeat->error.empty()) {
    outcome.reason += log_of(process);
  }
}

void deduce_from_launcher(const Evidence& evidence, RunOutcome& outcome) {
  const auto& process = evidence.processes.front();
  outcome.exit_code = exit_code_of(process.end);
  const auto with_error = first_rank_with_error(evidence);
  const auto& told = evidence.told_by_launcher;
  const bool killed = told && told->by_signal;
  if (with_error >= 0 && !killed) {
    blame(evidence, with_error, "failed", outcome);
  } else if (told) {
    blame(evidence, told->rank, told->how, outcome);
  } else {
    outcome.reason = cat(process.name, " ", process.end.text(), log_of(process));
  }
}

/// A signal that did not come from the driver: from a batch system, say.
bool has_left_on_request(const Evidence& evidence) {
  const auto first = first_failed_process(evidence);
  return first >= 0 && is_left_on_request(evidence.processes[static_cast<std::size_t>(first)].end);
}

void deduce_from_time(const Evidence& evidence, RunOutcome& outcome) {
  const bool timeout = evidence.cause == StopCause::run_timeout;
  outcome.status = RunStatus::timed_out;
  outcome.exit_code = ExitCode::run_failed;
  blame(evidence, most_silent_rank(evidence), "was the slowest,", outcome);
  const auto slowest = outcome.reason;
  outcome.reason =
      timeout
          ? cat("the run took longer than run_timeout_s = ", evidence.limits.run_timeout.count())
          : cat("no rank made progress for ", human_duration(evidence.limits.no_progress.count()));
  outcome.reason += "; " + slowest;
}

}  // namespace

bool is_left_on_request(const ProcessEnd& end) {
  return !end.by_signal && end.number == static_cast<int>(ExitCode::interrupted);
}

RunOutcome deduce_outcome(const Evidence& evidence) {
  const auto interrupted = [](const char* reason) {
    return RunOutcome{
        .status = RunStatus::interrupted, .reason = reason, .exit_code = ExitCode::interrupted};
  };
  RunOutcome outcome;
  if (std::ranges::all_of(evidence.processes, &ProcessEnd::is_success, &EndedProcess::end))
    return outcome;
  if (evidence.cause == StopCause::interrupted) return interrupted("stopped by the user");
  if (evidence.cause == StopCause::run_timeout || evidence.cause == StopCause::no_progress) {
    deduce_from_time(evidence, outcome);
    return outcome;
  }
  if (has_left_on_request(evidence)) return interrupted("the ranks were asked to end");
  outcome.status = RunStatus::failed;
  if (evidence.one_process_per_rank) {
    deduce_from_rank_processes(evidence, outcome);
  } else {
    deduce_from_launcher(evidence, outcome);
  }
  return outcome;
}

}  // namespace scalestudy
