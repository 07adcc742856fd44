#include "driver/run/session.hpp"

#include <algorithm>
#include <optional>

#include "core/clock.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "study/shipped_files.hpp"

#include "driver/doctor/leftovers.hpp"
#include "driver/doctor/machine_facts.hpp"
#include "driver/run/driver_lock.hpp"
#include "driver/run/floor_store.hpp"
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

void announce(const PlannedStudy& planned,
              const StudyFolder& folder,
              const DriverLock& lock,
              Reporter& reporter) {
  const auto& plan = planned.plan;
  reporter.info(cat("Study ", planned.study.name, ": ", counted(plan.matrix.runs.size(), "run"),
                    " into ", folder.path().string()));
  for (const auto& skipped : plan.matrix.skipped)
    reporter.info(cat("left out: ", skipped.combination, ": ", skipped.reason));
  for (const auto& injection : planned.study.injections)
    reporter.info("injected on purpose: " + meaning_of(injection));
  if (!lock.warning().empty()) reporter.warning(lock.warning());
  for (const auto& warning : plan_warnings(plan)) reporter.warning(warning);
  const auto cleared = clear_leftovers(leftover_places());
  if (!cleared.empty()) reporter.info("Cleared " + to_text(cleared));
}

/// Runs that ended well, whose driver was killed at closing them or had no room to: all that they
/// recorded is there. Those of another build or machine are left: closed they would be refused.
void close_what_ended(const PlannedStudy& planned,
                      const WritableStudyFolder& folder,
                      const ResumePolicy& policy,
                      Reporter& reporter) {
  std::optional<std::vector<std::string>> warnings;
  for (const auto& spec : planned.plan.matrix.runs) {
    const auto part = folder.run_folder(spec.run_id()) / open_result_file_name;
    if (!is_there(part) || is_there(part.parent_path() / "run.h5")) continue;
    if (!policy.accept_mixed && folder.read_launch(spec.run_id()) &&
        !result_difference(folder, planned.plan, spec).empty())
      continue;
    try {
      if (!is_settled(stage_of(read_run_file(part).header.status))) continue;
      if (!warnings) warnings = data_warnings(planned);
      close_run_file(part, [&](const RunRecord& record) {
        RunOutcome outcome{.status = record.header.status, .reason = record.header.reason};
        return closing_of(record, spec, *warnings, outcome);
      });
      folder.remove_checkpoint(spec.run_id());
      reporter.info(cat(spec.run_id(),
                        " had ended, and its file is closed now; its launch time is not known."));
    } catch (const Error& error) {
      reporter.detail(error.what());  // it runs again, and this is kept as it is
    }
  }
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
  const auto& plan = planned.plan;
  const ShippedFiles shipped(context.executable);
  shipped.require_rank_program(needs_libtorch(planned.study));
  require_launchers(plan.matrix);
  folder.create();
  const DriverLock lock(folder);
  clear_trial(folder.trial_folder());
  Reporter reporter(context.err, context.verbosity(), context.err_is_terminal, folder.driver_log());
  close_what_ended(planned, folder, request.policy, reporter);
  auto earlier = states_of_runs(folder, plan);
  require_same_study(folder, plan, earlier, request.policy);
  if (request.policy.redo_busy) forget_disturbed(earlier);
  folder.write_study(planned.study.requested);
  folder.write_plan(plan);
  announce(planned, folder, lock, reporter);
  const bool all_kept = std::ranges::all_of(earlier, is_settled, &RunState::stage);
  const auto warnings = all_kept ? std::vector<std::string>() : data_warnings(planned);
  for (const auto& warning : warnings) reporter.warning(warning);
  const auto load = all_kept || request.policy.no_trial ? "" : load_warning(plan.matrix);
  if (!load.empty()) reporter.warning(load);
  const Stopwatch since;
  SignalQueue signals;
  early.reset();
  StudyRunner runner({folder, plan, earlier, warnings,
                      shipped.rank_program(needs_libtorch(planned.study)), reporter, signals,
                      request.policy});
  SessionResult result;
  result.runs = runner.run_all();
  report_results(result.runs, plan.matrix.runs.size(), request.next, since.elapsed_s(), reporter);
  result.is_in_a_run =
      !result.runs.empty() && result.runs.back().state.stage == RunStage::interrupted;
  result.is_interrupted = result.is_in_a_run || (result.runs.size() < plan.matrix.runs.size() &&
                                                 !is_refused_for_all(result.runs, plan.matrix));
  return result;
}

std::string command_again(const Context& context,
                          std::vector<std::string> own,
                          const ResumePolicy& policy) {
  own.insert(own.begin(), "scalestudy");
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) own.insert(own.end(), {name, value});
  };
  add("--environment", context.options.environment);
  add("--launcher", context.options.launcher);
  for (const auto& value : context.options.overrides) add("--set", value);
  for (const auto& value : context.options.injections) add("--inject", value);
  if (policy.fresh) own.emplace_back("--fresh");
  if (policy.accept_mixed) own.emplace_back("--accept-mixed");
  if (policy.redo_busy) own.emplace_back("--redo-busy");
  if (policy.no_trial) own.emplace_back("--no-trial");
  return command_line({.argv = std::move(own)});
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
