#include "data/image.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "data/file_bytes.hpp"

namespace scalestudy {
namespace {

enum class Format { png, jpeg, tiff, unknown };

struct Signature {
  std::string_view first_bytes;
  Format format;
  std::string_view name;
};
using namespace std::string_view_literals;
constexpr std::array signatures{
    Signature{"\x89PNG\r\n\x1a\n"sv, Format::png, "PNG"},
    Signature{"\xff\xd8\xff"sv, Format::jpeg, "JPEG"},
    Signature{"II*\0"sv, Format::tiff, "TIFF"},
    Signature{"MM\0*"sv, Format::tiff, "TIFF"},
    Signature{"II+\0"sv, Format::tiff, "BigTIFF"},
    Signature{"MM\0+"sv, Format::tiff, "BigTIFF"},
    Signature{"GIF8"sv, Format::unknown, "GIF"},
    Signature{"BM"sv, Format::unknown, "BMP"},
    Signature{"RIFF"sv, Format::unknown, "WebP"},
    Signature{"\x89HDF"sv, Format::unknown, "HDF5"},
    Signature{"%PDF"sv, Format::unknown, "PDF"},
    Signature{"PK\x03\x04"sv, Format::unknown, "ZIP, to be unpacked"},
    Signature{"\x1f\x8b"sv, Format::unknown, "gzip, to be unpacked"},
    Signature{"version https://"sv, Format::unknown,
              "the pointer that Git LFS left in its place: git lfs pull"},
    Signature{"<"sv, Format::unknown, "HTML or XML"}};

const Signature* signature_of(std::span<const std::byte> bytes) {
  const auto text = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 16)));
  const auto* const found = std::ranges::find_if(
      signatures, [&](const Signature& one) { return text.starts_with(one.first_bytes); });
  return found == signatures.end() ? nullptr : found;
}

/// Whether a colour of a mask with alpha is transparent here and visible there, both in a
/// thousandth of the pixels at least: less are edges.
bool has_colour_both_ways(const Image& image) {
  constexpr std::size_t most_colours = 256;  // a photograph has more
  constexpr std::int64_t edge_part = 1000;
  const auto alpha = image.channels - 1;
  std::map<Colour, std::array<std::int64_t, 2>> pixels;  // transparent ones, visible ones
  for (std::int64_t y = 0; y < image.height_px; ++y)
    for (std::int64_t x = 0; x < image.width_px; ++x) {
      const auto opacity = static_cast<std::int64_t>(image.at(y, x, alpha));
      if (opacity > 0 && 2 * opacity < image.max_value()) continue;
      Colour colour{};
      for (std::int64_t c = 0; c < alpha; ++c)
        colour.at(static_cast<std::size_t>(c)) = static_cast<std::uint16_t>(image.at(y, x, c));
      if (pixels.size() < most_colours || pixels.contains(colour))
        ++pixels[colour].at(opacity > 0 ? 1 : 0);
    }
  const auto least = image.height_px * image.width_px / edge_part;
  return std::ranges::any_of(pixels,
                             [=](const auto& one) { return std::ranges::min(one.second) > least; });
}

/// None where every pixel is opaque or transparent.
std::optional<EdgeCounts> edges_of_alpha(const Image& image) {
  Heights alpha{image.height_px, image.width_px, {}};
  bool is_partial = false;
  for (std::int64_t y = 0; y < image.height_px; ++y)
    for (std::int64_t x = 0; x < image.width_px; ++x) {
      const auto opacity = static_cast<std::int32_t>(image.at(y, x, image.channels - 1));
      alpha.values.push_back(opacity);
      is_partial = is_partial || (opacity > 0 && opacity < image.max_value());
    }
  if (!is_partial) return {};
  return count_edges(alpha);
}

}  // namespace

bool Image::operator==(const Image& other) const {
  return std::tie(height_px, width_px, channels, type, bytes) ==
         std::tie(other.height_px, other.width_px, other.channels, other.type, other.bytes);
}

std::pair<std::int64_t, std::int64_t> Image::value_range() const {
  auto [least, largest] = std::pair(static_cast<float>(max_value()), 0.0F);
  for (std::int64_t y = 0; y < height_px; ++y)
    for (std::int64_t x = 0; x < width_px; ++x)
      for (std::int64_t c = 0; c < channels; ++c) {
        least = std::min(least, at(y, x, c));
        largest = std::max(largest, at(y, x, c));
      }
  return {least, largest};
}

Colour Image::colour_at(std::int64_t y, std::int64_t x) const {
  const auto value = [&](std::int64_t channel) {
    return static_cast<std::uint16_t>(at(y, x, channels == 1 ? 0 : channel));
  };
  return {value(0), value(1), value(2)};
}

Image blank_image(std::int64_t height_px,
                  std::int64_t width_px,
                  std::int64_t channels,
                  SampleType type) {
  Image image{height_px, width_px, channels, type, {}};
  image.bytes.resize(static_cast<std::size_t>(image.value_count()) * bytes_per_value(type));
  return image;
}

Image read_png(const std::filesystem::path& file) {
  return decode_png(read_file_bytes(file, max_image_bytes), file.string());
}

Image read_jpeg(const std::filesystem::path& file) {
  return decode_jpeg(read_file_bytes(file, max_image_bytes), file.string());
}

Image read_image(const std::filesystem::path& file, PictureUse use) {
  return decode_image(read_file_bytes(file, max_image_bytes), file.string(), use);
}

Image decode_image(std::span<const std::byte> bytes, const std::string& name, PictureUse use) {
  const auto* const signature = signature_of(bytes);
  switch (signature == nullptr ? Format::unknown : signature->format) {
    case Format::png:
      return decode_png(bytes, name, use);
    case Format::jpeg:
      return decode_jpeg(bytes, name, use);
    case Format::tiff:
      return decode_tiff(bytes, name, use);
    case Format::unknown:
      break;
  }
  throw BadInput({cat("'", name, "' is not PNG, JPEG or TIFF",
                      signature == nullptr ? "" : cat(", but ", signature->name)),
                  "its first bytes say so", "Convert it to PNG"});
}

std::string_view format_of(std::span<const std::byte> first_bytes) {
  const auto* const signature = signature_of(first_bytes);
  return signature == nullptr ? "" : signature->name;
}

Image without_alpha(const Image& image, PictureUse use, const std::string& name) {
  const auto colours = image.channels - 1;
  auto opaque = blank_image(image.height_px, image.width_px, colours, image.type);
  const auto pixel_bytes = static_cast<std::size_t>(image.channels) * bytes_per_value(image.type);
  const auto colour_bytes = static_cast<std::size_t>(colours) * bytes_per_value(image.type);
  const auto* const first = image.bytes.data();
  bool has_one_colour = true, has_one_alpha = true, is_opaque = true;
  auto* to = opaque.bytes.data();
  for (std::size_t at = 0; at < image.bytes.size(); at += pixel_bytes, to += colour_bytes) {
    const auto* const pixel = first + at;
    std::memcpy(to, pixel, colour_bytes);
    has_one_colour = has_one_colour && std::memcmp(pixel, first, colour_bytes) == 0;
    has_one_alpha = has_one_alpha && std::memcmp(pixel + colour_bytes, first + colour_bytes,
                                                 pixel_bytes - colour_bytes) == 0;
    is_opaque = is_opaque && std::all_of(pixel + colour_bytes, pixel + pixel_bytes,
                                         [](std::byte alpha) { return alpha == std::byte(255); });
  }
  const bool is_mask_with_alpha = use == PictureUse::mask && !has_one_alpha;
  if (is_mask_with_alpha && (has_one_colour || has_colour_both_ways(image)))
    throw BadInput({cat("Mask '", name, "' has ",
                        has_one_colour ? "one colour" : "a colour transparent and visible",
                        ", and its shape in the alpha channel"),
                    "transparency is not read as foreground",
                    "Save the alpha channel as a grey mask: 255 foreground, 0 background"});
  opaque.origin.was_transparent = !is_opaque;
  if (is_mask_with_alpha) opaque.origin.alpha_edges = edges_of_alpha(image);
  return opaque;
}

std::uint64_t content_hash(const Image& image) {
  const std::array<std::int64_t, 4> header{image.height_px, image.width_px, image.channels,
                                           static_cast<std::int64_t>(image.type)};
  const auto header_hash = hash_bytes(std::as_bytes(std::span(header)));
  return mix64(header_hash ^ mix64(hash_bytes(image.bytes)));
}

}  // namespace scalestudy
