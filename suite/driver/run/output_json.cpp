#include "driver/run/output_json.hpp"

#include <nlohmann/json.hpp>

#include "study/fields.hpp"

#include "analysis/report/text/estimate_json.hpp"
#include "analysis/statistics/statistics.hpp"
#include "driver/run/floor_store.hpp"
#include "driver/run/planning.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json to_json(const std::string& run_id, const RunState& state) {
  json object{{"run_id", run_id},         {"stage", to_string(state.stage)},
              {"reason", state.reason},   {"launch_wall_time_s", state.launch_wall_time_s},
              {"resumed", state.resumed}, {"validity_codes", state.validity_codes}};
  if (state.stage == RunStage::running) {
    object["step"] = state.step;
    object["total_steps"] = state.total_steps;
    object["phase"] = state.phase;
  }
  return object;
}

json to_json(const ProcessPlan& process) {
  return {{"name", process.name},
          {"argv", process.argv},
          {"variables", process.variables},
          {"removed_variables", process.removed_variables},
          {"log_file", process.log_file.string()}};
}

json to_json(const Resolution& resolution) {
  return {{"label", resolution.label()},
          {"repeats", resolution.repeats},
          {"comparison", to_string(resolution.comparison)},
          {"floor_frac", json_number(resolution.floor_frac)},
          {"speedup_frac", json_number(resolution.speedup_frac)},
          {"margin_frac", resolution.margin_frac}};
}

json to_json(const FloorPoint& point, std::int64_t repeats) {
  const auto interval =
      standard_deviation_interval(point.log_ratio_sd, static_cast<std::size_t>(point.pairs));
  return {{"ranks", point.ranks},
          {"pairs", point.pairs},
          {"log_ratio_sd", point.log_ratio_sd},
          {"log_ratio_sd_interval", {json_number(interval.low), json_number(interval.high)}},
          {"log_time_sd", point.log_time_sd},
          {"half_width_frac", json_number(floor_half_width_frac(point, repeats))}};
}

json json_of(const StudyPlan& plan) {
  json runs = json::array();
  for (const auto& spec : plan.matrix.runs) {
    auto run = json::parse(to_json_text(spec));
    run["run_id"] = spec.run_id();
    const auto memory_bytes = estimated_device_memory_bytes(spec);
    run["estimated_device_memory_bytes"] = memory_bytes ? json(*memory_bytes) : json();
    runs.push_back(std::move(run));
  }
  json skipped = json::array();
  for (const auto& run : plan.matrix.skipped) {
    skipped.push_back({{"combination", run.combination}, {"reason", run.reason}});
  }
  return {{"study", plan.study},
          {"runs", runs},
          {"skipped", skipped},
          {"resolution", to_json(resolution_of(plan))}};
}

}  // namespace

std::string plan_json(const StudyPlan& plan, const TimeEstimate& estimate) {
  auto object = json_of(plan);
  object["estimated_time_s"] = json_number(estimate.time_s);
  object["estimated_node_hours"] = json_number(estimate.node_hours());
  object["time_unknown_because"] = estimate.unknown_because;
  return json_text_of(object);
}

std::string refused_plan_json(const StudyPlan& plan, const Error& refusal) {
  auto object = json_of(plan);
  object["error"] = refusal.what();
  object["exit_code"] = static_cast<int>(refusal.exit_code());
  return json_text_of(object);
}

std::string status_json(const StudyFolder& folder, const StudyState& state) {
  json runs = json::array();
  json counts = json::object();
  for (std::size_t i = 0; i < state.runs.size(); ++i) {
    runs.push_back(to_json(state.plan.matrix.runs[i].run_id(), state.runs[i]));
    const std::string stage(to_string(state.runs[i].stage));
    counts[stage] = count_of(state, state.runs[i].stage);
  }
  return json_text_of({{"study", state.plan.study},
                       {"folder", folder.path().string()},
                       {"driver_alive", state.driver_alive},
                       {"in_trial", state.in_trial},
                       {"time_left_s", json_number(state.time_left_s)},
                       {"counts", counts},
                       {"unplanned", state.unplanned},
                       {"runs", runs}});
}

std::string results_json(const StudyFolder& folder,
                         const std::vector<RunResult>& results,
                         const Error* error) {
  json runs = json::array();
  for (const auto& result : results) {
    auto run = to_json(result.run_id, result.state);
    run["kept"] = result.kept;
    runs.push_back(std::move(run));
  }
  const auto code = error == nullptr ? exit_code_of(results) : error->exit_code();
  json object{
      {"folder", folder.path().string()}, {"exit_code", static_cast<int>(code)}, {"runs", runs}};
  if (error != nullptr) object["error"] = error->what();
  return json_text_of(object);
}

std::string floor_json(const StudyFolder& folder,
                       const std::string& file,
                       const StudyFloor& floor,
                       const std::map<std::int64_t, TwoSpeeds>& two_speeds,
                       const Resolution& resolution) {
  json points = json::array(), speeds_by_ranks = json::array();
  for (const auto& [ranks, speeds] : two_speeds)
    speeds_by_ranks.push_back({{"ranks", ranks},
                               {"slow_launches", speeds.upper},
                               {"launches", speeds.launches},
                               {"training_time_ratio", speeds.ratio}});
  for (const auto& point : floor.points) points.push_back(to_json(point, resolution.repeats));
  return json_text_of({{"folder", folder.path().string()},
                       {"file", file.empty() ? json() : json(file)},
                       {"study", floor.study},
                       {"host", floor.host},
                       {"points", points},
                       {"two_speeds", speeds_by_ranks},
                       {"resolution", to_json(resolution)}});
}

std::string launches_json(const std::vector<PlannedLaunch>& launches) {
  json array = json::array();
  for (const auto& launch : launches) {
    json processes = json::array();
    for (const auto& process : launch.plan.processes) processes.push_back(to_json(process));
    array.push_back({{"run_id", launch.run_id}, {"kept", launch.kept}, {"processes", processes}});
  }
  return json_text_of({{"launches", array}});
}

}  // namespace scalestudy
