/// scalestudy plan STUDY: every run resolved, every left-out combination with its reason.

#include <algorithm>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/text.hpp"

#include "analysis/statistics.hpp"
#include "driver/commands/command.hpp"
#include "driver/run/output_json.hpp"
#include "driver/run/planning.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace {

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
  return rows;
}

std::string local_batch_text(const RulePlan& plan) {
  const auto& sizes = plan.local_batch_sizes;
  if (sizes.empty()) return "-";
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return *least == *most ? cat(*least) : cat(*least, "-", *most);
}

TextTable empty_table() {
  TextTable table;
  table.add_column("ranks", Align::right);
  table.add_column("rule", Align::left);
  table.add_column("reduction", Align::left);
  table.add_column("input", Align::left);
  table.add_column("launcher", Align::left);
  table.add_column("threads", Align::right);
  table.add_column("batch", Align::right);
  table.add_column("global", Align::right);
  table.add_column("learning rate", Align::right);
  table.add_column("epochs×steps", Align::right);
  table.add_column("samples", Align::right);
  table.add_column("repeats", Align::right);
  return table;
}

void add_row(TextTable& table, const PlanRow& row) {
  const auto& spec = row.spec;
  const auto& plan = spec.plan;
  table.add_row({cat(spec.ranks, spec.oversubscribed ? "*" : ""), cat(spec.scaling_rule),
                 spec.control_arm ? cat("arm ", *spec.control_arm) : cat(spec.reduction),
                 cat(spec.input), spec.launcher, cat(spec.settings.threads_per_rank),
                 local_batch_text(plan), cat(plan.global_batch_size),
                 fmt::format("{:.4g}", plan.learning_rate),
                 cat(plan.epochs, "×", plan.steps_per_epoch), grouped_digits(plan.samples),
                 cat(row.repeats)});
}

void print_notes(const std::vector<PlanRow>& rows, std::ostream& out) {
  bool oversubscribed = false;
  std::map<std::string, std::string> remainders;
  for (const auto& row : rows) {
    oversubscribed = oversubscribed || row.spec.oversubscribed;
    const auto& remainder = row.spec.plan.remainder;
    if (!remainder.empty()) {
      remainders.emplace(cat(row.spec.ranks, " ranks, ", row.spec.scaling_rule), remainder);
    }
  }
  if (oversubscribed) {
    out << "\n* more busy threads than cores: labelled oversubscribed, its times are no "
           "evidence.\n";
  }
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

void print_plan(const PlannedStudy& planned, std::ostream& out) {
  const auto& plan = planned.plan;
  const auto rows = rows_of(plan.matrix);
  auto table = empty_table();
  std::int64_t samples = 0;
  for (const auto& row : rows) add_row(table, row);
  for (const auto& spec : plan.matrix.runs) samples += spec.plan.samples;
  out << "Study " << plan.study << ": " << plan.matrix.runs.size() << " runs of "
      << planned.study.workload << ", " << grouped_digits(samples) << " samples to train in all\n";
  const auto constants = table.take_constants();
  if (!constants.empty()) out << "All runs: " << wrapped_list(constants) << '\n';
  out << '\n';
  table.print(out, "  ");
  print_notes(rows, out);
  if (plan.matrix.skipped.empty()) return;
  out << "\nLeft out:\n";
  for (const auto& run : plan.matrix.skipped) {
    out << "  " << run.combination << "\n    " << run.reason << '\n';
  }
}

Action define(CLI::App& app) {
  const auto study = std::make_shared<std::string>();
  app.add_option("STUDY", *study, "Study file, or a shipped study's name")->required();
  return [study](Context& context) {
    const auto planned = plan_study(context, *study);
    if (planned.plan.matrix.runs.empty()) require_data(planned.study);  // it is the reason
    if (context.options.json) {
      context.out << plan_json(planned.plan);
    } else {
      print_plan(planned, context.out);
    }
    require_data(planned.study);
    return ExitCode::done;
  };
}

}  // namespace

extern const Command plan_command;
const Command plan_command{"plan",
                           "Show every run a study resolves to, and what is left out",
                           "scalestudy plan n2v-quickstart --set settings.epochs=20",
                           define,
                           {.study = true}};

}  // namespace scalestudy
