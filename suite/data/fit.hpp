#pragma once
/// How pictures of different sizes come to one size: the same function wherever that happens, when
/// a pack is made (`data prepare --size`) and when a workload reads its samples (settings.size).

#include <cstddef>
#include <cstdint>

#include "study/choices.hpp"

#include "data/image_set.hpp"
#include "data/mask_reading.hpp"

namespace scalestudy {

struct PictureSize {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
};

/// Errors: BadInput naming both when the mask of a sample has other sides than its image, or is the
/// same picture.
void require_own_mask(const Image& image,
                      const Image& mask,
                      const ImageSet& set,
                      std::size_t sample);

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
