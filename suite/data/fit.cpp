#include "data/fit.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/resize.hpp"

namespace scalestudy {

void require_equal_sides(const Image& image, const Image& mask, const std::string& sample) {
  if (image.height_px == mask.height_px && image.width_px == mask.width_px) return;
  const auto size = [](const Image& of) { return cat(of.height_px, " x ", of.width_px, " px"); };
  throw BadInput({cat("'", sample, "' is ", size(image), ", its mask ", size(mask)),
                  "it is unknown which pixels belong together", "Give a mask of the image's size"});
}

Image fitted(const Image& image, Fit fit, const PictureSize& size, ResizeFilter filter) {
  switch (fit) {
    case Fit::padded:
      return resized_with_padding(image, size.height_px, size.width_px, filter);
    case Fit::stretched:
      return resized(image, size.height_px, size.width_px, filter);
  }
  SCALESTUDY_EXPECT(false);
}

Image binary_mask(const Image& mask, double threshold_frac) {
  const auto grey = with_channels(mask, 1);
  const auto threshold = threshold_frac * static_cast<double>(grey.max_value());
  auto binary = blank_image(grey.height_px, grey.width_px, 1, SampleType::uint8);
  auto* pixel = binary.bytes.data();
  for (std::int64_t y = 0; y < grey.height_px; ++y)
    for (std::int64_t x = 0; x < grey.width_px; ++x)
      *pixel++ = static_cast<double>(grey.at(y, x, 0)) > threshold ? std::byte{255} : std::byte{0};
  return binary;
}

Image fitted_mask(const Image& mask,
                  double threshold_frac,
                  Fit fit,
                  const PictureSize& size,
                  ResizeFilter filter) {
  constexpr double half_a_pixel = 0.5;
  return binary_mask(fitted(binary_mask(mask, threshold_frac), fit, size, filter), half_a_pixel);
}

}  // namespace scalestudy
