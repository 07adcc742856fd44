#pragma once
/// The U-Net's own settings, beside the common ones in a study's "settings". Sources: README.md
/// here. Light: no LibTorch.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "study/choices.hpp"
#include "study/fields.hpp"

namespace scalestudy::unet {

enum class BatchNormRule { keras, torch };
enum class Initialisation { keras, torch };

}  // namespace scalestudy::unet

namespace scalestudy {

template <>
inline constexpr auto choices<unet::BatchNormRule> =
    std::array{Choice{unet::BatchNormRule::keras, "keras", "epsilon 1e-3, a new batch counts 0.01"},
               Choice{unet::BatchNormRule::torch, "torch", "epsilon 1e-5, a new batch counts 0.1"}};
template <>
inline constexpr auto choices<unet::Initialisation> = std::array{
    Choice{unet::Initialisation::keras, "keras", "Glorot uniform kernels, zero biases"},
    Choice{unet::Initialisation::torch, "torch", "uniform within 1/sqrt(fan in), biases too"}};

}  // namespace scalestudy

namespace scalestudy::unet {

struct Settings {
  std::vector<std::int64_t> size{0, 0};  ///< (height, width); 0: as stored
  Fit fit = usual_fit_with_masks;        ///< how pictures come to `size`
  ResizeFilter resize_filter = ResizeFilter::antialiased;
  double training_frac = 0.8;
  double test_frac = 0;  ///< what neither trains nor tests validates
  std::int64_t split_seed = 42;
  std::int64_t repeat_training_list = 1;
  double mask_threshold_frac = -1;  ///< below 0: by what the masks hold
  OverlapRule evaluation_overlap = OverlapRule::refuse;
  BatchNormRule batch_norm_rule = BatchNormRule::keras;
  Initialisation initialisation = Initialisation::keras;
  std::int64_t panel_samples = 3;
};

/// The network halves each side so often; sides are multiples of 2^depth.
inline constexpr std::int64_t depth = 4;
inline constexpr std::int64_t side_multiple_px = std::int64_t{1} << depth;

/// Filters of the network per level, the bottom last.
inline constexpr std::array<std::int64_t, depth + 1> filters{8, 16, 32, 64, 128};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::unet
