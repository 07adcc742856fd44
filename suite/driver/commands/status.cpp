/// scalestudy status DIR: where a running or finished study stands, from any shell.

#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>

#include "core/text.hpp"
#include "core/visible.hpp"

#include "driver/commands/command.hpp"
#include "driver/run/output_json.hpp"
#include "driver/run/study_state.hpp"
#include "driver/terminal/progress.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace status_parts {

std::string detail_of(const RunState& state) {
  std::vector<std::string> parts;
  if (state.resumed) parts.emplace_back("resumed");
  if (is_invalid(state)) parts.push_back("invalid: " + join(state.validity_codes, ", "));
  if (state.stage == RunStage::running) {
    if (state.step >= 0) parts.push_back(cat("step ", state.step, "/", state.total_steps));
    parts.push_back(state.phase);
  }
  return join(parts, ", ");
}

std::string headline(const StudyState& study) {
  auto text = cat("Study ", study.plan.study, ": ", count_text(study.runs, study.runs.size()));
  for (const auto stage :
       {RunStage::running, RunStage::waiting, RunStage::diverged, RunStage::failed,
        RunStage::timed_out, RunStage::interrupted, RunStage::damaged, RunStage::unreadable}) {
    const auto count = count_of(study, stage);
    if (count > 0) text += cat(", ", count, " ", to_string(stage));
  }
  return text;
}

void print_status(const StudyFolder& folder, const StudyState& study, std::ostream& out) {
  if (study.plan.matrix.runs.empty() && study.driver_alive) {
    out << "The study is starting; no run has begun.\n";
    return;
  }
  out << headline(study) << '\n';
  if (const auto advice = advice_on_invalid(study.runs); !advice.empty()) out << advice << '\n';
  if (!study.unplanned.empty())
    out << "Not of this plan, though a report counts what they hold, copies once: "
        << one_line(join(first_of(study.unplanned, 10, "in runs/"), ", ")) << ".\n";
  const bool has_left = count_of(study, RunStage::complete) + count_of(study, RunStage::diverged) <
                        static_cast<std::int64_t>(study.runs.size());
  if (study.in_trial) out << "A trial of the first steps comes before them.\n";
  if (study.driver_alive && !std::isnan(study.time_left_s)) {
    out << "About " << rough_duration(study.time_left_s) << " left.\n";
  } else if (!study.driver_alive && has_left) {
    out << "No `scalestudy run` is at work in " << folder.path().string()
        << "; 'scalestudy run' with the same study and --out goes on.\n";
  }
  out << '\n';
  TextTable table;
  table.add_columns({"run", "state"}, Align::left);
  table.add_column("time", Align::right);
  table.add_column("", Align::left);
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    const auto& run = study.runs[i];
    const auto time_s = run.launch_wall_time_s;
    table.add_row({study.plan.matrix.runs[i].run_id(), std::string(to_string(run.stage)),
                   time_s > 0 ? human_duration(time_s) : "-", detail_of(run)});
  }
  table.print(out, "  ");
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    if (study.runs[i].reason.empty()) continue;
    out << "\n  " << study.plan.matrix.runs[i].run_id() << ":\n    "
        << one_line(study.runs[i].reason) << '\n';
  }
}

Action define(CLI::App& app) {
  const auto path = std::make_shared<std::string>();
  app.add_option("DIR", *path, "Folder of a study")->required();
  return [path](Context& context) {
    const StudyFolder folder(*path);
    const auto study = state_of_study(folder);
    if (context.options.json) {
      context.out << status_json(folder, study);
    } else {
      print_status(folder, study, context.out);
    }
    return ExitCode::done;
  };
}

}  // namespace status_parts

extern const Command status_command{"status", "Show where a running or finished study stands",
                                    "scalestudy status out/quickstart", status_parts::define};

}  // namespace scalestudy
