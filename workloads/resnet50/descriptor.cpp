#include <nlohmann/json.hpp>

#include "workloads/catalogue.hpp"
#include "workloads/resnet50/samples.hpp"
#include "workloads/resnet50/settings.hpp"

namespace scalestudy {
namespace resnet50 {

namespace {

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
  Settings settings;
  return field_names([&](FieldVisitor& visitor) { visit(visitor, settings); });
}

std::int64_t training_sample_count(const RunSpec& spec) {
  return count_training_samples(spec.data.path, settings_from_json_text(spec.workload_settings));
}

/// What other workloads do with their data has no meaning here.
std::string reason_to_skip(const RunSpec& spec) {
  if (!spec.data.reference_path.empty()) return "data.reference_path has no meaning for resnet50";
  if (spec.data.added_noise_std > 0) return "data.added_noise_std has no meaning for resnet50";
  return "";
}

}  // namespace
}  // namespace resnet50

const WorkloadDescriptor& resnet50_descriptor() {
  static const WorkloadDescriptor descriptor{
      .name = "resnet50",
      .summary = "Classification of pictures in class folders (He et al. 2016)",
      .needs_libtorch = true,
      .quality_metrics = {"top1_frac", "top5_frac", "loss"},
      .complete_settings = resnet50::complete_settings,
      .settings_schema = resnet50::settings_schema,
      .setting_names = resnet50::setting_names,
      .training_sample_count = resnet50::training_sample_count,
      .reason_to_skip = resnet50::reason_to_skip,
  };
  return descriptor;
}

}  // namespace scalestudy
