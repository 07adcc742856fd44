/// scalestudy run STUDY --out DIR: plans, launches, watches; run again, it resumes.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "core/text.hpp"

#include "study/shipped_files.hpp"

#include "driver/commands/command.hpp"
#include "driver/run/driver_lock.hpp"
#include "driver/run/launching.hpp"
#include "driver/run/output_json.hpp"
#include "driver/run/planning.hpp"
#include "driver/run/study_run.hpp"
#include "driver/run/trial.hpp"
#include "driver/terminal/progress.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string study;
  std::string out;
  bool dry_run = false;
  ResumePolicy policy;
};

void require_launchers(const StudyMatrix& matrix) {
  for (const auto& spec : matrix.runs) launcher(spec.launcher).require_available();
}

/// The same command again, for the message after an interruption.
std::string this_command(const Context& context, const RunOptions& options) {
  ProcessPlan command;
  command.argv = {"scalestudy", "run", options.study, "--out", options.out};
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) command.argv.insert(command.argv.end(), {name, value});
  };
  add("--environment", context.options.environment);
  add("--launcher", context.options.launcher);
  for (const auto& value : context.options.overrides) add("--set", value);
  if (options.policy.accept_mixed) command.argv.emplace_back("--accept-mixed");
  if (options.policy.redo_busy) command.argv.emplace_back("--redo-busy");
  if (options.policy.no_trial) command.argv.emplace_back("--no-trial");
  return command_line(command);
}

ExitCode show_commands(Context& context,
                       const PlannedStudy& planned,
                       const WritableStudyFolder& folder) {
  const auto rank_program =
      ShippedFiles(context.executable).rank_program(needs_libtorch(planned.study));
  const auto states = states_of_runs(folder, planned.plan);
  std::vector<PlannedLaunch> launches;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto& spec = planned.plan.matrix.runs[i];
    launches.push_back({spec.run_id(), is_settled(states[i].stage),
                        launch_plan(spec, folder.run_folder(spec.run_id()), rank_program,
                                    planned.plan.host.variables)});
  }
  if (context.options.json) {
    context.out << launches_json(launches);
    return ExitCode::done;
  }
  for (const auto& launch : launches) {
    context.out << "# " << launch.run_id << (launch.kept ? ": complete, would be kept\n" : "\n");
    if (launch.kept) continue;
    for (const auto& process : launch.plan.processes) context.out << command_line(process) << '\n';
  }
  return ExitCode::done;
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
                    const WritableStudyFolder& folder,
                    double elapsed_s,
                    Reporter& reporter) {
  const auto counts = count(results);
  auto line = cat(counts.complete, " of ", counted(planned, "run"), " complete");
  if (counts.kept < results.size()) line += " after " + human_duration(elapsed_s);
  if (counts.kept > 0) line += cat(" (", counts.kept, " kept from before)");
  reporter.info(line + ".");
  const bool goes_on = !results.empty() && results.back().state.stage == RunStage::interrupted;
  if (counts.complete > 0 && !goes_on) {
    reporter.info("Next: " +
                  command_line({"", {"scalestudy", "report", folder.path().string()}, {}, {}, {}}));
  }
}

/// A study without runs of one rank can be reported only beside a folder that has some.
void warn_of_missing_base(const StudyMatrix& matrix, Reporter& reporter) {
  if (!has_base(matrix))
    reporter.warning(
        "No run has one rank: a report on this folder alone will have nothing to compare with.");
}

std::vector<RunResult> run_study(Context& context,
                                 const PlannedStudy& planned,
                                 const WritableStudyFolder& folder,
                                 const std::vector<RunState>& earlier,
                                 const ResumePolicy& policy,
                                 std::optional<EarlyInterruption>& early) {
  const ShippedFiles shipped(context.executable);
  Reporter reporter(context.err, context.verbosity(), context.err_is_terminal, folder.driver_log());
  reporter.info(cat("Study ", planned.study.name, ": ",
                    counted(planned.plan.matrix.runs.size(), "run"), " into ",
                    folder.path().string()));
  for (const auto& skipped : planned.plan.matrix.skipped) {
    reporter.info(cat("left out: ", skipped.combination, ": ", skipped.reason));
  }
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
  report_results(results, planned.plan.matrix.runs.size(), folder, since.elapsed_s(), reporter);
  return results;
}

/// Their files are set aside when they run again.
void forget_busy_runs(std::vector<RunState>& states) {
  for (auto& state : states)
    if (state.busy) state = RunState();
}

ExitCode run(Context& context, const RunOptions& options) {
  std::optional<EarlyInterruption> early(std::in_place);
  const auto planned = plan_study(context, options.study);
  require_runs(planned);
  const WritableStudyFolder folder(options.out);
  folder.require_place();
  folder.require_inside_all(planned.plan.matrix);
  require_data(planned.study);
  if (options.dry_run) return show_commands(context, planned, folder);
  ShippedFiles(context.executable).require_rank_program(needs_libtorch(planned.study));
  require_launchers(planned.plan.matrix);
  folder.create();
  const DriverLock lock(folder);
  clear_trial(folder.trial_folder());
  auto earlier = states_of_runs(folder, planned.plan);
  require_same_study(folder, planned.plan, earlier, options.policy);
  if (options.policy.redo_busy) forget_busy_runs(earlier);
  folder.write_study(planned.study.requested);
  folder.write_plan(planned.plan);
  const auto results = run_study(context, planned, folder, earlier, options.policy, early);
  const bool in_a_run = !results.empty() && results.back().state.stage == RunStage::interrupted;
  const bool interrupted = in_a_run || (results.size() < planned.plan.matrix.runs.size() &&
                                        !is_refused_for_all(results, planned.plan.matrix));
  const Interrupted interruption(
      {cat("The study was interrupted; what is complete stays in ", folder.path().string()),
       in_a_run ? "the run at work is kept as interrupted" : "no run was at work",
       cat("To go on: ", this_command(context, options))});
  if (context.options.json)
    context.out << results_json(folder, results, interrupted ? &interruption : nullptr);
  if (interrupted) throw interruption;
  return exit_code_of(results);
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  app.add_option("STUDY", options->study, "Study file, or a shipped study's name")->required();
  app.add_option("--out", options->out, "Folder of the study; an existing one is resumed")
      ->type_name("DIR")
      ->required();
  app.add_flag("--dry-run", options->dry_run, "Print the command lines instead of starting them");
  app.add_flag("--fresh", options->policy.fresh,
               "Start unfinished runs from the beginning, not from their checkpoints");
  app.add_flag("--accept-mixed", options->policy.accept_mixed,
               "Keep results of another build or machine in DIR");
  app.add_flag("--redo-busy", options->policy.redo_busy,
               "Run again what was labelled busy_machine; the disturbed results are set aside");
  app.add_flag("--no-trial", options->policy.no_trial,
               "Start the first run at once; it may find a cold machine");
  return [options](Context& context) { return run(context, *options); };
}

}  // namespace

extern const Command run_command;
const Command run_command{"run",
                          "Run a study, or resume one",
                          "scalestudy run n2v-quickstart --out out/quickstart\n"
                          "scalestudy run study.json --out out/mine --set settings.epochs=3",
                          define,
                          {.study = true, .quiet = true, .verbose = true}};

}  // namespace scalestudy
