#include "analysis/run_set.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "record/run_file.hpp"

#include "analysis/quality_metrics.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

bool has_nonfinite_loss(const StepTable& steps) {
  if (steps.steps() == 0) return false;
  const auto& losses = steps.values(step_column::loss);
  const auto& weights = steps.values(step_column::loss_weight);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (weights[i] > 0 && !std::isfinite(losses[i])) return true;
  }
  return false;
}

std::string reason_to_leave_out(const Run& run) {
  const RunHeader& header = run.record.header;
  if (!run.validity_codes.empty()) return "invalid: " + join(run.validity_codes, ", ");
  if (header.status != RunStatus::complete) {
    const std::string where =
        header.failed_rank >= 0 ? cat(" (rank ", header.failed_rank, ", ", header.failed_phase, ")")
                                : "";
    return cat(to_string(header.status), where, header.reason.empty() ? "" : ": ", header.reason);
  }
  if (run.record.steps.steps() == 0) return "complete, but without a single step";
  return "";
}

RunMeasures measure(const Run& run) {
  const RunRecord& record = run.record;
  const auto wall_time = record.summary_value(summary_column::launch_wall_time_s);
  const auto window_samples = std::max<std::int64_t>(1, run.spec.smoothness_window_samples);
  RunMeasures measures;
  measures.launch_wall_time_s = wall_time.value_or(std::nan(""));
  measures.training_time_s = training_time_s(record);
  measures.cpu_time_s = cpu_time_s(record);
  measures.samples = samples_consumed(record.steps);
  measures.samples_per_s = samples_per_s(record.steps, run.window);
  measures.steady_step_s = steady_step_s(record.steps, run.window);
  measures.roughness = loss_roughness(loss_curve(record.steps, 1));
  measures.roughness_equal_samples = loss_roughness(loss_curve(record.steps, window_samples));
  measures.best_validation_loss = best_validation_loss(record);
  measures.final_loss = final_loss(record);
  for (const QualityMetric& metric : quality_metrics())
    measures.quality.push_back(final_quality(record, *metric.column));
  if (run.has_label(RunLabel::resumed)) {  // its clock is made of several attempts
    for (auto* const time :
         {&measures.launch_wall_time_s, &measures.training_time_s, &measures.cpu_time_s,
          &measures.samples_per_s, &measures.steady_step_s})
      *time = std::nan("");
  }
  return measures;
}

fs::path run_file_in(const fs::path& run_folder) {
  for (const char* name : {"run.h5", "run.h5.part"}) {
    if (fs::exists(run_folder / name)) return run_folder / name;
  }
  return {};
}

std::vector<fs::path> run_files(const fs::path& study_folder) {
  std::vector<fs::path> files;
  const fs::path runs = study_folder / "runs";
  if (!fs::is_directory(runs)) return files;
  for (const auto& entry : fs::directory_iterator(runs)) {
    if (const fs::path file = run_file_in(entry.path()); !file.empty()) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

void require_folder(const fs::path& folder) {
  if (fs::is_directory(folder)) return;
  throw BadInput({cat("'", folder.string(), "' is no folder"),
                  "a report needs a study folder with runs/<id>/run.h5",
                  "Give the folder that `scalestudy run --out` wrote"});
}

void load_folder(const fs::path& folder, RunSet& set) {
  require_folder(folder);
  std::set<std::string> present;
  for (const fs::path& file : run_files(folder)) {
    present.insert(file.parent_path().filename().string());
    try {
      set.runs.push_back(judge_run(read_run_file(file)));
    } catch (const Error& error) {
      set.unreadable.push_back({file.string(), error.what()});
    }
  }
  const PlanFile plan = read_plan_file(folder / "plan.json");
  for (const std::string& id : plan.run_ids) {
    if (present.count(id) == 1) continue;
    set.without_file.push_back({id, reason_for_absence(folder / "runs" / id)});
  }
  set.skipped.insert(set.skipped.end(), plan.skipped.begin(), plan.skipped.end());
}

/// What all runs of a series share; the rest of the spec follows from ranks and repeat.
RunSpec without_scale(RunSpec spec) {
  const RunSpec neutral;
  spec.study = neutral.study;
  spec.ranks = neutral.ranks;
  spec.repeat = neutral.repeat;
  spec.plan = neutral.plan;
  spec.communicator = neutral.communicator;
  spec.oversubscribed = neutral.oversubscribed;
  return spec;
}

std::string series_name(const RunSpec& spec, bool emulated_input) {
  std::string name =
      cat(spec.workload, ", ", spec.scaling_rule, ", ", spec.reduction, ", ", spec.input, " input");
  if (!spec.launcher.empty()) name += cat(", launcher ", spec.launcher);
  if (spec.control_arm) name += cat(", control arm ", *spec.control_arm);
  return emulated_input ? name + ", emulated input" : name;
}

std::string slug_of(const std::string& name) {
  std::string slug;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      slug += c;
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  return slug;
}

/// Series that read the same but differ in a setting get a number. A study's only series needs no
/// long name for its files.
void name_apart(std::vector<Series>& series) {
  const auto studies = std::count_if(series.begin(), series.end(),
                                     [](const Series& s) { return !s.is_control_arm(); });
  std::map<std::string, int> seen;
  for (Series& s : series) {
    if (const int count = ++seen[s.name]; count > 1) s.name += cat(" (settings ", count, ")");
    s.slug = slug_of(studies == 1 && !s.is_control_arm() ? s.spec.workload : s.name);
  }
}

}  // namespace

bool Run::has_label(RunLabel label) const {
  return contains(labels, label);
}

Run judge_run(RunRecord record) {
  Run run;
  run.spec = run_spec_from_json_text(record.resolved_settings,
                                     record.file.string() + ":/settings/resolved");
  for (const auto& label : record.header.labels) run.labels.push_back(current_label(label));
  run.validity_codes = record.header.validity_codes;
  run.record = std::move(record);
  const StepTable& steps = run.record.steps;
  if (run.spec.oversubscribed) add_label(run.labels, RunLabel::oversubscribed);
  if (has_nonfinite_loss(steps)) add_code(run.validity_codes, ValidityCode::nonfinite_loss);
  if (steps.steps() > 0) {
    run.window = find_steady_window(steps.max_over_ranks(step_column::step_s),
                                    run.spec.settings.warmup_steps);
  }
  run.measures = measure(run);
  run.left_out = reason_to_leave_out(run);
  return run;
}

RunSet load_runs(const std::vector<fs::path>& folders) {
  RunSet set;
  set.folders = folders;
  for (const fs::path& folder : folders) load_folder(folder, set);
  return set;
}

std::vector<double> Series::timing(std::int64_t ranks, double RunMeasures::*measure) const {
  std::vector<double> values;
  const auto group = by_ranks.find(ranks);
  if (group == by_ranks.end()) return values;
  for (const Run* run : group->second) {
    if (run->is_timing_data()) values.push_back(run->measures.*measure);
  }
  return values;
}

std::vector<double> Series::learning(std::int64_t ranks, double RunMeasures::*measure) const {
  std::vector<double> values;
  const auto group = by_ranks.find(ranks);
  if (group == by_ranks.end()) return values;
  for (const Run* run : group->second) values.push_back(run->measures.*measure);
  return values;
}

std::vector<double> Series::quality(std::int64_t ranks, std::size_t metric) const {
  std::vector<double> values;
  const auto group = by_ranks.find(ranks);
  if (group == by_ranks.end()) return values;
  for (const Run* run : group->second) values.push_back(run->measures.quality.at(metric));
  return values;
}

bool Series::has_label(RunLabel label) const {
  for (const auto& [ranks, runs] : by_ranks) {
    if (std::any_of(runs.begin(), runs.end(), [&](const Run* r) { return r->has_label(label); })) {
      return true;
    }
  }
  return false;
}

std::vector<Series> group_series(const RunSet& set) {
  std::map<std::string, Series> by_key;
  for (const Run& run : set.runs) {
    if (!run.is_data()) continue;
    const bool emulated_input = run.has_label(RunLabel::emulated_input);
    const std::string name = series_name(run.spec, emulated_input);
    Series& series = by_key[cat(name, ' ', hex64(without_scale(run.spec).content_hash()))];
    series.name = name;
    series.spec = run.spec;
    series.emulated_input = emulated_input;
    series.by_ranks[run.spec.ranks].push_back(&run);
  }
  std::vector<Series> all;
  for (auto& [key, series] : by_key) all.push_back(std::move(series));
  name_apart(all);
  return all;
}

std::vector<std::string> build_ids(const RunSet& set) {
  std::set<std::string> ids;
  for (const Run& run : set.runs) ids.insert(run.record.header.build_id);
  return {ids.begin(), ids.end()};
}

}  // namespace scalestudy
