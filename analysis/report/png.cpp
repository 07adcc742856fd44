#include "analysis/report/png.hpp"

#include <algorithm>
#include <cmath>

#include <zlib.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append_big_endian(Bytes& bytes, std::uint32_t value) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

void append_chunk(Bytes& png, const std::string& type, const Bytes& data) {
  append_big_endian(png, static_cast<std::uint32_t>(data.size()));
  Bytes body(type.begin(), type.end());
  body.insert(body.end(), data.begin(), data.end());
  png.insert(png.end(), body.begin(), body.end());
  append_big_endian(
      png, static_cast<std::uint32_t>(crc32(0, body.data(), static_cast<uInt>(body.size()))));
}

/// Colour types of PNG: 0 is grey, 2 RGB.
Bytes header_chunk(std::int64_t width_px, std::int64_t height_px, std::uint8_t color_type) {
  Bytes header;
  append_big_endian(header, static_cast<std::uint32_t>(width_px));
  append_big_endian(header, static_cast<std::uint32_t>(height_px));
  for (const std::uint8_t field :
       {std::uint8_t{8}, color_type, std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}})
    header.push_back(field);
  return header;
}

/// Every row starts with its filter type; 0: none.
Bytes filtered_rows(const Bytes& pixels, std::size_t row_bytes) {
  Bytes rows;
  for (std::size_t first = 0; first < pixels.size(); first += row_bytes) {
    rows.push_back(0);
    rows.insert(rows.end(), pixels.begin() + static_cast<std::ptrdiff_t>(first),
                pixels.begin() + static_cast<std::ptrdiff_t>(first + row_bytes));
  }
  return rows;
}

Bytes compressed(const Bytes& data) {
  uLongf size = compressBound(data.size());
  Bytes out(size);
  SCALESTUDY_EXPECT(compress2(out.data(), &size, data.data(), data.size(), 9) == Z_OK);
  out.resize(size);
  return out;
}

Bytes png_of(const Bytes& header, const Bytes& rows) {
  Bytes png{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", compressed(rows));
  append_chunk(png, "IEND", {});
  return png;
}

}  // namespace

std::uint8_t shown_grey(float pixel, const Contrast& contrast) {
  if (!std::isfinite(pixel) || contrast.high <= contrast.low) return 0;
  const float scaled = (pixel - contrast.low) / (contrast.high - contrast.low);
  return static_cast<std::uint8_t>(std::lround(std::clamp(scaled, 0.0F, 1.0F) * 255.0F));
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
  return png_of(header_chunk(panel.width_px, panel.height_px, 0),
                filtered_rows(pixels, static_cast<std::size_t>(panel.width_px)));
}

std::vector<std::uint8_t> encode_png(const RgbImage& image) {
  return png_of(header_chunk(image.width_px, image.height_px, 2),
                filtered_rows(image.pixels, static_cast<std::size_t>(3 * image.width_px)));
}

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t present = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8U | (j < present ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= present ? digits[group >> (18U - 6U * j) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace scalestudy
