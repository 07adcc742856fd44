#include "driver/run/study_state.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "record/measures/validity.hpp"
#include "record/run_file/run_file.hpp"
#include "record/study_folder/heartbeat.hpp"

#include "driver/run/driver_lock.hpp"
#include "driver/run/time_left.hpp"
#include "driver/run/trial.hpp"
#include "driver/run/watch.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

RunStage stage_of(const std::string& status) {
  return stage_of(find_choice<RunStatus>(status).value_or(RunStatus::failed));
}

RunState state_from_file(const StudyFolder& folder, const fs::path& file) {
  RunState state;
  try {
    require_inside(folder.path(), file);
    const auto record = read_run_file(file);
    require_own_folder(record);
    state.stage = stage_of(record.header.status);
    state.reason = record.header.reason;
    state.launch_wall_time_s = record.summary_value(&SummaryRow::launch_wall_time_s).value_or(0);
    state.resumed = record.header.has_label(RunLabel::resumed);
    state.busy = record.header.has_label(RunLabel::busy_machine);
    state.validity_codes = validity_codes_of(record);
  } catch (const Error& error) {
    state.stage = absence_of(file).empty() ? RunStage::damaged : RunStage::unreadable;
    state.reason = error.what();
  }
  return state;
}

/// The specification is written just before the ranks are started: its age is the run's time so
/// far.
RunState state_at_work(const fs::path& run_folder, std::int64_t ranks) {
  const auto progress = progress_in(run_folder, ranks);
  RunState state{.stage = RunStage::running,
                 .step = progress.step,
                 .total_steps = progress.total_steps,
                 .phase = progress.phase};
  std::error_code error;
  const auto started = fs::last_write_time(run_folder / "spec.json", error);
  if (!error) {
    state.launch_wall_time_s = Seconds(fs::file_time_type::clock::now() - started).count();
  }
  return state;
}

/// What stands in the place of its folder is none.
RunState state_without_folder(const fs::path& run_folder) {
  std::error_code error;
  if (fs::status(run_folder, error).type() == fs::file_type::none)
    return {.stage = RunStage::unreadable,
            .reason = cat(run_folder.string(), " ", absence_of(run_folder))};
  return {.stage = RunStage::damaged,
          .reason = cat(run_folder.string(), " is no folder: nothing can run there")};
}

/// Somebody copied its folder, or the driver was killed with it.
RunState state_without_launch(const fs::path& run_folder) {
  if (!is_there(run_folder / open_result_file_name)) return {};
  return {.stage = RunStage::interrupted,
          .reason = cat("it got no further than ", open_result_file_name)};
}

RunState state_of_run(const StudyFolder& folder,
                      const RunSpec& spec,
                      const std::optional<pid_t>& driver) {
  const auto run_folder = folder.run_folder(spec.run_id());
  std::error_code error;
  if (is_there(run_folder) && !fs::is_directory(run_folder, error))
    return state_without_folder(run_folder);
  if (is_there(run_folder / "run.h5")) return state_from_file(folder, run_folder / "run.h5");
  const auto launch = folder.read_launch(spec.run_id());
  if (!launch) return state_without_launch(run_folder);
  if (launch->status.empty() && driver && *driver == launch->driver_process_id) {
    auto state = state_at_work(run_folder, spec.ranks);
    state.resumed = launch->resumed;
    return state;
  }
  if (launch->status.empty())
    return {.stage = RunStage::interrupted,
            .reason = "the driver ended before the run did, or could not write down how it ended",
            .resumed = launch->resumed};
  const auto stage = stage_of(launch->status);
  if (is_settled(stage)) return {.reason = "its run.h5 is gone: it will run again"};
  return {.stage = stage,
          .reason = launch->reason,
          .launch_wall_time_s = launch->launch_wall_time_s,
          .resumed = launch->resumed};
}

std::vector<RunState> states_of_runs(const StudyFolder& folder,
                                     const StudyPlan& plan,
                                     const std::optional<pid_t>& driver) {
  std::vector<RunState> states;
  for (const auto& spec : plan.matrix.runs) states.push_back(state_of_run(folder, spec, driver));
  return states;
}

/// Errors: BadInput when nobody can look.
std::vector<std::string> unplanned_runs(const StudyFolder& folder, const StudyPlan& plan) {
  std::set<std::string> planned;
  for (const auto& spec : plan.matrix.runs) planned.insert(spec.run_id());
  std::vector<std::string> found;
  for (const auto& id : folder.run_ids())
    if (!planned.contains(id) && folder.result_file(id)) found.push_back(id);
  return found;
}

double time_left_s(const StudyState& study) {
  TimeLeft time_left;
  const auto& specs = study.plan.matrix.runs;
  double left_s = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto& run = study.runs[i];
    if (is_settled(run.stage) && !run.resumed)
      time_left.add_finished(specs[i], run.launch_wall_time_s);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto& run = study.runs[i];
    if (run.stage != RunStage::running) continue;
    if (run.resumed) {  // what it takes in all: more than is left
      left_s += time_left.estimate_s(specs[i]);
      continue;
    }
    time_left.set_current(specs[i], run.launch_wall_time_s, run.step, run.total_steps);
    left_s += time_left.current_left_s();
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto stage = study.runs[i].stage;
    const bool is_open = stage == RunStage::waiting || stage == RunStage::interrupted;
    if (is_open) left_s += time_left.estimate_s(specs[i]);
  }
  return left_s;
}

}  // namespace

RunStage stage_of(RunStatus status) {
  switch (status) {
    case RunStatus::complete:
      return RunStage::complete;
    case RunStatus::diverged:
      return RunStage::diverged;
    case RunStatus::timed_out:
      return RunStage::timed_out;
    case RunStatus::interrupted:
      return RunStage::interrupted;
    case RunStatus::running:
      return RunStage::damaged;  // nothing renames an unclosed file
    case RunStatus::failed:
      break;
  }
  return RunStage::failed;
}

bool is_settled(RunStage stage) {
  return stage == RunStage::complete || stage == RunStage::diverged;
}

bool is_invalid(const RunState& run) {
  return run.stage == RunStage::complete && !run.validity_codes.empty();
}

bool is_disturbed(const RunState& run) {
  return run.busy || contains(run.validity_codes, ValidityCode::emulation_exceeded);
}

void forget_disturbed(std::vector<RunState>& runs) {
  for (auto& run : runs)
    if (is_disturbed(run)) run = RunState();
}

std::string count_text(const std::vector<RunState>& runs, std::size_t planned) {
  std::vector<std::string> codes;
  for (const auto& run : runs)
    if (is_invalid(run))
      for (const auto& code : run.validity_codes) add_unique(codes, code);
  auto text = cat(std::ranges::count(runs, RunStage::complete, &RunState::stage), " of ",
                  counted(planned, "run"), " complete");
  const auto invalid = std::ranges::count_if(runs, is_invalid);
  if (invalid > 0) text += cat(", ", invalid, " of them invalid (", join(codes, ", "), ")");
  return text;
}

std::string advice_on_invalid(const std::vector<RunState>& runs) {
  std::vector<RunState> invalid;
  std::ranges::copy_if(runs, std::back_inserter(invalid), is_invalid);
  if (invalid.empty()) return "";
  std::string text = "What is invalid does not count.";
  if (std::ranges::any_of(invalid, is_disturbed))
    text += " --redo-busy runs again what a quiet machine may make valid.";
  if (!std::ranges::all_of(invalid, is_disturbed))
    text += " Delete the folders of the others in runs/ to run them again.";
  return text;
}

std::vector<RunState> states_of_runs(const StudyFolder& folder, const StudyPlan& plan) {
  return states_of_runs(folder, plan, DriverLock::holder(folder));
}

StudyState state_of_study(const StudyFolder& folder) {
  StudyState state;
  const auto driver = DriverLock::holder(folder);
  state.driver_alive = driver.has_value();
  if (state.driver_alive && !is_there(folder.plan_file())) {
    state.time_left_s = not_recorded;
    return state;
  }
  state.plan = folder.read_plan();
  state.unplanned = unplanned_runs(folder, state.plan);
  state.in_trial = state.driver_alive && is_trial(folder.trial_folder());
  state.runs = states_of_runs(folder, state.plan, driver);
  state.time_left_s = time_left_s(state);
  return state;
}

std::int64_t count_of(const StudyState& state, RunStage stage) {
  return std::ranges::count(state.runs, stage, &RunState::stage);
}

}  // namespace scalestudy
