#include "data/resize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/error.hpp"

namespace scalestudy {
namespace {

/// Weights are integers over 2^22, as in Pillow: sums are exact, so the result is the same on every
/// machine, and eight bits of value and the sign still fit into 32.
constexpr int weight_bits = 22;

/// Halves go up, as in Pillow.
std::int64_t nearest_integer(double value) {
  return static_cast<std::int64_t>(std::floor(value + 0.5));
}

/// Which input positions make up one output position, and how much each counts.
struct Taps {
  std::int64_t first = 0;
  std::int64_t count = 0;
  const std::int32_t* weights = nullptr;
};

/// The taps of every output position along one axis.
class AxisWeights {
 public:
  AxisWeights(std::int64_t in_px, std::int64_t out_px, ResizeFilter filter) {
    const double step = static_cast<double>(in_px) / static_cast<double>(out_px);
    const double reach = filter == ResizeFilter::antialiased ? std::max(step, 1.0) : 1.0;
    stride_ = 2 * static_cast<std::int64_t>(std::ceil(reach)) + 1;
    weights_.resize(static_cast<std::size_t>(out_px * stride_));
    taps_.reserve(static_cast<std::size_t>(out_px));
    for (std::int64_t out = 0; out < out_px; ++out) {
      const double center = (static_cast<double>(out) + 0.5) * step;
      const auto first = std::max(nearest_integer(center - reach), std::int64_t{0});
      const auto last = std::min(nearest_integer(center + reach), in_px);
      auto* const weights = weights_.data() + out * stride_;
      fill_triangle(center - static_cast<double>(first), reach, {weights, weights + last - first});
      taps_.push_back({first, last - first, weights});
    }
  }
  AxisWeights(const AxisWeights&) = delete;
  AxisWeights& operator=(const AxisWeights&) = delete;

  [[nodiscard]] std::span<const Taps> taps() const { return taps_; }

 private:
  static void fill_triangle(double center, double reach, std::span<std::int32_t> weights) {
    const auto height_at = [center, reach](std::size_t i) {
      const double distance = (static_cast<double>(i) - center + 0.5) * (1.0 / reach);
      return std::max(0.0, 1.0 - std::abs(distance));
    };
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += height_at(i);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] =
          static_cast<std::int32_t>(nearest_integer(height_at(i) / sum * (1 << weight_bits)));
  }

  std::int64_t stride_ = 0;
  std::vector<std::int32_t> weights_;
  std::vector<Taps> taps_;
};

template <class T>
using Sum = std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>;

template <class T>
constexpr Sum<T> half = Sum<T>{1} << (weight_bits - 1);

/// Weights are positive and sum to 1 up to rounding, so only the upper end can be passed.
template <class T>
T rounded(Sum<T> sum) {
  constexpr Sum<T> most = std::numeric_limits<T>::max();
  return static_cast<T>(std::min(most, static_cast<Sum<T>>(sum >> weight_bits)));
}

template <class T, int channels>
void resize_row(const T* in, std::span<const Taps> taps, T* out) {
  for (const auto& tap : taps) {
    std::array<Sum<T>, channels> sums{};
    sums.fill(half<T>);
    const T* from = in + tap.first * channels;
    for (std::int64_t i = 0; i < tap.count; ++i)
      for (int c = 0; c < channels; ++c) sums[c] += Sum<T>{*from++} * tap.weights[i];
    for (int c = 0; c < channels; ++c) *out++ = rounded<T>(sums[c]);
  }
}

/// In blocks whose sums stay in registers.
template <class T>
void blend_rows(const T* first_row, std::int64_t row_values, const Taps& taps, T* out) {
  constexpr std::int64_t block = 16;
  const auto blend = [&](std::int64_t begin, std::int64_t count) {
    std::array<Sum<T>, block> sums{};
    sums.fill(half<T>);
    for (std::int64_t i = 0; i < taps.count; ++i) {
      const T* from = first_row + i * row_values + begin;
      for (std::int64_t x = 0; x < count; ++x) sums[x] += Sum<T>{from[x]} * taps.weights[i];
    }
    for (std::int64_t x = 0; x < count; ++x) out[begin + x] = rounded<T>(sums[x]);
  };
  std::int64_t begin = 0;
  for (; begin + block <= row_values; begin += block) blend(begin, block);
  if (begin < row_values) blend(begin, row_values - begin);
}

template <class T>
const T* values_of(const Image& image) {
  return reinterpret_cast<const T*>(image.bytes.data());
}

template <class T>
T* values_of(Image& image) {
  return reinterpret_cast<T*>(image.bytes.data());
}

template <class T>
Image with_width(const Image& image, std::int64_t width_px, ResizeFilter filter) {
  const AxisWeights weights(image.width_px, width_px, filter);
  Image out = blank_image(image.height_px, width_px, image.channels, image.type);
  for (std::int64_t y = 0; y < image.height_px; ++y) {
    const T* from = values_of<T>(image) + y * image.width_px * image.channels;
    T* to = values_of<T>(out) + y * width_px * image.channels;
    image.channels == 1 ? resize_row<T, 1>(from, weights.taps(), to)
                        : resize_row<T, 3>(from, weights.taps(), to);
  }
  return out;
}

template <class T>
Image with_height(const Image& image, std::int64_t height_px, ResizeFilter filter) {
  const AxisWeights weights(image.height_px, height_px, filter);
  Image out = blank_image(height_px, image.width_px, image.channels, image.type);
  const auto row_values = image.width_px * image.channels;
  T* to = values_of<T>(out);
  for (const auto& taps : weights.taps()) {
    blend_rows(values_of<T>(image) + taps.first * row_values, row_values, taps, to);
    to += row_values;
  }
  return out;
}

/// Which axis goes first decides the last bit, because values are rounded in between: the width,
/// unless the height loses more than twice as many pixels as the width, as in Pillow 13.
template <class T>
Image resized_as(const Image& image,
                 std::int64_t height_px,
                 std::int64_t width_px,
                 ResizeFilter filter) {
  if (width_px == image.width_px) return with_height<T>(image, height_px, filter);
  if (height_px == image.height_px) return with_width<T>(image, width_px, filter);
  const auto lost_height_px = image.height_px - height_px;
  const auto lost_width_px = image.width_px - width_px;
  const bool height_first = lost_height_px > 0 && lost_height_px > 2 * lost_width_px;
  return height_first ? with_width<T>(with_height<T>(image, height_px, filter), width_px, filter)
                      : with_height<T>(with_width<T>(image, width_px, filter), height_px, filter);
}

template <class T>
void replicate_grey(const Image& grey, Image& rgb) {
  for (std::int64_t i = 0; i < grey.value_count(); ++i)
    std::fill_n(values_of<T>(rgb) + 3 * i, 3, values_of<T>(grey)[i]);
}

template <class T>
void take_luma(const Image& rgb, Image& grey) {
  for (std::int64_t i = 0; i < grey.value_count(); ++i) {
    const T* value = values_of<T>(rgb) + 3 * i;
    values_of<T>(grey)[i] =
        static_cast<T>((std::int64_t{299} * value[0] + std::int64_t{587} * value[1] +
                        std::int64_t{114} * value[2] + 500) /
                       1000);
  }
}

template <class T>
void write_planes(const Image& image, float scale, float* out) {
  const auto pixels = image.height_px * image.width_px;
  const T* values = values_of<T>(image);
  for (std::int64_t c = 0; c < image.channels; ++c)
    for (std::int64_t i = 0; i < pixels; ++i)
      *out++ = static_cast<float>(values[i * image.channels + c]) * scale;
}

void require_pixels(const Image& image) {
  SCALESTUDY_EXPECT(image.channels == 1 || image.channels == 3);
  SCALESTUDY_EXPECT(image.value_count() > 0 &&
                    std::ssize(image.bytes) ==
                        image.value_count() * std::int64_t(bytes_per_value(image.type)));
}

}  // namespace

Image resized(const Image& image,
              std::int64_t height_px,
              std::int64_t width_px,
              ResizeFilter filter) {
  SCALESTUDY_EXPECT(height_px > 0 && width_px > 0);
  require_pixels(image);
  if (height_px == image.height_px && width_px == image.width_px) return image;
  return image.type == SampleType::uint8
             ? resized_as<std::uint8_t>(image, height_px, width_px, filter)
             : resized_as<std::uint16_t>(image, height_px, width_px, filter);
}

Image resized_with_padding(const Image& image,
                           std::int64_t height_px,
                           std::int64_t width_px,
                           ResizeFilter filter) {
  SCALESTUDY_EXPECT(height_px > 0 && width_px > 0);
  require_pixels(image);
  // The side that fills its target decides the ratio; whole numbers, so nothing rounds wrongly.
  const auto h = image.height_px;
  const auto w = image.width_px;
  const bool width_fills = w * height_px >= h * width_px;
  const auto inner_height_px =
      width_fills ? std::max<std::int64_t>(1, h * width_px / w) : height_px;
  const auto inner_width_px = width_fills ? width_px : std::max<std::int64_t>(1, w * height_px / h);
  const auto top_px = width_fills ? (height_px * w - h * width_px) / (2 * w) : 0;
  const auto left_px = width_fills ? 0 : (width_px * h - w * height_px) / (2 * h);

  const Image inner = resized(image, inner_height_px, inner_width_px, filter);
  Image out = blank_image(height_px, width_px, image.channels, image.type);
  const auto px_bytes = image.channels * static_cast<std::int64_t>(bytes_per_value(image.type));
  for (std::int64_t y = 0; y < inner_height_px; ++y)
    std::copy_n(inner.bytes.begin() + y * inner_width_px * px_bytes, inner_width_px * px_bytes,
                out.bytes.begin() + ((top_px + y) * width_px + left_px) * px_bytes);
  return out;
}

Image with_channels(const Image& image, std::int64_t channels) {
  SCALESTUDY_EXPECT(channels == 1 || channels == 3);
  require_pixels(image);
  if (channels == image.channels) return image;
  Image out = blank_image(image.height_px, image.width_px, channels, image.type);
  const bool is_8_bit = image.type == SampleType::uint8;
  if (channels == 3)
    is_8_bit ? replicate_grey<std::uint8_t>(image, out) : replicate_grey<std::uint16_t>(image, out);
  else
    is_8_bit ? take_luma<std::uint8_t>(image, out) : take_luma<std::uint16_t>(image, out);
  return out;
}

void to_floats(const Image& image, float scale, std::span<float> out_chw) {
  require_pixels(image);
  SCALESTUDY_EXPECT(std::ssize(out_chw) == image.value_count());
  image.type == SampleType::uint8 ? write_planes<std::uint8_t>(image, scale, out_chw.data())
                                  : write_planes<std::uint16_t>(image, scale, out_chw.data());
}

}  // namespace scalestudy
