#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "launchers/study_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

[[noreturn]] void not_written(const fs::path& file, int error) {
  throw BadInput({cat("Cannot write ", file.string(), ": ", std::strerror(error)),
                  "without it the study could not be resumed",
                  "Free some space, change the permissions, or choose another --out"});
}

/// A reader sees the old content or the new, never a part.
void replace_file(const fs::path& file, const std::string& content) {
  const fs::path draft = file.string() + ".new";
  {
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    out << content;
    out.flush();
    if (!out) not_written(draft, errno);
  }
  std::error_code error;
  fs::rename(draft, file, error);
  if (error) not_written(file, error.value());
}

std::optional<std::string> content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

json to_json(const HostFacts& host) {
  return {{"cpu_model", host.cpu_model}, {"machine", host.machine},
          {"cores", host.cores},         {"environment", host.environment},
          {"variables", host.variables}, {"fingerprint", host.fingerprint()}};
}

HostFacts host_from(const json& object) {
  HostFacts host;
  host.cpu_model = object.at("cpu_model").get<std::string>();
  host.machine = object.at("machine").get<std::string>();
  host.cores = object.at("cores").get<std::int64_t>();
  host.environment = object.at("environment").get<std::string>();
  host.variables = object.at("variables").get<std::map<std::string, std::string>>();
  return host;
}

StudyPlan plan_from(const json& object, const std::string& origin) {
  StudyPlan plan;
  plan.study = object.at("study").get<std::string>();
  plan.build_id = object.at("build_id").get<std::string>();
  plan.host = host_from(object.at("host"));
  for (const auto& run : object.at("runs")) {
    plan.matrix.runs.push_back(run_spec_from_json_text(run.dump(), origin));
  }
  for (const auto& skipped : object.at("skipped")) {
    plan.matrix.skipped.push_back(
        {skipped.at("combination").get<std::string>(), skipped.at("reason").get<std::string>()});
  }
  return plan;
}

LaunchRecord launch_from(const json& object) {
  LaunchRecord record;
  record.build_id = object.at("build_id").get<std::string>();
  record.content_hash = object.at("content_hash").get<std::string>();
  record.host = object.at("host").get<std::string>();
  record.host_fingerprint = object.at("host_fingerprint").get<std::string>();
  record.driver_process_id = object.at("driver_process_id").get<std::int64_t>();
  record.started_utc = object.at("started_utc").get<std::string>();
  record.commands = object.at("commands").get<std::vector<std::string>>();
  record.status = object.at("status").get<std::string>();
  record.reason = object.at("reason").get<std::string>();
  record.launch_wall_time_s = object.at("launch_wall_time_s").get<double>();
  record.resumed = object.value("resumed", false);
  return record;
}

}  // namespace

void StudyFolder::write_study(const std::string& requested_json) const {
  replace_file(folder_ / "study.json", requested_json + "\n");
}

void StudyFolder::write_plan(const StudyPlan& plan) const {
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
  replace_file(folder_ / "plan.json", object.dump(2) + "\n");
}

StudyPlan StudyFolder::read_plan() const {
  require_study();
  const auto file = folder_ / "plan.json";
  try {
    return plan_from(json::parse(content_of(file).value_or("")), file.string());
  } catch (const json::exception& error) {
    throw BadInput({cat(file.string(), " is damaged: ", error.what()),
                    "it lists the runs of the study",
                    "Start the study into a new folder, or restore the file"});
  }
}

void StudyFolder::prepare_run(const RunSpec& spec) const {
  const auto folder = run_folder(spec.run_id());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) not_written(folder, error.value());
  replace_file(folder / "spec.json", to_json_text(spec) + "\n");
}

void StudyFolder::write_launch(const std::string& run_id, const LaunchRecord& record) const {
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
  constexpr auto lossy = json::error_handler_t::replace;  // a reason may quote any bytes
  replace_file(run_folder(run_id) / "launch.json", object.dump(2, ' ', false, lossy) + "\n");
}

std::optional<LaunchRecord> StudyFolder::read_launch(const std::string& run_id) const {
  const auto content = content_of(run_folder(run_id) / "launch.json");
  if (!content) return {};
  try {
    return launch_from(json::parse(*content));
  } catch (const json::exception&) {
    return {};
  }
}

}  // namespace scalestudy
