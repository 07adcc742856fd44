#include "driver/run/session.hpp"

#include <algorithm>

#include "core/clock.hpp"
#include "core/text.hpp"

#include "study/shipped_files.hpp"

#include "driver/run/driver_lock.hpp"
#include "driver/run/trial.hpp"
#include "driver/terminal/progress.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {
namespace {

void require_launchers(const StudyMatrix& matrix) {
  for (const auto& spec : matrix.runs) launcher(spec.launcher).require_available();
}

struct Counts {
  std::size_t complete = 0;
  std::size_t kept = 0;
};

Counts count(const std::vector<RunResult>& results) {
  Counts counts;
  for (const auto& result : results) {
    if (result.state.stage == RunStage::complete) ++counts.complete;
    if (result.kept) ++counts.kept;
  }
  return counts;
}

void report_results(const std::vector<RunResult>& results,
                    std::size_t planned,
                    const std::string& next,
                    double elapsed_s,
                    Reporter& reporter) {
  const auto counts = count(results);
  auto line = cat(counts.complete, " of ", counted(planned, "run"), " complete");
  if (counts.kept < results.size()) line += " after " + human_duration(elapsed_s);
  if (counts.kept > 0) line += cat(" (", counts.kept, " kept from before)");
  reporter.info(line + ".");
  const bool goes_on = !results.empty() && results.back().state.stage == RunStage::interrupted;
  if (counts.complete > 0 && !goes_on && !next.empty()) reporter.info("Next: " + next);
}

/// A study without runs of one rank can be reported only beside a folder that has some.
void warn_of_missing_base(const StudyMatrix& matrix, Reporter& reporter) {
  if (matrix.runs.front().trains() && !has_base(matrix))
    reporter.warning(
        "No run has one rank: a report on this folder alone will have nothing to compare with.");
}

std::vector<RunResult> run_study(Context& context,
                                 const PlannedStudy& planned,
                                 const WritableStudyFolder& folder,
                                 const std::vector<RunState>& earlier,
                                 const SessionRequest& request,
                                 std::optional<EarlyInterruption>& early) {
  const auto& policy = request.policy;
  const ShippedFiles shipped(context.executable);
  Reporter reporter(context.err, context.verbosity(), context.err_is_terminal, folder.driver_log());
  reporter.info(cat("Study ", planned.study.name, ": ",
                    counted(planned.plan.matrix.runs.size(), "run"), " into ",
                    folder.path().string()));
  for (const auto& skipped : planned.plan.matrix.skipped) {
    reporter.info(cat("left out: ", skipped.combination, ": ", skipped.reason));
  }
  for (const auto& injection : planned.study.injections)
    reporter.info("injected on purpose: " + meaning_of(injection));
  warn_of_missing_base(planned.plan.matrix, reporter);
  const bool all_kept = std::all_of(earlier.begin(), earlier.end(),
                                    [](const RunState& run) { return is_settled(run.stage); });
  const auto warnings = all_kept ? std::vector<std::string>() : data_warnings(planned);
  for (const auto& warning : warnings) reporter.warning(warning);
  const auto load = all_kept || policy.no_trial ? "" : load_warning(planned.plan.matrix);
  if (!load.empty()) reporter.warning(load);
  const Stopwatch since;
  SignalQueue signals;
  early.reset();
  StudyRunner runner({folder, planned.plan, earlier, warnings,
                      shipped.rank_program(needs_libtorch(planned.study)), reporter, signals,
                      policy});
  auto results = runner.run_all();
  report_results(results, planned.plan.matrix.runs.size(), request.next, since.elapsed_s(),
                 reporter);
  return results;
}

/// Their files are set aside when they run again.
void forget_busy_runs(std::vector<RunState>& states) {
  for (auto& state : states)
    if (state.busy) state = RunState();
}

}  // namespace

void require_runnable(const PlannedStudy& planned, const WritableStudyFolder& folder) {
  require_runs(planned);
  folder.require_place();
  folder.require_inside_all(planned.plan.matrix);
  require_data(planned.study);
}

SessionResult run_session(Context& context,
                          const PlannedStudy& planned,
                          const WritableStudyFolder& folder,
                          const SessionRequest& request,
                          std::optional<EarlyInterruption>& early) {
  const auto& matrix = planned.plan.matrix;
  ShippedFiles(context.executable).require_rank_program(needs_libtorch(planned.study));
  require_launchers(matrix);
  folder.create();
  const DriverLock lock(folder);
  clear_trial(folder.trial_folder());
  auto earlier = states_of_runs(folder, planned.plan);
  require_same_study(folder, planned.plan, earlier, request.policy);
  if (request.policy.redo_busy) forget_busy_runs(earlier);
  folder.write_study(planned.study.requested);
  folder.write_plan(planned.plan);
  SessionResult session;
  session.runs = run_study(context, planned, folder, earlier, request, early);
  session.is_in_a_run =
      !session.runs.empty() && session.runs.back().state.stage == RunStage::interrupted;
  session.is_interrupted = session.is_in_a_run || (session.runs.size() < matrix.runs.size() &&
                                                   !is_refused_for_all(session.runs, matrix));
  return session;
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
