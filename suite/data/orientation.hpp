#pragma once
/// How a camera was held: the orientation tag of EXIF 2.32, section 4.6.4, and of TIFF 6.0.

#include <cstddef>
#include <span>
#include <string>

#include "data/image.hpp"

namespace scalestudy {

inline constexpr int upright = 1;

/// 1 to 8; `upright` where `exif` (from its byte order mark on) names none.
[[nodiscard]] int orientation_in(std::span<const std::byte> exif);

/// As it is to be looked at, of the same origin. Of pictures with masks and of masks nothing is
/// turned: whether a mask was drawn on the turned picture is unknown. Errors: BadInput for these.
[[nodiscard]] Image turned(Image image, int orientation, PictureUse use, const std::string& name);

}  // namespace scalestudy
