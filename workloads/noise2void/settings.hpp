#pragma once
/// Noise2Void's own settings, beside the common ones in a study's "settings". Defaults are those of
/// the published 1-versus-4-GPU experiment (see README.md here). Light: no LibTorch.

#include <cstdint>
#include <string>
#include <vector>

#include "study/fields.hpp"

namespace scalestudy::noise2void {

enum class MaskCountRule { original, nominal };
enum class Manipulator { uniform_with_cp };
enum class LossKind { mse, mae };
enum class AugmentationRule { eightfold, none };
enum class SplitRule { split_first, original };
enum class FewPatchesRule { refuse, allow };

}  // namespace scalestudy::noise2void

namespace scalestudy {

template <>
inline constexpr auto choices<noise2void::MaskCountRule> = std::array{
    Choice{
        noise2void::MaskCountRule::original, "original",
        "round(sqrt(1/frac)) in 3D too, as n2v computes it (about 6 voxels per published patch)"},
    Choice{noise2void::MaskCountRule::nominal, "nominal",
           "round(cbrt(1/frac)), which masks what was asked for"}};
template <>
inline constexpr auto choices<noise2void::Manipulator> =
    std::array{Choice{noise2void::Manipulator::uniform_with_cp, "uniform_with_cp",
                      "the value of any voxel of the window, with equal chance"}};
template <>
inline constexpr auto choices<noise2void::LossKind> =
    std::array{Choice{noise2void::LossKind::mse, "mse", "mean squared error"},
               Choice{noise2void::LossKind::mae, "mae", "mean absolute error"}};
template <>
inline constexpr auto choices<noise2void::AugmentationRule> =
    std::array{Choice{noise2void::AugmentationRule::eightfold, "eightfold",
                      "four rotations in YX, each also flipped"},
               Choice{noise2void::AugmentationRule::none, "none"}};
template <>
inline constexpr auto choices<noise2void::SplitRule> =
    std::array{Choice{noise2void::SplitRule::split_first, "split_first",
                      "validation patches are set aside before augmentation"},
               Choice{noise2void::SplitRule::original, "original",
                      "augmented and shuffled before the cut, as n2v's notebook, so that copies of "
                      "training patches are in the validation set"}};
template <>
inline constexpr auto choices<noise2void::FewPatchesRule> =
    std::array{Choice{noise2void::FewPatchesRule::refuse, "refuse"},
               Choice{noise2void::FewPatchesRule::allow, "allow"}};

}  // namespace scalestudy

namespace scalestudy::noise2void {

struct Settings {
  std::vector<std::int64_t> patch{16, 64, 64};  ///< (Z, Y, X)
  double masked_frac = 0.00198;                 ///< share of voxels asked for
  MaskCountRule mask_count_rule = MaskCountRule::original;
  Manipulator manipulator = Manipulator::uniform_with_cp;
  std::int64_t neighbourhood_radius_vox = 5;
  LossKind loss = LossKind::mse;
  AugmentationRule augmentation = AugmentationRule::eightfold;
  SplitRule split_rule = SplitRule::split_first;
  double validation_frac = 0.1;
  double test_frac = 0;                   ///< of the patches; split_first only
  std::int64_t test_masks_per_patch = 8;  ///< each test patch is masked so often
  FewPatchesRule fewer_patches_than_batch = FewPatchesRule::refuse;
  std::int64_t depth = 2;
  std::int64_t first_filters = 32;
  std::vector<std::int64_t> prediction_tile{32, 128, 128};
  std::vector<std::int64_t> panel_region{32, 256, 256};
};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::noise2void
