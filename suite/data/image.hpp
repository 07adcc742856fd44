#pragma once
/// Decoded pictures, and the readers of PNG, JPEG and TIFF. Files are untrusted: damage of any kind
/// ends in a BadInput that names the file, never in a crash or in pixels that were not stored.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/soft_edges.hpp"

namespace scalestudy {

enum class SampleType { uint8, uint16 };

[[nodiscard]] constexpr std::size_t bytes_per_value(SampleType type) {
  return type == SampleType::uint8 ? 1 : 2;
}

using Colour = std::array<std::uint16_t, 3>;  ///< red, green, blue; of grey all are equal

/// What a file says of its pixels beside them.
struct ImageOrigin {
  bool is_lossy = false;             ///< JPEG: values are near those that were saved
  bool was_inverted = false;         ///< by the file 0 is white (TIFF's WhiteIsZero)
  bool was_transparent = false;      ///< in part, by its alpha channel, which is left out
  bool has_reduced = false;          ///< a TIFF's pages with the same in small, which are left out
  std::vector<Colour> palette = {};  ///< of a mask whose numbers stand for these colours
  /// Of a mask with pixels that are neither opaque nor transparent: its alpha channel's.
  std::optional<EdgeCounts> alpha_edges = {};
};

inline constexpr std::string_view inverted_words = "inverted: by the file 0 is white (WhiteIsZero)";
inline constexpr std::string_view transparent_words =
    "transparent in part: the colours below are read, and alpha is left out";

/// Shape: (height, width, channels), row-major, channels interleaved.
struct Image {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::int64_t channels = 0;  ///< 1: grey, 3: red, green, blue
  SampleType type = SampleType::uint8;
  std::vector<std::byte> bytes;  ///< native byte order
  ImageOrigin origin = {};

  [[nodiscard]] std::int64_t value_count() const { return height_px * width_px * channels; }
  [[nodiscard]] std::int64_t max_value() const { return type == SampleType::uint8 ? 255 : 65535; }
  /// Least and largest of all channels.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> value_range() const;
  [[nodiscard]] std::int64_t largest_value() const { return value_range().second; }
  [[nodiscard]] float at(std::int64_t y, std::int64_t x, std::int64_t channel) const;
  [[nodiscard]] Colour colour_at(std::int64_t y, std::int64_t x) const;
  bool operator==(const Image& other) const;  ///< of shape, type and pixels
};

/// A black picture.
[[nodiscard]] Image blank_image(std::int64_t height_px,
                                std::int64_t width_px,
                                std::int64_t channels,
                                SampleType type);

/// Limits of what is decoded, so that a few hostile bytes cannot claim the machine's memory.
inline constexpr std::int64_t max_side_px = std::int64_t{1} << 16;
inline constexpr std::int64_t max_image_bytes = std::int64_t{1} << 30;  ///< decoded, and stored

/// What a file is read for: a picture alone, one that has a mask, or the mask. A mask with a
/// palette is a mask of numbers: those of its colours.
enum class PictureUse { picture, masked, mask };

/// Grey or RGB, 8 or 16 bit, as stored: no gamma or colour profile is applied, alpha is dropped.
/// Grey below 8 bit is stretched to 0 … 255, a picture's palette becomes RGB.
/// Turned as its EXIF orientation says, which all readers do (orientation.hpp).
/// Errors: BadInput naming the file: missing, not a PNG, animated, damaged, truncated, beyond the
/// limits; a mask whose shape lies in its alpha channel; a mask, or a picture with one, that is to
/// be turned.
[[nodiscard]] Image read_png(const std::filesystem::path& file);

/// Grey or RGB, 8 bit, decoded at full size (accurate integer DCT, smooth chroma upsampling: the
/// defaults of libjpeg and Pillow).
/// Errors: as read_png; also CMYK, and data that libjpeg could only guess (premature end, bad
/// code).
[[nodiscard]] Image read_jpeg(const std::filesystem::path& file);

/// PNG, JPEG or TIFF by the file's first bytes, whatever its name.
/// Errors: BadInput naming the file, as the readers; other formats by their names.
[[nodiscard]] Image read_image(const std::filesystem::path& file,
                               PictureUse use = PictureUse::picture);

/// The same from memory; `name` stands for the file in messages.
[[nodiscard]] Image decode_png(std::span<const std::byte> bytes,
                               const std::string& name,
                               PictureUse use = PictureUse::picture);
[[nodiscard]] Image decode_jpeg(std::span<const std::byte> bytes,
                                const std::string& name,
                                PictureUse use = PictureUse::picture);
/// One page, beside reduced images of it, grey, RGB or a palette, 1 (grey), 8 or 16 bit unsigned,
/// any compression that libtiff knows; of WhiteIsZero the inverse, so that white is large. A
/// further band that is not marked as alpha is dropped where it has one value. Errors: as read_png;
/// other samples, colours and bands; several pages; pixels that have GDAL's number for no value.
[[nodiscard]] Image decode_tiff(std::span<const std::byte> bytes,
                                const std::string& name,
                                PictureUse use = PictureUse::picture);
[[nodiscard]] Image decode_image(std::span<const std::byte> bytes,
                                 const std::string& name,
                                 PictureUse use = PictureUse::picture);

/// Its name by how a file begins; "" for one that is not known.
[[nodiscard]] std::string_view format_of(std::span<const std::byte> first_bytes);

/// Of 2 or 4 channels, the last of them alpha, which is dropped. Errors: BadInput for a mask of one
/// colour, or with a colour both transparent and visible: its shape lies in its transparency.
[[nodiscard]] Image without_alpha(const Image& image, PictureUse use, const std::string& name);

/// Over shape, type and pixels: equal for equal pictures, whatever the file format.
[[nodiscard]] std::uint64_t content_hash(const Image& image);

inline float Image::at(std::int64_t y, std::int64_t x, std::int64_t channel) const {
  const auto index = static_cast<std::size_t>((y * width_px + x) * channels + channel);
  if (type == SampleType::uint8) return static_cast<float>(std::to_integer<int>(bytes[index]));
  std::uint16_t value = 0;
  std::memcpy(&value, bytes.data() + 2 * index, 2);
  return static_cast<float>(value);
}

}  // namespace scalestudy
