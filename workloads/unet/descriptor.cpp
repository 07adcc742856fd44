#include <array>

#include "core/text.hpp"

#include "study/own_settings_json.hpp"
#include "study/unused_settings.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/unet/first_study.hpp"
#include "workloads/unet/network_size.hpp"
#include "workloads/unet/samples.hpp"
#include "workloads/unet/settings.hpp"

namespace scalestudy {
namespace unet {
namespace {

std::string reason_to_skip(const RunSpec& spec) {
  const auto size = settings_from_json_text(spec.workload_settings).size;
  if ((size[0] == 0) != (size[1] == 0))
    return cat("settings.size is [", size[0], ", ", size[1], "]: give both sides, or [0, 0]");
  for (const auto side : size)
    if (side % side_multiple_px != 0)
      return cat("side ", side, " of settings.size is no multiple of ", side_multiple_px,
                 " (the network halves it ", depth, " times)");
  return unused_volume_setting(spec);
}

bool resizes(const RunSpec& spec) {
  return settings_from_json_text(spec.workload_settings).size[0] > 0;
}

constexpr std::array reach{SettingReach{"fit", resizes, "settings.size"},
                           SettingReach{"resize_filter", resizes, "settings.size"}};

}  // namespace
}  // namespace unet

const WorkloadDescriptor& unet_descriptor() {
  static const WorkloadDescriptor descriptor{
      .name = "unet",
      .summary = "Segmentation of pictures by a U-Net, learnt from pictures with masks",
      .needs_libtorch = true,
      .quality_metrics = {"iou", "dice", "loss"},
      .complete_settings = OwnSettings<unet::Settings>::complete,
      .settings_schema = OwnSettings<unet::Settings>::schema,
      .setting_names = OwnSettings<unet::Settings>::names,
      .training_sample_count = unet::training_sample_count,
      .reason_to_skip = unet::reason_to_skip,
      .network_size = unet::network_size,
      .first_study = unet::first_study,
      .data_warnings = unet::data_warnings,
      .reach = unet::reach,
  };
  return descriptor;
}

}  // namespace scalestudy
