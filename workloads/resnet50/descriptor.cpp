#include "study/own_settings_json.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/resnet50/samples.hpp"
#include "workloads/resnet50/settings.hpp"

namespace scalestudy {
namespace resnet50 {
namespace {

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
      .complete_settings = OwnSettings<resnet50::Settings>::complete,
      .settings_schema = OwnSettings<resnet50::Settings>::schema,
      .setting_names = OwnSettings<resnet50::Settings>::names,
      .training_sample_count = resnet50::training_sample_count,
      .reason_to_skip = resnet50::reason_to_skip,
  };
  return descriptor;
}

}  // namespace scalestudy
