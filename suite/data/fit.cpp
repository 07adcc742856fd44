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

Image fitted_mask(const Image& mask,
                  const MaskReading& reading,
                  Fit fit,
                  const PictureSize& size,
                  ResizeFilter filter) {
  constexpr MaskReading half_a_pixel{Foreground::above_threshold, 0.5, {}};
  return binary_mask(fitted(binary_mask(mask, reading), fit, size, filter), half_a_pixel);
}

}  // namespace scalestudy
