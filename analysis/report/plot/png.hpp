#pragma once
/// Small grey images as PNG inside the page.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// Grey values shown black and white; outside they saturate.
struct Contrast {
  float low = 0;
  float high = 1;
};

/// The 0.5th and 99.5th percentile of the finite pixels: equal for all panels shown side by side.
[[nodiscard]] Contrast contrast_of(const Panel& panel);

/// The grey value shown, 0 … 255; 0 for a pixel that is not finite.
[[nodiscard]] std::uint8_t shown_grey(float pixel, const Contrast& contrast);

struct RgbImage {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::vector<std::uint8_t> pixels;  ///< (height, width, 3)
};

/// 8-bit colour PNG (RFC 2083).
[[nodiscard]] std::vector<std::uint8_t> encode_png(const RgbImage& image);

/// 8-bit grey PNG (RFC 2083). Pixels that are not finite become black.
[[nodiscard]] std::vector<std::uint8_t> encode_png(const Panel& panel, const Contrast& contrast);

/// RFC 4648.
[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace scalestudy
