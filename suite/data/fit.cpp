#include "data/fit.hpp"

#include <cstdlib>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/resize.hpp"

namespace scalestudy {
namespace {

/// As colours are turned to grey in most programs.
std::int64_t luma(const Colour& colour) {
  return (std::int64_t{299} * colour[0] + std::int64_t{587} * colour[1] +
          std::int64_t{114} * colour[2] + 500) /
         1000;
}

/// In colour or grey; with equal sides. What is all alike is no picture.
bool is_same_picture(const Image& image, const Image& mask) {
  if (image.type != mask.type) return false;
  const auto first = image.colour_at(0, 0);
  bool is_alike = true;
  for (std::int64_t y = 0; y < image.height_px; ++y)
    for (std::int64_t x = 0; x < image.width_px; ++x) {
      const auto colour = image.colour_at(y, x);
      auto masked = mask.colour_at(y, x);
      if (masked[0] < mask.origin.palette.size()) masked = mask.origin.palette[masked[0]];
      if (std::abs(luma(colour) - luma(masked)) > 1) return false;
      is_alike = is_alike && colour == first;
    }
  return !is_alike;
}

}  // namespace

void require_own_mask(const Image& image,
                      const Image& mask,
                      const ImageSet& set,
                      std::size_t sample) {
  const auto& id = set.samples()[sample].id;
  const auto size = [](const Image& of) { return cat(of.height_px, " x ", of.width_px, " px"); };
  if (image.height_px != mask.height_px || image.width_px != mask.width_px)
    throw BadInput({cat("'", id, "' is ", size(image), ", its mask ", size(mask)),
                    "it is unknown which pixels belong together",
                    "Give a mask of the image's size"});
  if (is_same_picture(image, mask))
    throw BadInput(
        {cat("'", id, "' and its mask '", set.mask_name(sample), "' are the same picture"),
         "there is nothing to learn from", "Give the mask"});
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

Image fitted_mask(const Image& mask,
                  const MaskReading& reading,
                  Fit fit,
                  const PictureSize& size,
                  ResizeFilter filter) {
  constexpr MaskReading half_a_pixel{Foreground::above_threshold, 0.5, {}};
  return binary_mask(fitted(binary_mask(mask, reading), fit, size, filter), half_a_pixel);
}

}  // namespace scalestudy
