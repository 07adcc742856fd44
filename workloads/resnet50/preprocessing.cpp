#include "workloads/resnet50/preprocessing.hpp"

#include "core/error.hpp"

#include "data/random.hpp"
#include "data/resize.hpp"

namespace scalestudy::resnet50 {
namespace {

/// A stream of its own beside the order of samples.
constexpr std::uint64_t augmentation_stream = 0x63726f70ULL;

std::int64_t draw_offset(Random& random, std::int64_t side_px) {
  const auto reach = side_px / 8;
  return random.below(2 * reach + 1) - reach;
}

}  // namespace

Augmentation draw_augmentation(const Settings& settings,
                               std::uint64_t seed,
                               std::int64_t position) {
  if (settings.augmentation == AugmentationRule::none) return {};
  Random random(seed ^ augmentation_stream, static_cast<std::uint64_t>(position));
  Augmentation drawn;
  drawn.down_px = draw_offset(random, settings.size[0]);
  drawn.right_px = draw_offset(random, settings.size[1]);
  drawn.mirrored = random.below(2) == 1;
  return drawn;
}

std::vector<std::int64_t> source_indices(std::int64_t size, std::int64_t offset, bool mirrored) {
  std::vector<std::int64_t> sources(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    const auto source = (mirrored ? size - 1 - i : i) + offset;
    sources[static_cast<std::size_t>(i)] = source >= 0 && source < size ? source : -1;
  }
  return sources;
}

Normalisation normalisation_of(const Settings& settings) {
  if (settings.normalisation == NormalisationRule::raw) return {};
  // Of red, green and blue over ImageNet, as torchvision gives them for values 0 … 1.
  constexpr std::array<double, 3> mean{0.485, 0.456, 0.406};
  constexpr std::array<double, 3> deviation{0.229, 0.224, 0.225};
  Normalisation result;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    result.mean[channel] = static_cast<float>(255 * mean[channel]);
    result.deviation[channel] = static_cast<float>(255 * deviation[channel]);
  }
  return result;
}

void to_planes(const Image& image, std::span<float> out) {
  SCALESTUDY_EXPECT(image.channels == 3 &&
                    static_cast<std::int64_t>(out.size()) == image.value_count());
  to_floats(image, image.type == SampleType::uint8 ? 1.0F : 255.0F / 65535.0F, out);
}

void preprocess(const Image& image,
                const Augmentation& augmentation,
                const Normalisation& normalisation,
                std::span<float> out) {
  thread_local std::vector<float> planes;
  planes.resize(out.size());
  to_planes(image, planes);
  const auto rows = source_indices(image.height_px, augmentation.down_px, false);
  const auto columns = source_indices(image.width_px, augmentation.right_px, augmentation.mirrored);
  const auto plane_size = static_cast<std::size_t>(image.height_px * image.width_px);
  auto* next = out.data();
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const auto* plane = planes.data() + channel * plane_size;
    for (const auto row : rows)
      for (const auto column : columns) {
        const float value = row < 0 || column < 0 ? 0.0F : plane[row * image.width_px + column];
        *next++ = (value - normalisation.mean[channel]) / normalisation.deviation[channel];
      }
  }
}

}  // namespace scalestudy::resnet50
