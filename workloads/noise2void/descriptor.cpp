#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/noise2void/settings.hpp"

namespace scalestudy {
namespace noise2void {

namespace {

nlohmann::json all_settings() {
  Settings settings;
  return write_fields([&](FieldVisitor& visitor) { visit(visitor, settings); });
}

std::string complete_settings(const nlohmann::json& own_settings, const std::string& json_path) {
  Settings settings;
  const auto walk = [&](FieldVisitor& visitor) { visit(visitor, settings); };
  read_fields(own_settings, json_path, walk);
  return write_fields(walk).dump();
}

nlohmann::json settings_schema() {
  Settings settings;
  return schema_of_fields([&](FieldVisitor& visitor) { visit(visitor, settings); });
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  const auto settings = all_settings();  // kept: items() refers to it
  for (const auto& [name, value] : settings.items()) names.push_back(name);
  return names;
}

std::int64_t training_sample_count(const RunSpec&) {
  throw BadInput({"settings.steps_per_epoch is 0",
                  "noise2void draws its patches without end: it "
                  "has no pass to take as an epoch",
                  "Give the steps, e.g. 400"});
}

/// Every pooling halves each side, Z too.
std::string reason_to_skip(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto multiple = std::int64_t{1} << settings.depth;
  for (const auto side : settings.patch)
    if (side % multiple != 0)
      return cat("patch side ", side, " is no multiple of ", multiple, " (the network halves it ",
                 settings.depth, " times)");
  return "";
}

}  // namespace
}  // namespace noise2void

const WorkloadDescriptor& noise2void_descriptor() {
  static const WorkloadDescriptor descriptor{
      .name = "noise2void",
      .summary = "Self-supervised 3D denoising with blind-spot masks (Krull et al. 2019)",
      .needs_libtorch = true,
      .quality_metrics = {"psnr_db", "loss"},
      .complete_settings = noise2void::complete_settings,
      .settings_schema = noise2void::settings_schema,
      .setting_names = noise2void::setting_names,
      .training_sample_count = noise2void::training_sample_count,
      .reason_to_skip = noise2void::reason_to_skip,
  };
  return descriptor;
}

}  // namespace scalestudy
