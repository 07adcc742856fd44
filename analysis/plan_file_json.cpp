#include <fstream>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "analysis/plan_file.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw BadInput({cat(file.string(), ": ", what),
                  "the report could not say which planned runs are missing",
                  "Run `scalestudy run` again on this folder, or remove the damaged plan"});
}

}  // namespace

PlanFile read_plan_file(const std::filesystem::path& file) {
  PlanFile plan;
  std::ifstream in(file);
  if (!in) return plan;
  const json root = json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) refuse(file, "not a JSON object");
  const json none = json::array();
  for (const json& run : root.contains("runs") ? root["runs"] : none) {
    plan.run_ids.push_back(run_spec_from_json_text(run.dump(), file.string()).run_id());
  }
  for (const json& left_out : root.contains("skipped") ? root["skipped"] : none) {
    if (!left_out.is_object()) refuse(file, "/skipped holds an entry that is no object");
    plan.skipped.push_back({left_out.value("combination", ""), left_out.value("reason", "")});
  }
  return plan;
}

std::string reason_for_absence(const std::filesystem::path& run_folder) {
  std::ifstream in(run_folder / "launch.json");
  const json launch = in ? json::parse(in, nullptr, false) : json();
  if (!launch.is_object()) return "not started";
  const std::string status = launch.value("status", "");
  const std::string reason = launch.value("reason", "");
  if (status.empty()) return "started, nothing recorded yet";
  return reason.empty() ? status : cat(status, ": ", reason);
}

}  // namespace scalestudy
