#include <array>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/own_settings_json.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/noise2void/data_warnings.hpp"
#include "workloads/noise2void/first_study.hpp"
#include "workloads/noise2void/network_size.hpp"
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

/// LibTorch 2.11 on a CPU: where a 3D convolution in bf16 has an input of exactly two planes, the
/// gradient of its weights contains memory that nobody wrote (random numbers, now and then NaN).
/// Seen with PyTorch itself on a processor with AVX512-BF16; 1, 3 and more planes are right.
bool has_level_of_two_planes(const Settings& settings) {
  for (std::int64_t level = 0; level <= settings.depth; ++level)
    if (settings.patch[0] >> level == 2) return true;
  return false;
}

/// What a study asks of PSNR must be measured.
std::string reason_against_goal(const RunSpec& spec) {
  if (spec.quality.metric != "psnr_db") return "";
  if (spec.data.reference_path.empty() && spec.data.added_noise_std == 0)
    return "quality.metric psnr_db needs a reference: give data.reference_path or "
           "data.added_noise_std, or take the metric loss";
  if (spec.quality.target > 0)
    return "psnr_db is measured once, at the end: no one would see when quality.target is reached; "
           "a target needs the metric loss";
  return "";
}

/// Every pooling halves each side, Z too.
std::string reason_to_skip(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto multiple = std::int64_t{1} << settings.depth;
  for (const auto side : settings.patch)
    if (side % multiple != 0)
      return cat("patch side ", side, " is no multiple of ", multiple, " (the network halves it ",
                 settings.depth, " times); the next one is ",
                 side > multiple ? side / multiple * multiple : multiple);
  if (settings.augmentation == AugmentationRule::eightfold &&
      settings.patch[1] != settings.patch[2])
    return cat(
        "augmentation eightfold turns patches by 90 degrees, so they need equal Y and X "
        "sides, not ",
        settings.patch[1], " and ", settings.patch[2], ": or augmentation \"none\"");
  if (settings.test_frac > 0 && settings.split_rule == SplitRule::original)
    return "settings.test_frac needs split_rule split_first: with \"original\" copies of training "
           "patches would be tested";
  if (settings.validation_frac + settings.test_frac >= 1)
    return "settings.validation_frac and test_frac leave no patch to train on: make one of them "
           "smaller";
  if (spec.settings.device == Device::cpu && spec.settings.precision == Precision::bf16 &&
      has_level_of_two_planes(settings))
    return cat("a patch of ", settings.patch[0], " planes is pooled down to 2 planes, for which ",
               "LibTorch's bf16 gradients are wrong on CPUs: give the patch 12, 16 or more planes");
  return reason_against_goal(spec);
}

constexpr std::array reach{
    SettingReach{"test_masks_per_patch",
                 [](const RunSpec& spec) {
                   return settings_from_json_text(spec.workload_settings).test_frac > 0;
                 },
                 "settings.test_frac above 0"},
    SettingReach{"last_batch", acts_never, "a set of pictures: noise2void has no last batch"},
    SettingReach{"input.worker_threads",
                 [](const RunSpec& spec) { return spec.input == InputKind::sharded; },
                 "input sharded"},
    SettingReach{"input.cache_bytes", acts_never, "a set of pictures"},
    SettingReach{"input.cache_shared", acts_never, "a set of pictures"}};

}  // namespace
}  // namespace noise2void

const WorkloadDescriptor& noise2void_descriptor() {
  static const WorkloadDescriptor descriptor{
      .name = "noise2void",
      .summary = "Denoising of 3D stacks, learnt from the noisy stack alone (Krull et al. 2019)",
      .needs_libtorch = true,
      .quality_metrics = {"psnr_db", "loss"},
      .complete_settings = OwnSettings<noise2void::Settings>::complete,
      .settings_schema = OwnSettings<noise2void::Settings>::schema,
      .setting_names = OwnSettings<noise2void::Settings>::names,
      .training_sample_count = noise2void::training_sample_count,
      .reason_to_skip = noise2void::reason_to_skip,
      .network_size = noise2void::network_size,
      .first_study = noise2void::first_study,
      .data_warnings = noise2void::data_warnings,
      .reach = noise2void::reach,
  };
  return descriptor;
}

}  // namespace scalestudy
