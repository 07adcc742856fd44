#pragma once
/// Writes PNG, JPEG and TIFF files for tests, well-formed ones and unusual ones.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "data/image.hpp"

namespace scalestudy::test {

/// Value at (y, x, channel): (37 y + 101 x + 59 channel + 13 x y) modulo 256, or 65536 in 16 bit
/// with everything times 251.
[[nodiscard]] Image pattern(std::int64_t height_px,
                            std::int64_t width_px,
                            std::int64_t channels,
                            SampleType type = SampleType::uint8);

/// Red, green, blue differ smoothly, as JPEG likes it.
[[nodiscard]] Image smooth(std::int64_t height_px, std::int64_t width_px, std::int64_t channels);

enum class PngColor { grey, rgb, palette, grey_alpha, rgb_alpha };

/// How stored samples are written; (y, x, sample) has the value of `pattern`, cut to the bits.
struct PngFormat {
  PngColor color = PngColor::grey;
  int bits = 8;
  bool interlaced = false;
  bool with_transparent_color = false;  ///< a tRNS chunk
  bool with_gamma = false;              ///< a gAMA chunk that a viewer would apply
};
[[nodiscard]] std::string png_bytes(std::int64_t height_px,
                                    std::int64_t width_px,
                                    const PngFormat& format);

/// The palette of palette files: red, green and blue of an index.
[[nodiscard]] int palette_value(int index, std::int64_t channel);

/// The last of 2 or 4 channels is alpha.
[[nodiscard]] std::string png_bytes(const Image& image);

struct JpegFormat {
  int quality = 95;
  bool progressive = false;
  bool cmyk = false;  ///< four components; `image` gives three of them
};
[[nodiscard]] std::string jpeg_bytes(const Image& image, const JpegFormat& format = {});

struct TiffFormat {
  bool tiled = false;
  bool in_planes = false;
  bool big_endian = false;
  bool deflated = false;
  bool white_is_zero = false;  ///< stored values are the inverse of the image's
  bool with_palette = false;   ///< of palette_value()
  int pages = 1;
  int orientation = 1;
  int extra_kind = 2;              ///< tag ExtraSamples of channels behind the colours; -1: no tag
  std::string missing_value = {};  ///< GDAL's tag
};
/// 2 channels are grey and another one, above 3 they are RGB and others: alpha by default.
void write_tiff(const std::filesystem::path& file,
                const Image& image,
                const TiffFormat& format = {});

[[nodiscard]] std::span<const std::byte> as_byte_span(const std::string& bytes);

/// Makes missing folders.
void write_bytes(const std::filesystem::path& file, const std::string& bytes);
void write_png(const std::filesystem::path& file, const Image& image);
void write_jpeg(const std::filesystem::path& file, const Image& image);

}  // namespace scalestudy::test
