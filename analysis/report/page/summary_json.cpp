#include "analysis/report/page/summary_json.hpp"

#include <cmath>

#include "core/provenance.hpp"

#include "analysis/report/exchange/exchange_json.hpp"
#include "analysis/report/exchange/exchange_report.hpp"
#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/published/published_summary_json.hpp"
#include "analysis/report/speed/factors_json.hpp"
#include "analysis/report/speed/prediction_json.hpp"
#include "analysis/report/step/causes_json.hpp"
#include "analysis/report/text/estimate_json.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json number(double value) {
  return json_number(value);
}

json to_json(const Estimate& estimate) {
  return json_estimate(estimate);
}

json to_json(const SpeedupPoint& p) {
  return {{"ranks", p.ranks},
          {"launches", p.launches},
          {"launch_wall_time_s", number(p.absolute.launch_wall_time_s)},
          {"training_time_s", number(p.absolute.training_time_s)},
          {"samples_per_s", number(p.absolute.samples_per_s)},
          {"speedup",
           {{"launch", to_json(p.launch)},
            {"training", to_json(p.training)},
            {"throughput", to_json(p.throughput)}}},
          {"efficiency", to_json(p.efficiency)},
          {"throughput_efficiency", to_json(p.throughput_efficiency)},
          {"serial_fraction", to_json(p.serial_fraction)},
          {"factors", factors_json(p.factors)},
          {"superlinear_unexplained", p.superlinear_unexplained}};
}

json to_json(const StepComposition& step) {
  json phases;
  for (std::size_t i = 0; i < step_phase_count; ++i) {
    phases[std::string(step_phases()[i].name())] = number(step.phase_s[i]);
  }
  return {{"ranks", step.ranks},
          {"expected_s", number(step.expected_s)},
          {"step_s", number(step.step_s)},
          {"local_samples", number(step.local_samples)},
          {"phases", phases},
          {"communication_overhead_frac", number(step.communication_overhead_frac)},
          {"peer_wait_frac", number(step.peer_wait_frac)},
          {"exposed_transfer_frac", number(step.exposed_transfer_frac)}};
}

json to_json(const ShareOfStep& share) {
  return {{"median_frac", number(share.median_frac)}, {"p99_frac", number(share.p99_frac)}};
}

json to_json(const StepCheck& check) {
  return {{"ranks", check.ranks},
          {"launches", check.launches},
          {"step_count", check.steps},
          {"remainder", to_json(check.remainder)},
          {"clock_free", to_json(check.clock_free)},
          {"same_rank_frac", number(check.same_rank_frac)},
          {"often_critical_rank", check.often_critical_rank},
          {"often_critical_frac", number(check.often_critical_frac)},
          {"is_persistent", check.is_persistent},
          {"spread_median_frac", number(check.spread.median_frac)},
          {"spread_p99_frac", number(check.spread.p99_frac)},
          {"idle_exchange_median_s", number(check.idle_exchange_s.median)},
          {"idle_exchange_min_s", number(check.idle_exchange_s.min)},
          {"idle_exchange_max_s", number(check.idle_exchange_s.max)},
          {"recording_frac", number(check.recording_frac)}};
}

json to_json(const LaunchComposition& launch) {
  json parts;
  for (std::size_t i = 0; i < launch_part_count; ++i)
    parts[std::string(launch_parts()[i].name)] = number(launch.mean.part_s[i]);
  return {{"ranks", launch.ranks},
          {"launches", launch.launches},
          {"launch_wall_time_s", number(launch.mean.wall_s)},
          {"parts", parts},
          {"unexplained_s", number(launch.mean.unexplained_s)},
          {"worst_unexplained_frac", number(launch.worst_unexplained_frac)}};
}

json to_json(const Smoothness& s) {
  return {{"ranks", s.ranks},
          {"loss_roughness", number(s.roughness)},
          {"ratio", to_json(s.per_step)},
          {"predicted_ratio", number(s.predicted_per_step)},
          {"why_not_predicted", s.why_not_predicted},
          {"loss_roughness_equal_samples", number(s.roughness_equal_samples)},
          {"ratio_equal_samples", to_json(s.equal_samples)},
          {"smoothness_window_samples", s.window_samples}};
}

json to_json(const Outlier& one) {
  return {{"run_id", one.run->record.header.run_id},
          {"training_time_ratio", number(one.time_ratio)}};
}

json to_json(const SpeedsAt& one) {
  return {{"ranks", one.ranks},
          {"control_arm", to_string(one.series->spec.control_arm)},
          {"slow_launches", one.speeds.upper},
          {"launches", one.speeds.launches},
          {"training_time_ratio", number(one.speeds.ratio)}};
}

json to_json(const Resolution& resolution) {
  return {{"label", resolution.label()},
          {"repeats", resolution.repeats},
          {"comparison", to_string(resolution.comparison)},
          {"floor_frac", number(resolution.floor_frac)},
          {"speedup_frac", number(resolution.speedup_frac)},
          {"margin_frac", number(resolution.margin_frac)}};
}

json to_json(const FairBase& fair) {
  if (fair.candidates.empty()) return nullptr;
  json candidates = json::array();
  for (const BaseCandidate& one : fair.candidates)
    candidates.push_back({{"threads", one.threads},
                          {"cores", one.cores},
                          {"launches", one.launches},
                          {"samples_per_s", number(one.absolute.samples_per_s)},
                          {"training_time_s", number(one.absolute.training_time_s)},
                          {"speedup", to_json(one.speedup)},
                          {"is_best", &one == fair.best()}});
  return {{"ranks", fair.ranks},
          {"threads_per_rank", fair.threads_per_rank},
          {"cores", fair.cores},
          {"idle_cores", fair.idle_cores()},
          {"has_equal_cores", fair.has_equal_cores()},
          {"candidates", candidates}};
}

json to_json(const ArmContrast& one) {
  const auto arm_name = [](const std::optional<ControlArm>& arm) { return to_string(arm); };
  return {{"name", one.kind->name},
          {"left_out", one.kind->left_out},
          {"base", arm_name(one.kind->base)},
          {"control_arm", arm_name(one.kind->arm)},
          {"ranks", one.ranks},
          {"base_step_s", number(one.base_step_s)},
          {"arm_step_s", number(one.arm_step_s)},
          {"saved_s", to_json(one.saved_s)},
          {"saved_frac", to_json(one.saved_frac)},
          {"column_s", number(one.column_s)},
          {"beyond_column_s", to_json(one.beyond_column_s)},
          {"is_on_busy_machine", one.is_on_busy_machine}};
}

json values_json(const std::vector<double>& values) {
  json list = json::array();
  for (const double v : values) list.push_back(number(v));
  return list;
}

json baseline_json(const MetricValues& metric) {
  if (!std::isfinite(metric.baseline)) return nullptr;
  return {{"name", metric.metric->baseline->name()}, {"value", metric.baseline}};
}

json to_json(const QualityPoint& q) {
  json object{{"ranks", q.ranks},
              {"best_validation_loss", values_json(q.validation_loss.values)},
              {"final_loss", values_json(q.final_loss.values)},
              {"best_after_frac", number(q.best_after_frac)},
              {"best_validation_loss_difference", to_json(q.validation_loss.difference)},
              {"metrics", json::object()}};
  for (const MetricValues& m : q.metrics) {
    json& metric = object["metrics"][std::string(m.metric->column->name)];
    metric = {{"values", values_json(m.values)},
              {"difference", to_json(m.difference)},
              {"is_asked", m.is_asked},
              {"margin", m.margin > 0 ? json(m.margin) : json()},
              {"baseline", baseline_json(m)}};
    if (m.sampling)
      metric["sampling"] = {{"standard_error", number(m.sampling->standard_error)},
                            {"sample_count", m.sampling->samples}};
  }
  return object;
}

json to_json(const QualityLabel& label) {
  return {{"code", label.code}, {"text", label.text}};
}

json to_json(const QualityGoal& goal) {
  if (goal.metric.empty()) return nullptr;
  return {{"metric", goal.metric}, {"target", goal.target}, {"margin", goal.margin}};
}

json to_json(const SeriesAnalysis& analysis);
json to_json(const Run& run);
json to_json(const CollectivePoint& point);
json to_json(const CollectiveFit& fit);
json to_json(const CollectivesAnalysis& one);

template <class Item>
json list_of(const std::vector<Item>& items) {
  json list = json::array();
  for (const Item& item : items) list.push_back(to_json(item));
  return list;
}

json to_json(const SeriesAnalysis& analysis) {
  const EvaluationPopulation& population = analysis.population;
  const RunSpec& spec = analysis.series.spec;
  json sets = json::array();
  for (const EvaluatedSet& set : population.sets) {
    sets.push_back({{"name", set.name}, {"hash", set.hash}, {"sample_count", set.samples}});
  }
  json conclusions = json::array();
  if (!analysis.series.is_control_arm()) {
    for (const auto& answer : conclusions_of(analysis).answers()) {
      conclusions.push_back(answer.text);
    }
  }
  return {
      {"name", analysis.series.name},
      {"machine", analysis.machine},
      {"workload", spec.workload},
      {"scaling_rule", to_string(spec.scaling_rule)},
      {"reduction", to_string(spec.reduction)},
      {"input", to_string(spec.input)},
      {"control_arm", to_string(spec.control_arm)},
      {"emulated_input", analysis.series.has_label(RunLabel::emulated_input)},
      {"injections", texts_of(spec.injections)},
      {"oversubscribed", analysis.series.has_label(RunLabel::oversubscribed)},
      {"no_spare_core", analysis.series.has_label(RunLabel::no_spare_core)},
      {"scaling_mode", to_string(analysis.scaling_mode)},
      {"conclusions", conclusions},
      {"points", list_of(analysis.speedup)},
      {"steps", list_of(analysis.steps)},
      {"step_checks", list_of(analysis.step_checks)},
      {"exchange", exchange_json(analysis.exchanges)},
      {"launches", list_of(analysis.launches)},
      {"arm_contrasts", list_of(analysis.arm_contrasts)},
      {"causes", causes_json(analysis.causes)},
      {"remedies", remedies_json(analysis.remedies)},
      {"run_causes", run_causes_json(analysis.run_causes)},
      {"smoothness", list_of(analysis.smoothness)},
      {"quality", list_of(analysis.quality)},
      {"quality_goal", to_json(spec.quality)},
      {"quality_labels", list_of(analysis.quality_labels)},
      {"targets", targets_json(analysis.targets)},
      {"factor_bases", factor_bases_json(analysis.factor_bases)},
      {"outliers", list_of(analysis.outliers)},
      {"two_speeds", list_of(analysis.two_speeds)},
      {"resolution", to_json(analysis.resolution)},
      {"pop", pop_json(analysis.pop)},
      {"noise_scale", noise_scale_json(analysis.noise_scale)},
      {"prediction", prediction_json(analysis.prediction)},
      {"fair_base", to_json(analysis.fair_base)},
      {"data_warnings", analysis.data_warnings},
      {"evaluation_sets",
       {{"identical", population.identical}, {"reported", population.reported}, {"sets", sets}}}};
}

/// Those that it has, by the names of /summary.
json measures_of(const Run& run) {
  json object = json::object();
  for (const Measure& measure : measures()) {
    const double value = run.measures[*measure.column];
    if (measure.summary != nullptr && std::isfinite(value))
      object[std::string(measure.column->name)] = value;
  }
  const Stationarity& found = run.measures.steady_window().stationarity;
  if (found.tested) {
    object["stationary"] = found.is_stationary();
    object["stretch_frac"] = found.stretch_frac;
    object["drift_frac"] = found.drift_frac;
  }
  return object;
}

json to_json(const Run& run) {
  return {{"run_id", run.record.header.run_id},
          {"status", to_string(run.record.header.status)},
          {"validity_codes", run.validity_codes},
          {"labels", run.labels},
          {"is_data", run.is_data()},
          {"left_out", run.left_out},
          {"measures", measures_of(run)}};
}

/// Of one group of runs, against nothing.
json json_of_group(const Estimate& estimate) {
  json object{{"value", number(estimate.value)}, {"interval", nullptr}, {"count", estimate.count}};
  if (const auto said = said_interval(estimate))
    object["interval"] = {number(said->low), number(said->high)};
  return object;
}

json to_json(const CollectivePoint& point) {
  return {{"ranks", point.ranks},
          {"operation", to_string(point.operation)},
          {"size_bytes", point.size_bytes},
          {"calls", point.calls},
          {"time_s", json_of_group(point.time_s)},
          {"p99_s", number(point.p99_s)},
          {"max_s", number(point.max_s)},
          {"algorithm_bytes_per_s", number(point.algorithm_bytes_per_s())},
          {"bus_bytes_per_s", number(point.bus_bytes_per_s())},
          {"is_checked", point.is_checked}};
}

json to_json(const CollectiveFit& fit) {
  return {{"ranks", fit.ranks},
          {"operation", to_string(fit.operation)},
          {"sizes", fit.sizes},
          {"alpha_s", json_of_group(fit.alpha_s)},
          {"beta_s_per_byte", json_of_group(fit.beta_s_per_byte)},
          {"worst_residual_frac", number(fit.worst_residual_frac)}};
}

json to_json(const CollectivesAnalysis& one) {
  return {{"name", one.series.name},
          {"launcher", one.series.spec.launcher},
          {"points", list_of(one.points)},
          {"fits", list_of(one.fits)}};
}

json absent(const std::vector<AbsentRun>& runs) {
  json list = json::array();
  for (const AbsentRun& run : runs) list.push_back({{"name", run.name}, {"reason", run.reason}});
  return list;
}

json to_json(const std::vector<Machine>& machines) {
  json list = json::array();
  for (const Machine& machine : machines)
    list.push_back({{"kind", machine.kind}, {"words", machine.words}});
  return list;
}

}  // namespace

std::string summary_json(const StudyAnalysis& analysis) {
  json flags = json::array();
  for (const StudyFlag& flag : analysis.flags()) {
    flags.push_back({{"code", flag.code}, {"text", flag.text}});
  }
  json published = json::array();
  for (const auto& one : analysis.published()) published.push_back(published_summary(one));
  const RunSet& set = analysis.runs();
  const json root{{"schema", 2},
                  {"made_by", build_id()},
                  {"validity_codes", flags},
                  {"series", list_of(analysis.studies())},
                  {"control_arms", list_of(analysis.control_arms())},
                  {"collectives", list_of(analysis.collectives())},
                  {"machines", to_json(analysis.machines())},
                  {"published", published},
                  {"runs", list_of(set.runs)},
                  {"unreadable", absent(set.unreadable)},
                  {"copies", absent(set.copies)},
                  {"damaged_plans", absent(set.damaged_plans)},
                  {"without_file", absent(set.without_file)},
                  {"skipped", absent(set.skipped)}};
  return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace scalestudy
