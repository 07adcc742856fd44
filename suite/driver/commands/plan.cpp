/// scalestudy plan STUDY: every run resolved, every left-out combination with its reason.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/text.hpp"

#include "study/injection_reach.hpp"
#include "study/shipped_files.hpp"

#include "record/run_file/columns.hpp"

#include "analysis/statistics/statistics.hpp"
#include "driver/commands/command.hpp"
#include "driver/run/deciding_output.hpp"
#include "driver/run/floor_store.hpp"
#include "driver/run/output_json.hpp"
#include "driver/run/planning.hpp"
#include "driver/run/time_left.hpp"
#include "driver/run/trial.hpp"
#include "driver/terminal/progress.hpp"
#include "driver/terminal/signals.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace plan_parts {

namespace fs = std::filesystem;

/// Runs that differ only in their repeat.
struct PlanRow {
  RunSpec spec;
  std::int64_t repeats = 0;
};

std::vector<PlanRow> rows_of(const StudyMatrix& matrix) {
  std::vector<PlanRow> rows;
  std::map<std::string, std::size_t> row_by_id;
  for (auto spec : matrix.runs) {
    spec.repeat = 0;
    const auto [found, is_new] = row_by_id.emplace(spec.run_id(), rows.size());
    if (is_new) rows.push_back({std::move(spec), 0});
    ++rows[found->second].repeats;
  }
  std::ranges::stable_sort(rows, stands_before, &PlanRow::spec);
  return rows;
}

std::string device_memory_text(const RunSpec& spec) {
  const auto bytes = estimated_device_memory_bytes(spec);
  return bytes ? human_bytes(static_cast<double>(*bytes)) : "-";
}

std::string local_batch_text(const RulePlan& plan) {
  const auto& sizes = plan.local_batch_sizes;
  if (sizes.empty()) return "-";
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return *least == *most ? cat(*least) : cat(*least, "-", *most);
}

void add_row(TextTable& table, const PlanRow& row) {
  const auto& spec = row.spec;
  const auto& plan = spec.plan;
  const auto* const mark = spec.oversubscribed ? "*" : spec.no_spare_core ? "+" : "";
  table.add_row({cat(spec.ranks, mark), spec.control_arm ? cat(*spec.control_arm) : "-",
                 cat(spec.scaling_rule), cat(spec.reduction), cat(spec.input),
                 cat(spec.settings.precision), cat(spec.settings.memory_format), spec.launcher,
                 cat(spec.settings.threads_per_rank), local_batch_text(plan),
                 cat(plan.global_batch_size), fmt::format("{:.4g}", plan.learning_rate),
                 cat(plan.epochs, "×", plan.steps_per_epoch), grouped_digits(plan.samples),
                 cat(row.repeats), device_memory_text(spec)});
}

TextTable training_table(const std::vector<PlanRow>& rows) {
  TextTable table;
  table.add_column("ranks", Align::right);
  table.add_columns({"arm", "rule", "reduction", "input", "precision", "layout", "launcher"},
                    Align::left);
  table.add_columns({"threads", "local batch", "global batch", "learning rate", "epochs×steps",
                     "samples", "repeats", "device memory"},
                    Align::right);
  for (const auto& row : rows) add_row(table, row);
  return table;
}

TextTable measuring_table(const std::vector<PlanRow>& rows) {
  TextTable table;
  table.add_column("ranks", Align::right);
  table.add_columns({"communicator", "launcher"}, Align::left);
  table.add_column("repeats", Align::right);
  for (const auto& row : rows)
    table.add_row({cat(row.spec.ranks, row.spec.oversubscribed ? "*" : ""), row.spec.carried_by(),
                   row.spec.launcher, cat(row.repeats)});
  return table;
}

void print_core_notes(const std::vector<PlanRow>& rows, std::ostream& out) {
  const auto any = [&](bool RunSpec::*is_so) {
    return std::any_of(rows.begin(), rows.end(), [&](const PlanRow& r) { return r.spec.*is_so; });
  };
  if (any(&RunSpec::oversubscribed))
    out << "\n* more compute threads than cores: labelled oversubscribed, its times are no "
           "evidence.\n";
  if (any(&RunSpec::no_spare_core))
    out << "\n+ no core is left for the threads that communicate or load: labelled no_spare_core, "
           "they slow\n  down those that compute. Fewer ranks or threads_per_rank leave them "
           "one.\n";
}

void print_notes(const std::vector<PlanRow>& rows, std::ostream& out) {
  std::map<std::string, std::string> remainders;
  for (const auto& row : rows) {
    const auto& remainder = row.spec.plan.remainder;
    if (!remainder.empty()) {
      remainders.emplace(cat(row.spec.ranks, " ranks, ", row.spec.scaling_rule), remainder);
    }
  }
  print_core_notes(rows, out);
  const auto is_estimated = [](const PlanRow& row) {
    return estimated_device_memory_bytes(row.spec).has_value();
  };
  if (std::any_of(rows.begin(), rows.end(), is_estimated))
    out << "\nDevice memory: what training takes of each rank's, estimated from the network's "
           "layers. On top come\nCUDA itself, the workspaces of its libraries, what input device "
           "keeps there and settings.cuda_graph.\n";
  for (const auto& [where, remainder] : remainders)
    out << "  " << where << ": " << remainder << '\n';
  const auto is_single = [](const PlanRow& row) {
    return row.repeats < static_cast<std::int64_t>(minimum_launches_for_interval);
  };
  if (std::any_of(rows.begin(), rows.end(), is_single)) {
    out << "\nFewer than " << minimum_launches_for_interval
        << " repeats give no interval: the report cannot tell a difference from noise.\n";
  }
}

/// Which of them does what, and with how many ranks it does nothing.
void print_injections(const std::vector<PlanRow>& rows, std::ostream& out) {
  const auto& injections = rows.front().spec.injections;
  if (injections.empty()) return;
  out << "\nInjected on purpose; the runs are labelled injected and compared only with runs "
         "injected alike:\n";
  for (const auto& injection : injections) {
    out << "  " << to_text(injection) << ": " << meaning_of(injection) << '\n';
    for (const auto& row : rows) {
      const auto reason = reason_without_effect(injection, row.spec);
      if (!reason.empty() && !row.spec.control_arm)
        out << "    nothing with " << counted(row.spec.ranks, "rank") << ": " << reason << '\n';
    }
  }
}

/// What the report will be able to say of the models.
void print_goal(const QualityGoal& goal, std::ostream& out) {
  if (goal.metric.empty()) {
    out << "\nQuality: no metric or margin is declared; models are never called equal.\n"
           "See quality in scalestudy schema study.\n";
    return;
  }
  out << "\nQuality: " << goal.metric;
  if (goal.target != 0) out << ", target " << goal.target << " on the validation set";
  out << (goal.margin > 0 ? cat(", margin ", goal.margin) : ", no margin") << ".\n";
}

/// What the planned repeats can tell apart; nothing where there is one number of ranks.
void print_resolution(const StudyPlan& plan, std::ostream& out) {
  const auto& runs = plan.matrix.runs;
  const auto is_of_several = [](const RunSpec& spec) { return spec.ranks > 1; };
  if (!has_base(plan.matrix) || std::none_of(runs.begin(), runs.end(), is_of_several)) return;
  const auto resolution = resolution_of(plan);
  const auto percent = [](double frac) { return fmt::format("{:.1f} %", 100 * frac); };
  if (!resolution.is_floor_known) {
    out << "\nThe resolvable speed-up is unknown (floor_unknown); margin "
        << percent(resolution.margin_frac)
        << " assumed.\nscalestudy floor STUDY --out DIR measures it.\n";
  } else if (std::isfinite(resolution.speedup_frac)) {
    out << "\nWith " << counted(resolution.repeats, "repeat") << ", "
        << to_string(resolution.comparison) << ", a speed-up is resolved from ±"
        << percent(resolution.speedup_frac) << "; margin " << percent(resolution.margin_frac)
        << " (A/A floor ±" << percent(resolution.floor_frac) << ", measured "
        << plan.floor->measured_utc << ").\n";
  }
}

void print_plan(const PlannedStudy& planned, std::ostream& out) {
  const auto& plan = planned.plan;
  const auto rows = rows_of(plan.matrix);
  const bool trains = rows.empty() || rows.front().spec.trains();
  auto table = trains ? training_table(rows) : measuring_table(rows);
  std::int64_t samples = 0;
  for (const auto& spec : plan.matrix.runs) samples += spec.plan.samples;
  out << "Study " << plan.study << ": " << counted(plan.matrix.runs.size(), "run") << " of "
      << planned.study.workload;
  if (trains) out << ", " << grouped_digits(samples) << " samples to train in all";
  out << '\n';
  const auto constants =
      table.take_constants({"ranks", "global batch", "learning rate", "epochs×steps"});
  if (!constants.empty()) out << wrapped("All runs: " + join(constants, ", "), 4) << '\n';
  if (!rows.empty()) {
    out << '\n';
    table.print(out, "  ");
    if (rows.size() > 1)
      out << "\nOne run of each row is a block; the order within a block is random, by "
             "settings.seed.\n";
    print_notes(rows, out);
    print_injections(rows, out);
    if (trains) print_goal(planned.study.quality, out);
    if (trains) print_resolution(plan, out);
  }
  if (plan.matrix.skipped.empty()) return;
  out << "\nLeft out:\n";
  const SkippedRun* last = nullptr;
  for (const auto& run : plan.matrix.skipped) {  // a reason of several in a row is said once
    if (last != nullptr && last->reason != run.reason) out << "    " << last->reason << '\n';
    out << "  " << run.combination << '\n';
    last = &run;
  }
  out << "    " << last->reason << '\n';
}

[[noreturn]] void refuse_trial(const RunSpec& spec, const Trial& trial) {
  const auto& outcome = trial.outcome;
  // The reason says itself why and what to do.
  const auto& log = trial.log_end;
  const Message message{
      cat("The study would end as a trial with ", counted(spec.ranks, "rank"),
          " did: ", outcome.reason, log.empty() ? "" : cat("\nThe end of that log:\n", log)),
      "", ""};
  switch (outcome.exit_code) {
    case ExitCode::bad_input:
      throw BadInput(message);
    case ExitCode::unavailable:
      throw Unavailable(message);
    case ExitCode::interrupted:
      throw Interrupted({"The trial was interrupted", "the plan stands, its time is unknown",
                         "With --no-trial no time is estimated"});
    default:
      throw RunFailed(message);
  }
}

/// The runs with the fewest and with the most ranks: what is between them lies between.
std::vector<const RunSpec*> trial_runs(const StudyMatrix& matrix) {
  // An arm may leave out what the others spend their time on.
  const auto fewest = std::ranges::min_element(matrix.runs, {}, [](const RunSpec& run) {
    return std::pair(run.control_arm.has_value(), run.ranks);
  });
  const auto most = std::ranges::max_element(
      matrix.runs, {}, [](const RunSpec& run) { return std::pair(!run.control_arm, run.ranks); });
  if (fewest->ranks == most->ranks) return {&*fewest};
  return {&*fewest, &*most};
}

/// What all runs together take, by a trial of some. Errors: those of the ranks, for every run of
/// such a size.
TimeEstimate time_by_trials(const fs::path& rank_program, const StudyPlan& plan) {
  const TrialPlace place{temporary_trial_folder(), rank_program, plan.host.variables};
  SignalQueue signals;
  TimeLeft time_left;
  for (const RunSpec* spec : trial_runs(plan.matrix)) {
    const auto trial = try_run(*spec, place, signals);
    if (trial.outcome.status == RunStatus::timed_out)
      return {not_recorded,
              cat("the first steps with ", counted(spec->ranks, "rank"), " were not over after ",
                  human_duration(trial.outcome.launch_wall_time_s))};
    if (!trial.times) refuse_trial(*spec, trial);
    time_left.add_trial(*trial.times);
  }
  double time_s = 0;
  for (const auto& spec : plan.matrix.runs) time_s += time_left.estimate_s(spec);
  return {time_s, ""};
}

void print_warning(const Context& context, const std::string& warning) {
  if (!warning.empty()) context.err << "warning: " << warning << std::endl;
}

/// Looks at what the runs need and says how long they take.
TimeEstimate check(const Context& context, const PlannedStudy& planned, bool no_trial) {
  require_runs(planned);
  require_data(planned.study);
  if (!planned.plan.matrix.runs.front().trains())
    return {not_recorded,
            "nothing is trained, so no first steps tell; the study's own settings "
            "limit it"};
  for (const auto& warning : plan_warnings(planned.plan)) print_warning(context, warning);
  if (no_trial) return {not_recorded, "--no-trial leaves the trial out"};
  const auto rank_program =
      ShippedFiles(context.executable).rank_program(needs_libtorch(planned.study));
  if (!fs::exists(rank_program))
    return {not_recorded, cat(rank_program.string(), ", which would try them, was not built")};
  context.err << "Trying the first steps …" << std::endl;
  auto estimate = time_by_trials(rank_program, planned.plan);
  for (const auto& warning : data_warnings(planned)) print_warning(context, warning);
  print_warning(context, load_warning(planned.plan.matrix));
  return estimate;
}

ExitCode show_json(const Context& context, const PlannedStudy& planned, bool no_trial) {
  try {
    const auto estimate = check(context, planned, no_trial);
    context.out << plan_json(planned.plan, estimate);
  } catch (const Error& refusal) {
    context.out << refused_plan_json(planned.plan, refusal);
    throw;
  }
  return ExitCode::done;
}

/// Nobody accounts for minutes.
std::string node_hours_text(const TimeEstimate& estimate) {
  constexpr double least = 0.1;
  if (estimate.node_hours() < least) return "";
  return fmt::format(" ({:.2g} node-hours)", estimate.node_hours());
}

ExitCode show_text(const Context& context, const PlannedStudy& planned, bool no_trial) {
  print_plan(planned, context.out);
  context.out.flush();
  const auto estimate = check(context, planned, no_trial);
  if (estimate.is_known())
    context.out << "\nAll runs together: about " << rough_duration(estimate.time_s)
                << " on this machine" << node_hours_text(estimate)
                << ", by a trial of the first steps.\n";
  else
    context.out << "\nHow long the runs take is not known: " << estimate.unknown_because << ".\n";
  return ExitCode::done;
}

Action define(CLI::App& app) {
  const auto study = std::make_shared<std::string>();
  const auto no_trial = std::make_shared<bool>(false);
  const auto folder = std::make_shared<std::string>();
  app.add_option("STUDY", *study, "Study file, or a shipped study's name")->required();
  app.add_flag("--no-trial", *no_trial, "Do not try the first steps: no time is estimated");
  app.add_option("--decide", *folder,
                 "Show instead the runs that would decide the open causes of lost time in DIR, and "
                 "how long they take")
      ->type_name("DIR");
  return [study, no_trial, folder](Context& context) {
    if (!folder->empty()) return show_deciding_runs(context, *study, *folder);
    const auto planned = plan_study(context, *study);
    if (planned.plan.matrix.runs.empty()) require_data(planned.study);  // it is the reason
    return context.options.json ? show_json(context, planned, *no_trial)
                                : show_text(context, planned, *no_trial);
  };
}

}  // namespace plan_parts

extern const Command plan_command{"plan",
                                  "Show every run a study resolves to, and what is left out",
                                  "scalestudy plan n2v-quickstart --set settings.epochs=20",
                                  plan_parts::define,
                                  {.study = true, .inject = true}};

}  // namespace scalestudy
