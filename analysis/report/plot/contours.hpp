#pragma once
/// Outlines of segmented regions over the picture they were found in.

#include <array>
#include <cstdint>
#include <span>

#include "analysis/report/plot/png.hpp"

namespace scalestudy {

using Rgb = std::array<std::uint8_t, 3>;

/// The line where `probability` (of the picture's size) crosses 0.5.
struct Contour {
  const Panel* probability = nullptr;
  Rgb colour{};
  bool dashed = false;
};

/// The picture, enlarged by a whole factor to at least 384 pixels in width, so that lines (two
/// pixels thick then) are no coarser than its own pixels; later contours lie above earlier ones.
[[nodiscard]] RgbImage with_contours(const Panel& picture,
                                     const Contrast& contrast,
                                     std::span<const Contour> contours);

}  // namespace scalestudy
