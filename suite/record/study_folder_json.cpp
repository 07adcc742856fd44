#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "record/study_folder.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

// What older versions did not write keeps its default.
template <class Value>
void take(const json& object, const char* name, Value& value) {
  if (object.contains(name)) object.at(name).get_to(value);
}

json to_json(const HostFacts& host) {
  return {{"cpu_model", host.cpu_model}, {"machine", host.machine},
          {"cores", host.cores},         {"environment", host.environment},
          {"variables", host.variables}, {"fingerprint", host.fingerprint()}};
}

HostFacts host_from(const json& object) {
  HostFacts host;
  take(object, "cpu_model", host.cpu_model);
  take(object, "machine", host.machine);
  take(object, "cores", host.cores);
  take(object, "environment", host.environment);
  take(object, "variables", host.variables);
  return host;
}

StudyPlan plan_from(const json& object, const std::string& origin) {
  StudyPlan plan;
  take(object, "study", plan.study);
  take(object, "build_id", plan.build_id);
  if (object.contains("host")) plan.host = host_from(object.at("host"));
  for (const auto& run : object.at("runs")) {
    plan.matrix.runs.push_back(run_spec_from_json_text(run.dump(), origin));
  }
  for (const auto& skipped : object.value("skipped", json::array())) {
    plan.matrix.skipped.push_back(
        {skipped.at("combination").get<std::string>(), skipped.at("reason").get<std::string>()});
  }
  return plan;
}

LaunchRecord launch_from(const json& object) {
  LaunchRecord record;
  take(object, "build_id", record.build_id);
  take(object, "content_hash", record.content_hash);
  take(object, "host", record.host);
  take(object, "host_fingerprint", record.host_fingerprint);
  take(object, "driver_process_id", record.driver_process_id);
  take(object, "started_utc", record.started_utc);
  take(object, "commands", record.commands);
  object.at("status").get_to(record.status);
  take(object, "reason", record.reason);
  take(object, "launch_wall_time_s", record.launch_wall_time_s);
  take(object, "resumed", record.resumed);
  return record;
}

}  // namespace

std::string to_json_text(const StudyPlan& plan) {
  json runs = json::array();
  for (const auto& spec : plan.matrix.runs) runs.push_back(json::parse(to_json_text(spec)));
  json skipped = json::array();
  for (const auto& run : plan.matrix.skipped) {
    skipped.push_back({{"combination", run.combination}, {"reason", run.reason}});
  }
  const json object{{"schema", 1},
                    {"study", plan.study},
                    {"build_id", plan.build_id},
                    {"host", to_json(plan.host)},
                    {"runs", runs},
                    {"skipped", skipped}};
  return object.dump(2) + "\n";
}

std::string to_json_text(const LaunchRecord& record) {
  const json object{{"build_id", record.build_id},
                    {"content_hash", record.content_hash},
                    {"host", record.host},
                    {"host_fingerprint", record.host_fingerprint},
                    {"driver_process_id", record.driver_process_id},
                    {"started_utc", record.started_utc},
                    {"commands", record.commands},
                    {"status", record.status},
                    {"reason", record.reason},
                    {"launch_wall_time_s", record.launch_wall_time_s},
                    {"resumed", record.resumed}};
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

StudyPlan StudyFolder::read_plan() const {
  require_study();
  const auto file = plan_file();
  try {
    return plan_from(json::parse(text_of_file(file).value_or("")), file.string());
  } catch (const json::exception& error) {
    throw BadInput({cat(file.string(), " is damaged: ", error.what()),
                    "it lists the runs of the study",
                    "Start the study into a new folder, or restore the file"});
  }
}

std::optional<LaunchRecord> StudyFolder::read_launch(const std::string& run_id) const {
  const auto content = text_of_file(launch_file(run_id));
  if (!content) return {};
  try {
    return launch_from(json::parse(*content));
  } catch (const json::exception&) {
    return {};
  }
}

}  // namespace scalestudy
