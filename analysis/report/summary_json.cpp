#include "analysis/report/summary_json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/provenance.hpp"

#include "analysis/report/conclusions.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json to_json(const Estimate& estimate) {
  json object{{"value", number(estimate.value)},
              {"interval", nullptr},
              {"interval_method", describe(estimate.method)},
              {"p_value", number(estimate.p_value)},
              {"base_count", estimate.base_count},
              {"count", estimate.count}};
  if (estimate.interval) {
    object["interval"] = {number(estimate.interval->low), number(estimate.interval->high)};
  }
  return object;
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
          {"factors",
           {{"throughput", to_json(p.factors.throughput)},
            {"statistical", to_json(p.factors.statistical)},
            {"fixed_cost", to_json(p.factors.fixed_cost)},
            {"base_fixed_frac", number(p.factors.base_fixed_frac)},
            {"fixed_frac", number(p.factors.fixed_frac)}}},
          {"superlinear_unexplained", p.superlinear_unexplained}};
}

json to_json(const StepComposition& step) {
  json phases;
  for (std::size_t i = 0; i < phase_count; ++i) {
    phases[std::string(step_phases()[i].name())] = number(step.phase_s[i]);
  }
  return {{"ranks", step.ranks},
          {"step_s", number(step.step_s)},
          {"local_samples", number(step.local_samples)},
          {"phases", phases},
          {"communication_overhead_frac", number(step.communication_overhead_frac)}};
}

json to_json(const Smoothness& s) {
  return {{"ranks", s.ranks},
          {"loss_roughness", number(s.roughness)},
          {"ratio", to_json(s.per_step)},
          {"predicted_ratio", number(s.predicted_per_step)},
          {"loss_roughness_equal_samples", number(s.roughness_equal_samples)},
          {"ratio_equal_samples", to_json(s.equal_samples)},
          {"smoothness_window_samples", s.window_samples}};
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
              {"best_validation_loss_difference", to_json(q.validation_loss.difference)},
              {"best_validation_loss_baseline", baseline_json(q.validation_loss)},
              {"metrics", json::object()}};
  for (const MetricValues& m : q.metrics) {
    object["metrics"][std::string(m.metric->column->name)] = {{"values", values_json(m.values)},
                                                              {"difference", to_json(m.difference)},
                                                              {"baseline", baseline_json(m)}};
  }
  return object;
}

json to_json(const SeriesAnalysis& analysis);
json to_json(const Run& run);

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
    for (const std::string& paragraph : conclusions_of(analysis).paragraphs) {
      conclusions.push_back(paragraph);
    }
  }
  return {{"name", analysis.series.name},
          {"workload", spec.workload},
          {"scaling_rule", to_string(spec.scaling_rule)},
          {"reduction", to_string(spec.reduction)},
          {"input", to_string(spec.input)},
          {"control_arm", to_string(spec.control_arm)},
          {"emulated_input", analysis.series.has_label(RunLabel::emulated_input)},
          {"oversubscribed", analysis.series.has_label(RunLabel::oversubscribed)},
          {"scaling_mode", scaling_mode(analysis.series)},
          {"conclusions", conclusions},
          {"points", list_of(analysis.speedup)},
          {"steps", list_of(analysis.steps)},
          {"smoothness", list_of(analysis.smoothness)},
          {"quality", list_of(analysis.quality)},
          {"data_warnings", analysis.data_warnings},
          {"evaluation_sets", {{"identical", population.identical}, {"sets", sets}}}};
}

/// Those that it has, by the names of /summary.
json measures_of(const Run& run) {
  json object = json::object();
  for (const Measure& measure : measures()) {
    const double value = run.measures[*measure.column];
    if (measure.summary != nullptr && std::isfinite(value))
      object[std::string(measure.column->name)] = value;
  }
  const SteadyWindow& window = run.measures.steady_window();
  if (window.tested) object["stationary"] = window.stationary;
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

json absent(const std::vector<AbsentRun>& runs) {
  json list = json::array();
  for (const AbsentRun& run : runs) list.push_back({{"name", run.name}, {"reason", run.reason}});
  return list;
}

}  // namespace

std::string summary_json(const StudyAnalysis& analysis) {
  json flags = json::array();
  for (const StudyFlag& flag : analysis.flags()) {
    flags.push_back({{"code", flag.code}, {"text", flag.text}});
  }
  const RunSet& set = analysis.runs();
  const json root{{"schema", 1},
                  {"made_by", build_id()},
                  {"validity_codes", flags},
                  {"series", list_of(analysis.studies())},
                  {"control_arms", list_of(analysis.control_arms())},
                  {"runs", list_of(set.runs)},
                  {"unreadable", absent(set.unreadable)},
                  {"copies", absent(set.copies)},
                  {"damaged_plans", absent(set.damaged_plans)},
                  {"without_file", absent(set.without_file)},
                  {"skipped", absent(set.skipped)}};
  return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace scalestudy
