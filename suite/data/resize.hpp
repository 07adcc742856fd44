#pragma once
/// Pictures at another size, and as the float planes that networks take.

#include <cstdint>
#include <span>

#include "study/choices.hpp"

#include "data/image.hpp"

namespace scalestudy {

/// Bilinear. `antialiased`, with a triangle filter that widens when shrinking: 8-bit pictures come
/// out bit-equal to Pillow 13's resize(..., BILINEAR), on every machine. `bilinear`: between the
/// two nearest pixel centres along each axis, as TensorFlow's resize without antialias, rounded.
/// Sides above 0.
[[nodiscard]] Image resized(const Image& image,
                            std::int64_t height_px,
                            std::int64_t width_px,
                            ResizeFilter filter = ResizeFilter::antialiased);

/// Keeps the aspect ratio, centred, the rest zero: sizes and offsets as TensorFlow's
/// image.resize_with_pad, pixels as `resized`.
[[nodiscard]] Image resized_with_padding(const Image& image,
                                         std::int64_t height_px,
                                         std::int64_t width_px,
                                         ResizeFilter filter = ResizeFilter::antialiased);

/// Grey to RGB repeats the value; RGB to grey takes the luma 0.299 R + 0.587 G + 0.114 B (ITU-R
/// BT.601), rounded; the same number of channels changes nothing. `channels`: 1 or 3.
[[nodiscard]] Image with_channels(const Image& image, std::int64_t channels);

/// Each value times `scale`. Shape: out (channels, height, width), value_count() floats.
void to_floats(const Image& image, float scale, std::span<float> out_chw);

}  // namespace scalestudy
