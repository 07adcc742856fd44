#include "core/error.hpp"
#include "core/text.hpp"

#include "study/own_settings_json.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/noise2void/settings.hpp"

namespace scalestudy {
namespace noise2void {
namespace {

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
      .complete_settings = OwnSettings<noise2void::Settings>::complete,
      .settings_schema = OwnSettings<noise2void::Settings>::schema,
      .setting_names = OwnSettings<noise2void::Settings>::names,
      .training_sample_count = noise2void::training_sample_count,
      .reason_to_skip = noise2void::reason_to_skip,
  };
  return descriptor;
}

}  // namespace scalestudy
