#include "driver/run/study_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "record/measures/cpu_use.hpp"
#include "record/measures/link_check.hpp"
#include "record/measures/measures.hpp"
#include "record/measures/validity.hpp"
#include "record/run_file/run_file.hpp"
#include "record/study_folder/earlier_attempt.hpp"
#include "record/study_folder/heartbeat.hpp"

#include "driver/run/launching.hpp"
#include "driver/run/same_study.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

LaunchRecord new_record(const StudyPlan& plan, const RunSpec& spec, const LaunchPlan& launch) {
  LaunchRecord record;
  record.build_id = plan.build_id;
  record.content_hash = hex64(spec.content_hash());
  record.host = plan.host.text();
  record.host_fingerprint = plan.host.fingerprint();
  record.driver_process_id = ::getpid();
  record.started_utc = utc_timestamp();
  for (const auto& process : launch.processes) record.commands.push_back(command_line(process));
  return record;
}

/// What the ranks wrote themselves knows about divergence, which is no failure of a process.
void adopt_own_end(const RunHeader& header, RunOutcome& outcome) {
  if (header.status == RunStatus::diverged) {
    outcome.status = RunStatus::diverged;
    outcome.reason = header.reason;
    outcome.exit_code = ExitCode::run_failed;
  }
  // Whether there is a checkpoint.
  if (header.status == RunStatus::interrupted) outcome.reason += "; " + header.reason;
}

/// What happens once, where the ranks had come to it when they ended.
std::vector<std::string> injections_met(const RunSpec& spec, const fs::path& folder) {
  std::vector<std::string> met;
  if (has_earlier_attempt(folder)) return met;
  for (const auto& injection : spec.injections) {
    if (!happens_once(injection.fault)) continue;
    const auto rank = injection.rank.value_or(spec.ranks - 1);
    const auto heartbeat = read_heartbeat(heartbeat_file(folder, rank));
    if (heartbeat && heartbeat->step >= injection.step) met.push_back(to_text(injection));
  }
  return met;
}

/// A failure that was asked for must not look like one that was found.
void name_injections(const RunSpec& spec, const fs::path& folder, RunOutcome& outcome) {
  if (outcome.status == RunStatus::complete || outcome.status == RunStatus::interrupted) return;
  const auto met = injections_met(spec, folder);
  if (!met.empty()) outcome.reason += cat("; injected on purpose: ", join(met, ", "));
}

/// What only the driver sees of a launch. Parts are left out where the clock of rank 0's host does
/// not agree with ours.
void add_launch_times(const RunOutcome& outcome, const RunRecord& record, SummaryRow& summary) {
  summary.launch_wall_time_s = outcome.launch_wall_time_s;
  if (record.ranks.empty()) return;
  const auto& root = record.ranks.front();
  const double before_s = root.started_unix_s - outcome.launched_unix_s;
  const double after_s =
      outcome.launched_unix_s + outcome.launch_wall_time_s - root.recorded_unix_s;
  constexpr double tick_s = 0.01;  // a process knows its start to one
  if (before_s < -tick_s || after_s < 0) return;
  summary.launch_to_process_s = std::max(0.0, before_s);
  summary.shutdown_s = after_s;
}

}  // namespace

Closing closing_of(const RunRecord& record,
                   const RunSpec& spec,
                   const std::vector<std::string>& data_warnings,
                   RunOutcome& outcome) {
  name_injections(spec, record.file.parent_path(), outcome);
  Closing closing{.status = outcome.status,
                  .reason = outcome.reason,
                  .failed_rank = outcome.failed_rank,
                  .failed_phase = outcome.failed_phase};
  // Also of a run that did not complete: what its steps say is still true.
  closing.summary = summarise(record, {spec.settings.warmup_steps});
  outcome.disturbance = busy_machine_reason(record.ranks, closing.summary.cpu_use_frac,
                                            closing.summary.contended_cpu_frac);
  outcome.validity_codes = closing.validity_codes = validity_codes_of(record, spec);
  closing.data_warnings = data_warnings;
  if (!outcome.disturbance.empty()) closing.labels.push_back(RunLabel::busy_machine);
  return closing;
}

std::vector<RunResult> StudyRunner::run_all() {
  const auto& runs = parts_.plan.matrix.runs;
  for (std::size_t i = 0; i < runs.size(); ++i)
    configurations_.push_back(
        is_settled(parts_.earlier[i].stage) ? "" : TimeLeft::configuration_of(runs[i]));
  learn_from_earlier_runs();
  // Who trains nothing warms up by itself, and has no first steps.
  if (!parts_.policy.no_trial && runs.front().trains()) warm_up();
  std::vector<RunResult> results;
  for (index_ = 0; index_ < runs.size(); ++index_) {
    parts_.signals.wait(Seconds(0));
    if (parts_.signals.interruptions() > 0) break;
    results.push_back(keep_or_run(index_));
    if (results.back().state.stage == RunStage::interrupted) break;
    if (is_refused_for_all(results, parts_.plan.matrix)) {
      parts_.reporter.warning("The other runs would be refused alike; they are not started.");
      break;
    }
  }
  return results;
}

void StudyRunner::warm_up() {
  const auto& runs = parts_.plan.matrix.runs;
  const auto size = [](const RunSpec& run) { return std::pair(run.ranks, !run.control_arm); };
  const RunSpec* largest = nullptr;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (is_settled(parts_.earlier[i].stage)) continue;
    if (largest == nullptr || size(runs[i]) > size(*largest)) largest = &runs[i];
  }
  if (largest == nullptr) return;
  parts_.reporter.info(cat("Trial: the first steps with ", counted(largest->ranks, "rank"),
                           ", thrown away, so that no run starts on a cold machine."));
  const TrialPlace place{parts_.folder.trial_folder(), parts_.rank_program,
                         parts_.plan.host.variables};
  Trial trial;
  try {
    trial = try_run(*largest, place, parts_.signals);
  } catch (const RunFailed& error) {
    trial.outcome = {.status = RunStatus::failed, .reason = error.what()};
  } catch (const Unavailable& error) {
    trial.outcome = {.status = RunStatus::failed, .reason = error.what()};
  }
  if (trial.times) {
    time_left_.add_trial(*trial.times);
  } else if (trial.outcome.status == RunStatus::timed_out) {
    parts_.reporter.info(cat("The trial was not over after ",
                             human_duration(trial.outcome.launch_wall_time_s),
                             ": how long the runs take is not known before the first has ended."));
  } else {  // what is wrong, the first run that counts says, too
    parts_.reporter.detail(cat("the trial: ", trial.outcome.reason));
  }
}

void StudyRunner::learn_from_earlier_runs() {
  for (std::size_t i = 0; i < parts_.earlier.size(); ++i) {
    const auto& state = parts_.earlier[i];
    if (is_settled(state.stage) && !state.resumed)
      time_left_.add_finished(parts_.plan.matrix.runs[i], state.launch_wall_time_s);
  }
}

RunResult StudyRunner::keep_or_run(std::size_t index) {
  const auto& spec = parts_.plan.matrix.runs[index];
  const auto& state = parts_.earlier[index];
  if (is_settled(state.stage)) {
    parts_.reporter.detail(
        cat("run ", index + 1, ": ", spec.run_id(), " kept: ", to_string(state.stage)));
    return {spec.run_id(), state, true, ExitCode::done};
  }
  auto result = run_or_fail(spec);
  if (is_settled(result.state.stage) && !result.state.resumed) {
    time_left_.add_finished(spec, result.state.launch_wall_time_s);
  }
  report_end(spec, result);
  return result;
}

/// Whatever is wrong with this run's folder says nothing of the others.
RunResult StudyRunner::run_or_fail(const RunSpec& spec) {
  RunResult result;
  result.run_id = spec.run_id();
  result.state.stage = RunStage::failed;
  result.alone = true;
  try {
    return run(spec);
  } catch (const Error& error) {
    result.exit_code = error.exit_code();
    result.state.reason = error.what();
  } catch (const fs::filesystem_error& error) {
    result.exit_code = ExitCode::bad_input;
    result.state.reason = cat(error.path1().string(), ": ", error.code().message());
  }
  return result;
}

RunResult StudyRunner::run(const RunSpec& spec) {
  set_aside_earlier_attempt(spec);
  parts_.folder.prepare_run(spec);
  LaunchRecord record;
  auto outcome = launch(spec, record);
  close_result_file(spec, outcome);
  record.status = to_string(outcome.status);
  record.reason = outcome.reason;
  record.launch_wall_time_s = outcome.launch_wall_time_s;
  parts_.folder.write_launch(spec.run_id(), record);
  if (is_settled(stage_of(outcome.status))) parts_.folder.remove_checkpoint(spec.run_id());
  RunResult result;
  result.run_id = spec.run_id();
  result.state.stage = stage_of(outcome.status);
  result.state.resumed = record.resumed;
  result.alone = record.resumed;
  result.state.reason = outcome.reason;
  result.state.launch_wall_time_s = outcome.launch_wall_time_s;
  result.state.validity_codes = outcome.validity_codes;
  result.state.busy = !outcome.disturbance.empty();
  result.disturbance = outcome.disturbance;
  result.exit_code = outcome.exit_code;
  return result;
}

void StudyRunner::set_aside_earlier_attempt(const RunSpec& spec) {
  const auto part = parts_.folder.run_folder(spec.run_id()) / open_result_file_name;
  try {
    if (is_there(part))
      close_run_file(part, Closing{.status = RunStatus::interrupted,
                                   .reason = "the driver ended before the run did"});
  } catch (const Error& error) {
    parts_.reporter.detail(error.what());  // it is kept as it is
  }
  const auto attempt = parts_.folder.set_aside(spec.run_id(), use_of_checkpoint(spec));
  if (attempt) parts_.reporter.detail(cat("earlier attempt kept in ", attempt->string()));
}

CheckpointUse StudyRunner::use_of_checkpoint(const RunSpec& spec) const {
  const bool foreign = !checkpoint_difference(parts_.folder, parts_.plan, spec).empty();
  return parts_.policy.fresh || foreign ? CheckpointUse::set_aside : CheckpointUse::resume;
}

RunOutcome StudyRunner::launch(const RunSpec& spec, LaunchRecord& record) {
  const auto folder = parts_.folder.run_folder(spec.run_id());
  const auto plan = launch_plan(spec, folder, parts_.rank_program, parts_.plan.host.variables);
  record = new_record(parts_.plan, spec, plan);
  record.resumed = parts_.folder.has_checkpoint(spec.run_id());
  resuming_ = record.resumed;
  if (resuming_) {
    parts_.reporter.info(cat(spec.run_id(),
                             " goes on from its checkpoint: its times will not count (to have "
                             "them, stop now and add --fresh)"));
  } else if (parts_.earlier[index_].stage == RunStage::interrupted) {
    parts_.reporter.info(cat(spec.run_id(), " was interrupted and starts from the beginning."));
  }
  parts_.folder.write_launch(spec.run_id(), record);
  for (const auto& command : record.commands) parts_.reporter.detail(command);
  const WatchedRun watched{launcher(spec.launcher), plan, folder, spec.ranks, limits_of(spec)};
  try {
    return watch_run(watched, parts_.signals,
                     [&](const WatchedProgress& progress) { show_progress(spec, progress); });
  } catch (const RunFailed& error) {
    return {.status = RunStatus::failed, .reason = error.what(), .exit_code = error.exit_code()};
  }
}

/// The analysis leaves such a run out; better to know before the next ones.
void StudyRunner::warn_of_excess(const RunSpec& spec, const RunRecord& record) const {
  const auto window = steady_window_of(record.steps, spec.settings.warmup_steps);
  const auto excess = link_excess(spec.settings.link, record.steps, window);
  if (!excess.is_too_much()) return;
  parts_.reporter.warning(
      fmt::format("{}: collectives took longer than the emulated link says, by {:.1f} % of a step, "
                  "so that the run does not count (emulation_exceeded). Run on a quiet machine, "
                  "take fewer ranks, or emulate a slower link.",
                  spec.run_id(), 100 * excess.step_frac));
}

void StudyRunner::close_result_file(const RunSpec& spec, RunOutcome& outcome) {
  const auto part = parts_.folder.run_folder(spec.run_id()) / open_result_file_name;
  try {
    if (!is_there(part)) {
      if (outcome.status != RunStatus::complete) return;
      throw RunFailed({"The ranks ended without an error but wrote no run.h5.part",
                       "there is nothing to analyse", "See the logs of the ranks"});
    }
    close_run_file(part, [&](const RunRecord& record) {
      adopt_own_end(record.header, outcome);
      auto closing = closing_of(record, spec, parts_.data_warnings, outcome);
      warn_of_excess(spec, record);
      // A resumed run's launch is only the end of it.
      if (!record.header.has_label(RunLabel::resumed))
        add_launch_times(outcome, record, closing.summary);
      return closing;
    });
  } catch (const Error& error) {
    if (outcome.status == RunStatus::complete) {
      outcome.status = RunStatus::failed;
      outcome.exit_code = ExitCode::run_failed;
      outcome.reason = error.what();
    } else {
      outcome.reason += cat("; ", error.what());
    }
  }
}

void StudyRunner::report_end(const RunSpec& spec, const RunResult& result) {
  const auto& state = result.state;
  auto line = cat("run ", index_ + 1, " of ", parts_.plan.matrix.runs.size(), ": ", result.run_id,
                  " ", to_string(state.stage));
  if (state.stage == RunStage::complete) {
    line +=
        cat(state.resumed ? " (resumed) in " : " in ", human_duration(state.launch_wall_time_s));
    const double left_s = time_left_s(index_ + 1);
    if (left_s > 0) line += cat(", about ", rough_duration(left_s), " left");
    parts_.reporter.info(line);
    if (!result.disturbance.empty())
      parts_.reporter.warning(
          cat(result.run_id, ": ", result.disturbance, ": its times say little about scaling."));
  } else if (state.stage == RunStage::interrupted) {
    parts_.reporter.warning(cat(line, ": ", state.reason));
  } else {
    parts_.reporter.error(cat(line, ": ", state.reason));
    parts_.reporter.info(cat("  logs: ", parts_.folder.run_folder(spec.run_id()).string()));
  }
}

void StudyRunner::show_progress(const RunSpec& spec, const WatchedProgress& progress) {
  if (!resuming_)
    time_left_.set_current(spec, progress.elapsed_s, progress.step, progress.total_steps);
  const double done_frac = progress.total_steps > 0 ? static_cast<double>(progress.step) /
                                                          static_cast<double>(progress.total_steps)
                                                    : 0;
  const auto runs = parts_.plan.matrix.runs.size();
  auto line = cat("run ", index_ + 1, "/", runs, " ", progress_bar(done_frac, 20), " ", spec.ranks,
                  spec.ranks == 1 ? " rank" : " ranks", ", repeat ", spec.repeat + 1);
  if (progress.step >= 0) line += cat(", step ", progress.step, "/", progress.total_steps);
  line += cat(", ", progress.phase);
  const double left_s = time_left_s(index_);
  if (!std::isnan(left_s)) line += cat(", about ", rough_duration(left_s), " left");
  parts_.reporter.progress(line);
}

double StudyRunner::time_left_s(std::size_t first) const {
  const auto& runs = parts_.plan.matrix.runs;
  double left_s = 0;
  for (std::size_t i = first; i < runs.size(); ++i) {
    if (is_settled(parts_.earlier[i].stage)) continue;
    const bool at_work = i == index_ && !std::isnan(time_left_.current_left_s());
    left_s +=
        at_work ? time_left_.current_left_s() : time_left_.estimate_s(runs[i], configurations_[i]);
  }
  return left_s;
}

bool is_refused_for_all(const std::vector<RunResult>& results, const StudyMatrix& matrix) {
  const auto is_refused = [](const RunResult& result) {
    return !result.alone &&
           (result.exit_code == ExitCode::bad_input || result.exit_code == ExitCode::unavailable);
  };
  if (results.empty() || !std::all_of(results.begin(), results.end(), is_refused)) return false;
  const auto& runs = matrix.runs;
  const auto fewest = std::ranges::min_element(runs, {}, &RunSpec::ranks)->ranks;
  return std::any_of(runs.begin(), runs.begin() + std::ssize(results),
                     [&](const RunSpec& run) { return run.ranks == fewest; });
}

ExitCode exit_code_of(const std::vector<RunResult>& results) {
  auto code = ExitCode::done;
  for (const auto& result : results) {
    if (result.state.stage == RunStage::interrupted) return ExitCode::interrupted;
    // A kept run that diverged or is invalid counts as it did when it ran.
    const bool is_lost = result.state.stage == RunStage::diverged || is_invalid(result.state);
    const auto own = is_lost ? ExitCode::run_failed : result.exit_code;
    if (own == ExitCode::done) continue;
    code = code == ExitCode::done || code == own ? own : ExitCode::run_failed;
  }
  return code;
}

}  // namespace scalestudy
