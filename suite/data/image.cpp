#include "data/image.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "data/file_bytes.hpp"

namespace scalestudy {
namespace {

enum class Format { png, jpeg, unknown };

Format format_of(std::span<const std::byte> bytes) {
  constexpr std::array<unsigned char, 8> png{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  constexpr std::array<unsigned char, 3> jpeg{0xff, 0xd8, 0xff};
  const auto starts_with = [bytes](const auto& magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
  };
  if (starts_with(png)) return Format::png;
  return starts_with(jpeg) ? Format::jpeg : Format::unknown;
}

Format format_of_name(const std::string& name) {
  auto extension = std::filesystem::path(name).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".png") return Format::png;
  return extension == ".jpg" || extension == ".jpeg" ? Format::jpeg : Format::unknown;
}

std::string name_of(Format format) {
  return format == Format::png ? "PNG" : "JPEG";
}

}  // namespace

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
  const auto format = format_of(bytes);
  if (format == Format::unknown)
    throw BadInput({cat("'", name, "' is neither PNG nor JPEG"), "its first bytes are of neither",
                    "Convert it to PNG"});
  const auto named = format_of_name(name);
  if (named != Format::unknown && named != format)
    throw BadInput({cat("'", name, "' is named ", name_of(named), " but holds ", name_of(format)),
                    "one of the two is a mistake", "Rename or convert it"});
  return format == Format::png ? decode_png(bytes, name, use) : decode_jpeg(bytes, name);
}

std::uint64_t content_hash(const Image& image) {
  const std::array<std::int64_t, 4> header{image.height_px, image.width_px, image.channels,
                                           static_cast<std::int64_t>(image.type)};
  const auto header_hash = hash_bytes(std::as_bytes(std::span(header)));
  return mix64(header_hash ^ mix64(hash_bytes(image.bytes)));
}

}  // namespace scalestudy
