#include "analysis/report/plot/png.hpp"

#include <algorithm>
#include <cmath>

#include <openssl/evp.h>
#include <png.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes encoded(std::int64_t height_px,
              std::int64_t width_px,
              png_uint_32 format,
              const Bytes& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_px);
  image.height = static_cast<png_uint_32>(height_px);
  image.format = format;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  Bytes png(size);
  SCALESTUDY_EXPECT(png_image_write_to_memory(&image, png.data(), &size, /*convert_to_8bit=*/0,
                                              pixels.data(), /*row_stride=*/0, nullptr) != 0);
  png.resize(size);
  return png;
}

}  // namespace

std::uint8_t shown_grey(float pixel, const Contrast& contrast) {
  if (!std::isfinite(pixel) || contrast.high <= contrast.low) return 0;
  // The difference of two floats need not be one.
  const double low = contrast.low, range = contrast.high - low;
  return static_cast<std::uint8_t>(std::lround(std::clamp((pixel - low) / range, 0.0, 1.0) * 255));
}

Contrast contrast_of(const Panel& panel) {
  std::vector<float> pixels;
  std::copy_if(panel.pixels.begin(), panel.pixels.end(), std::back_inserter(pixels),
               [](float v) { return std::isfinite(v); });
  if (pixels.empty()) return {};
  std::sort(pixels.begin(), pixels.end());
  const auto tail = static_cast<std::size_t>(static_cast<double>(pixels.size() - 1) * 0.005);
  return {pixels[tail], pixels[pixels.size() - 1 - tail]};
}

std::vector<std::uint8_t> encode_png(const Panel& panel, const Contrast& contrast) {
  Bytes pixels;
  for (const float pixel : panel.pixels) pixels.push_back(shown_grey(pixel, contrast));
  return encoded(panel.height_px, panel.width_px, PNG_FORMAT_GRAY, pixels);
}

std::vector<std::uint8_t> encode_png(const RgbImage& image) {
  return encoded(image.height_px, image.width_px, PNG_FORMAT_RGB, image.pixels);
}

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and the zero byte that OpenSSL adds
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace scalestudy
