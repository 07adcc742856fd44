#pragma once
/// How pictures of different sizes come to one size: the same function wherever that happens, when
/// a pack is made (`data prepare --size`) and when a workload reads its samples (settings.size).

#include <cstdint>
#include <string>

#include "study/choices.hpp"

#include "data/image.hpp"
#include "data/mask_reading.hpp"

namespace scalestudy {

struct PictureSize {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
};

/// Errors: BadInput naming the sample when its mask has other sides than the image.
void require_equal_sides(const Image& image, const Image& mask, const std::string& sample);

/// Bilinear, see resize.hpp. Sides above 0.
[[nodiscard]] Image fitted(const Image& image,
                           Fit fit,
                           const PictureSize& size,
                           ResizeFilter filter = ResizeFilter::antialiased);

/// As binary_mask(), at another size: cut at the size it has, fitted, then foreground where more
/// than half a pixel is.
[[nodiscard]] Image fitted_mask(const Image& mask,
                                const MaskReading& reading,
                                Fit fit,
                                const PictureSize& size,
                                ResizeFilter filter = ResizeFilter::antialiased);

}  // namespace scalestudy
