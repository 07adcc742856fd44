#include "driver/run/session.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "core/text.hpp"

#include "study/shipped_files.hpp"

#include "driver/doctor/leftovers.hpp"
#include "driver/doctor/machine_facts.hpp"
#include "driver/run/driver_lock.hpp"
#include "driver/run/floor_store.hpp"
#include "driver/run/memory_format_choice.hpp"
#include "driver/run/trial.hpp"
#include "driver/terminal/progress.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {
namespace {

void require_launchers(const StudyMatrix& matrix) {
  for (const auto& spec : matrix.runs) launcher(spec.launcher).require_available();
}

std::vector<RunState> states_of(const std::vector<RunResult>& results) {
  std::vector<RunState> states;
  for (const auto& result : results) states.push_back(result.state);
  return states;
}

/// Complete and valid.
bool is_data(const RunState& run) {
  return run.stage == RunStage::complete && !is_invalid(run);
}

void report_results(const std::vector<RunResult>& results,
                    std::size_t planned,
                    const std::string& next,
                    double elapsed_s,
                    Reporter& reporter) {
  const auto states = states_of(results);
  const auto kept = std::ranges::count(results, true, &RunResult::kept);
  auto line = count_text(states, planned);
  if (kept < std::ssize(results)) line += " after " + human_duration(elapsed_s);
  if (kept > 0) line += cat(" (", kept, " kept from before)");
  const auto advice = advice_on_invalid(states);
  if (advice.empty())
    reporter.info(line + ".");
  else
    reporter.error(cat(line, ". ", advice));
  const bool goes_on = !states.empty() && states.back().stage == RunStage::interrupted;
  if (std::ranges::any_of(states, is_data) && !goes_on && !next.empty())
    reporter.info("Next: " + next);
}

/// At work in a folder that nobody else works in.
class Session {
 public:
  Session(const Context& context,
          PlannedStudy& planned,
          const WritableStudyFolder& folder,
          const SessionRequest& request,
          const DriverLock& lock)
      : planned_(planned),
        folder_(folder),
        request_(request),
        lock_(lock),
        rank_program_(ShippedFiles(context.executable).rank_program(needs_libtorch(planned.study))),
        reporter_(context.err, context.verbosity(), context.err_is_terminal, folder.driver_log()) {}

  /// Before it the plan's runs may have no ids yet. False when the user interrupted.
  [[nodiscard]] bool choose_formats() {
    auto& plan = planned_.plan;
    if (!has_open_format(plan.matrix)) return true;
    adopt_formats(plan, folder_);
    if (has_open_format(plan.matrix) && request_.policy.no_trial) {
      reporter_.info(cat("No trial chooses the memory format: ", plain_memory_format, " it is."));
      close_formats(plan.matrix);
    }
    if (has_open_format(plan.matrix) && !try_open_formats()) return false;
    folder_.require_inside_all(plan.matrix);
    if (plan.floor) plan.floor = stored_floor(plan).floor;  // it was that of either format
    return true;
  }

  std::vector<RunResult> run(const std::vector<RunState>& earlier,
                             std::optional<EarlyInterruption>& early) {
    announce();
    const bool all_kept = std::all_of(earlier.begin(), earlier.end(),
                                      [](const RunState& run) { return is_settled(run.stage); });
    const auto warnings = all_kept ? std::vector<std::string>() : data_warnings(planned_);
    for (const auto& warning : warnings) reporter_.warning(warning);
    const auto load =
        all_kept || request_.policy.no_trial ? "" : load_warning(planned_.plan.matrix);
    if (!load.empty()) reporter_.warning(load);
    const Stopwatch since;
    SignalQueue signals;
    early.reset();
    StudyRunner runner({folder_, planned_.plan, earlier, warnings, format_trials_, rank_program_,
                        reporter_, signals, request_.policy});
    auto results = runner.run_all();
    report_results(results, planned_.plan.matrix.runs.size(), request_.next, since.elapsed_s(),
                   reporter_);
    return results;
  }

 private:
  [[nodiscard]] bool try_open_formats() {
    SignalQueue signals;
    const TrialPlace place{folder_.trial_folder(), rank_program_, planned_.plan.host.variables};
    format_trials_ = try_formats(
        planned_.plan, [&](const RunSpec& spec) { return try_run(spec, place, signals); },
        reporter_);
    signals.wait(Seconds(0));
    return format_trials_ && signals.interruptions() == 0;
  }

  void announce() {
    const auto& plan = planned_.plan;
    reporter_.info(cat("Study ", planned_.study.name, ": ", counted(plan.matrix.runs.size(), "run"),
                       " into ", folder_.path().string()));
    for (const auto& skipped : plan.matrix.skipped)
      reporter_.info(cat("left out: ", skipped.combination, ": ", skipped.reason));
    for (const auto& injection : planned_.study.injections)
      reporter_.info("injected on purpose: " + meaning_of(injection));
    if (!lock_.warning().empty()) reporter_.warning(lock_.warning());
    for (const auto& warning : plan_warnings(plan)) reporter_.warning(warning);
    const auto cleared = clear_leftovers(leftover_places());
    if (!cleared.empty()) reporter_.info("Cleared " + to_text(cleared));
  }

  PlannedStudy& planned_;
  const WritableStudyFolder& folder_;
  const SessionRequest& request_;
  const DriverLock& lock_;
  std::filesystem::path rank_program_;
  Reporter reporter_;
  std::optional<std::vector<TrialTimes>> format_trials_;
};

/// Their files are set aside when they run again.
void forget_disturbed_runs(std::vector<RunState>& states) {
  for (auto& state : states)
    if (is_disturbed(state)) state = RunState();
}

}  // namespace

void require_runnable(const PlannedStudy& planned, const WritableStudyFolder& folder) {
  require_runs(planned);
  folder.require_place();
  folder.require_inside_all(planned.plan.matrix);
  require_data(planned.study);
}

SessionResult run_session(Context& context,
                          PlannedStudy& planned,
                          const WritableStudyFolder& folder,
                          const SessionRequest& request,
                          std::optional<EarlyInterruption>& early) {
  const auto& matrix = planned.plan.matrix;
  ShippedFiles(context.executable).require_rank_program(needs_libtorch(planned.study));
  require_launchers(matrix);
  folder.create();
  const DriverLock lock(folder);
  clear_trial(folder.trial_folder());
  Session session(context, planned, folder, request, lock);
  SessionResult result;
  result.is_interrupted = !session.choose_formats();
  if (result.is_interrupted) return result;
  auto earlier = states_of_runs(folder, planned.plan);
  require_same_study(folder, planned.plan, earlier, request.policy);
  if (request.policy.redo_busy) forget_disturbed_runs(earlier);
  folder.write_study(planned.study.requested);
  folder.write_plan(planned.plan);
  result.runs = session.run(earlier, early);
  result.is_in_a_run =
      !result.runs.empty() && result.runs.back().state.stage == RunStage::interrupted;
  result.is_interrupted = result.is_in_a_run || (result.runs.size() < matrix.runs.size() &&
                                                 !is_refused_for_all(result.runs, matrix));
  return result;
}

std::string command_again(const Context& context,
                          std::vector<std::string> own,
                          const ResumePolicy& policy) {
  ProcessPlan command;
  command.argv = std::move(own);
  command.argv.insert(command.argv.begin(), "scalestudy");
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) command.argv.insert(command.argv.end(), {name, value});
  };
  add("--environment", context.options.environment);
  add("--launcher", context.options.launcher);
  for (const auto& value : context.options.overrides) add("--set", value);
  for (const auto& value : context.options.injections) add("--inject", value);
  if (policy.accept_mixed) command.argv.emplace_back("--accept-mixed");
  if (policy.redo_busy) command.argv.emplace_back("--redo-busy");
  if (policy.no_trial) command.argv.emplace_back("--no-trial");
  return command_line(command);
}

Interrupted interruption_of(const SessionResult& session,
                            const WritableStudyFolder& folder,
                            const std::string& again) {
  return Interrupted(
      {cat("The study was interrupted; what is complete stays in ", folder.path().string()),
       session.is_in_a_run ? "the run at work is kept as interrupted" : "no run was at work",
       "To go on: " + again});
}

}  // namespace scalestudy
