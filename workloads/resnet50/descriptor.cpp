#include "study/own_settings_json.hpp"
#include "study/unused_settings.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/resnet50/first_study.hpp"
#include "workloads/resnet50/network_size.hpp"
#include "workloads/resnet50/samples.hpp"
#include "workloads/resnet50/settings.hpp"

namespace scalestudy {

const WorkloadDescriptor& resnet50_descriptor() {
  static const WorkloadDescriptor descriptor{
      .name = "resnet50",
      .summary = "Classification of pictures, learnt from a folder per class (He et al. 2016)",
      .needs_libtorch = true,
      .quality_metrics = {"top1_frac", "top5_frac", "loss"},
      .complete_settings = OwnSettings<resnet50::Settings>::complete,
      .settings_schema = OwnSettings<resnet50::Settings>::schema,
      .setting_names = OwnSettings<resnet50::Settings>::names,
      .training_sample_count = resnet50::count_training_samples,
      .reason_to_skip = unused_volume_setting,
      .network_size = resnet50::network_size,
      .first_study = resnet50::first_study,
      .data_warnings = resnet50::data_warnings,
  };
  return descriptor;
}

}  // namespace scalestudy
