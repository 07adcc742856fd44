#pragma once
/// From a picture to the floats that the network takes: augmentation, then normalisation. Light.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/image.hpp"

#include "workloads/resnet50/settings.hpp"

namespace scalestudy::resnet50 {

/// What is drawn for one sample. Pixel (y, x) of the result is pixel (y + down, x + right) of the
/// picture, or black outside; mirrored left to right afterwards.
struct Augmentation {
  std::int64_t down_px = 0;
  std::int64_t right_px = 0;
  bool mirrored = false;
  bool operator==(const Augmentation&) const = default;
};

/// Depends on its arguments only: not on ranks, workers or what was drawn before. crop_flip: shifts
/// up to an eighth of each side, as He et al. 2016 do with CIFAR's 32 px (4 px of padding).
[[nodiscard]] Augmentation draw_augmentation(const Settings& settings,
                                             std::uint64_t seed,
                                             std::int64_t position);

/// Which column of the picture column x of the result shows, or −1 for black; rows likewise with
/// `offset` down and never mirrored.
[[nodiscard]] std::vector<std::int64_t> source_indices(std::int64_t size,
                                                       std::int64_t offset,
                                                       bool mirrored);

/// Values 0 … 255 become (value − mean) / deviation, per channel; raw: mean 0, deviation 1.
struct Normalisation {
  std::array<float, 3> mean{0, 0, 0};
  std::array<float, 3> deviation{1, 1, 1};
};
[[nodiscard]] Normalisation normalisation_of(const Settings& settings);

/// Shape: out (3, height, width), values 0 … 255 (16-bit pictures are scaled), not normalised.
void to_planes(const Image& image, std::span<float> out);

/// The same, shifted, mirrored and normalised.
void preprocess(const Image& image,
                const Augmentation& augmentation,
                const Normalisation& normalisation,
                std::span<float> out);

}  // namespace scalestudy::resnet50
