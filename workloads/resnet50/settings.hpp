#pragma once
/// ResNet50's own settings, beside the common ones in a study's "settings". Defaults are those of
/// the published multi-GPU tutorial (see README.md here). Light: no LibTorch.

#include <cstdint>
#include <string>
#include <vector>

#include "study/choices.hpp"
#include "study/fields.hpp"

namespace scalestudy::resnet50 {

enum class Variant { v1, v1_5 };
enum class AugmentationRule { none, crop_flip };
enum class NormalisationRule { raw, imagenet };

}  // namespace scalestudy::resnet50

namespace scalestudy {

template <>
inline constexpr auto choices<resnet50::Variant> =
    std::array{Choice{resnet50::Variant::v1, "v1",
                      "as Keras builds it (stride in the first 1x1 convolution, biases, batch norm "
                      "epsilon 1.001e-5, Glorot kernels)"},
               Choice{resnet50::Variant::v1_5, "v1.5",
                      "as torchvision (stride in the 3x3 convolution, no biases, epsilon 1e-5, "
                      "Kaiming kernels)"}};
template <>
inline constexpr auto choices<resnet50::AugmentationRule> =
    std::array{Choice{resnet50::AugmentationRule::none, "none"},
               Choice{resnet50::AugmentationRule::crop_flip, "crop_flip",
                      "the picture is shifted by up to an eighth of its sides (zero padding, then "
                      "a random crop) and mirrored left to right half the time"}};
template <>
inline constexpr auto choices<resnet50::NormalisationRule> =
    std::array{Choice{resnet50::NormalisationRule::raw, "raw", "values 0 to 255"},
               Choice{resnet50::NormalisationRule::imagenet, "imagenet",
                      "each channel's mean over ImageNet taken off, divided by its deviation"}};

}  // namespace scalestudy

namespace scalestudy::resnet50 {

struct Settings {
  Variant variant = Variant::v1;
  std::vector<std::int64_t> size{224, 224};  ///< (height, width)
  Fit fit = usual_fit_in_classes;            ///< how pictures come to `size`
  std::int64_t classes = 0;                  ///< 0: as many as the data have
  AugmentationRule augmentation = AugmentationRule::none;
  NormalisationRule normalisation = NormalisationRule::raw;
  double label_smoothing_frac = 0;
  double validation_frac = 0.1;  ///< of train, when the data have no valid folder
  double test_frac = 0;          ///< of train, when the data have no test folder
  std::int64_t split_seed = 1;
  OverlapRule evaluation_overlap = OverlapRule::refuse;
};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::resnet50
