#include <set>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "study/fields.hpp"

#include "record/study_folder/study_folder.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

// Members by their names in the files.
template <class Each>
void for_each_field(const HostFacts&, Each each) {
  each("cpu_model", &HostFacts::cpu_model);
  each("machine", &HostFacts::machine);
  each("cores", &HostFacts::cores);
  each("environment", &HostFacts::environment);
  each("variables", &HostFacts::variables);
}

template <class Each>
void for_each_field(const LaunchRecord&, Each each) {
  each("build_id", &LaunchRecord::build_id);
  each("content_hash", &LaunchRecord::content_hash);
  each("host", &LaunchRecord::host);
  each("host_fingerprint", &LaunchRecord::host_fingerprint);
  each("driver_process_id", &LaunchRecord::driver_process_id);
  each("started_utc", &LaunchRecord::started_utc);
  each("commands", &LaunchRecord::commands);
  each("status", &LaunchRecord::status);
  each("reason", &LaunchRecord::reason);
  each("launch_wall_time_s", &LaunchRecord::launch_wall_time_s);
  each("resumed", &LaunchRecord::resumed);
}

template <class Object>
json written(const Object& value) {
  json object = json::object();
  for_each_field(value, [&](const char* name, auto member) { object[name] = value.*member; });
  return object;
}

// What older versions did not write keeps its default.
template <class Object>
Object read_from(const json& object) {
  Object value;
  for_each_field(value, [&](const char* name, auto member) {
    if (object.contains(name)) object.at(name).get_to(value.*member);
  });
  return value;
}

StudyPlan plan_from(const json& object, const std::string& origin) {
  StudyPlan plan;
  plan.study = object.value("study", "");
  plan.build_id = object.value("build_id", "");
  if (object.contains("host")) plan.host = read_from<HostFacts>(object.at("host"));
  std::set<std::string> ids;  // what is listed twice is one run
  for (const auto& run : object.at("runs")) {
    auto spec = run_spec_from_json_text(run.dump(), origin);
    if (ids.insert(spec.run_id()).second) plan.matrix.runs.push_back(std::move(spec));
  }
  for (const auto& skipped : object.value("skipped", json::array())) {
    plan.matrix.skipped.push_back(
        {skipped.at("combination").get<std::string>(), skipped.at("reason").get<std::string>()});
  }
  if (object.contains("floor")) plan.floor = floor_from_json_text(object.at("floor").dump());
  return plan;
}

}  // namespace

std::string to_json_text(const StudyPlan& plan) {
  auto host = written(plan.host);
  host["fingerprint"] = plan.host.fingerprint();
  json runs = json::array();
  for (const auto& spec : plan.matrix.runs) runs.push_back(json::parse(to_json_text(spec)));
  json skipped = json::array();
  for (const auto& run : plan.matrix.skipped) {
    skipped.push_back({{"combination", run.combination}, {"reason", run.reason}});
  }
  return json_text_of({{"schema", 1},
                       {"study", plan.study},
                       {"build_id", plan.build_id},
                       {"host", host},
                       {"runs", runs},
                       {"skipped", skipped},
                       {"floor", plan.floor ? json::parse(to_json_text(*plan.floor)) : json()}});
}

std::string to_json_text(const LaunchRecord& record) {
  return json_text_of(written(record));
}

StudyPlan StudyFolder::read_plan() const {
  require_study();
  const auto file = plan_file();
  require_inside(folder_, file);
  constexpr auto as_before =
      "Copy it again from where it came from, or run the same study into the folder again: it "
      "writes the file anew";
  try {
    const auto object = parse_json(text_of_file(file), file.string(), as_before);
    if (!object.is_object() || !object.value("runs", json()).is_array())
      throw BadInput({cat(file.string(), " is damaged: it is no object with a list 'runs'"),
                      "it lists the runs of the study", as_before});
    return plan_from(object, file.string());
  } catch (const std::system_error& error) {
    throw BadInput({cat(file.string(), " cannot be read: ", error.code().message()),
                    "it lists the runs of the study", "Check its permissions, or restore it"});
  } catch (const json::exception& error) {
    throw BadInput({cat(file.string(), " is damaged: ", words_of(error)),
                    "it lists the runs of the study", as_before});
  }
}

std::optional<LaunchRecord> StudyFolder::read_launch(const std::string& run_id) const {
  const auto file = launch_file(run_id);
  if (!is_inside(folder_, file)) return {};
  const auto object = json_or_discarded(readable_text_of_file(file).value_or(""));
  if (!object.is_object() || !object.contains("status")) return {};
  try {
    return read_from<LaunchRecord>(object);
  } catch (const json::exception&) {
    return {};
  }
}

}  // namespace scalestudy
