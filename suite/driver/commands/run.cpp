/// scalestudy run STUDY --out DIR: plans, launches, watches; run again, it resumes.

#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "core/text.hpp"

#include "study/shipped_files.hpp"

#include "driver/commands/command.hpp"
#include "driver/commands/resume_options.hpp"
#include "driver/run/launching.hpp"
#include "driver/run/output_json.hpp"
#include "driver/run/session.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {
namespace run_parts {

struct RunOptions {
  std::string study;
  std::string out;
  bool dry_run = false;
  ResumePolicy policy;
};

ExitCode show_commands(Context& context,
                       const PlannedStudy& planned,
                       const WritableStudyFolder& folder,
                       const ResumePolicy& policy) {
  const auto rank_program =
      ShippedFiles(context.executable).rank_program(needs_libtorch(planned.study));
  auto states = states_of_runs(folder, planned.plan);
  if (policy.redo_busy) forget_disturbed(states);
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

ExitCode run(Context& context, const RunOptions& options) {
  std::optional<EarlyInterruption> early(std::in_place);
  auto planned = plan_study(context, options.study);
  const WritableStudyFolder folder(options.out);
  require_runnable(planned, folder);
  if (options.dry_run) return show_commands(context, planned, folder, options.policy);
  const auto report = command_line({.argv = {"scalestudy", "report", options.out}});
  const auto session = run_session(context, planned, folder, {options.policy, report}, early);
  const auto interruption = interruption_of(
      session, folder,
      command_again(context, {"run", options.study, "--out", options.out}, options.policy));
  if (context.options.json)
    context.out << results_json(folder, session.runs,
                                session.is_interrupted ? &interruption : nullptr);
  if (session.is_interrupted) throw interruption;
  return exit_code_of(session.runs);
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  app.add_option("STUDY", options->study, "Study file, or a shipped study's name")->required();
  app.add_option("--out", options->out, "Folder of the study; an existing one is resumed")
      ->type_name("DIR")
      ->required();
  app.add_flag("--dry-run", options->dry_run, "Print the command lines instead of starting them");
  add_resume_options(app, options->policy);
  return [options](Context& context) { return run(context, *options); };
}

}  // namespace run_parts

extern const Command run_command{"run",
                                 "Run a study, or resume one",
                                 "scalestudy run n2v-quickstart --out out/quickstart\n"
                                 "scalestudy run study.json --out out/mine --set settings.epochs=3",
                                 run_parts::define,
                                 {.study = true, .inject = true, .quiet = true, .verbose = true}};

}  // namespace scalestudy
