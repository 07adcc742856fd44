#include "data/orientation.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

constexpr int most = 8;

/// Numbers of a TIFF structure; 0 beyond its end.
class Numbers {
 public:
  explicit Numbers(std::span<const std::byte> bytes)
      : bytes_(bytes), is_little_(as_text(bytes).starts_with("II")) {}

  [[nodiscard]] std::uint32_t at(std::size_t place, std::size_t size) const {
    if (place > bytes_.size() || size > bytes_.size() - place) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto byte = bytes_[place + (is_little_ ? size - 1 - i : i)];
      value = value << 8 | std::to_integer<std::uint32_t>(byte);
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool is_little_;
};

}  // namespace

int orientation_in(std::span<const std::byte> exif) {
  constexpr std::uint32_t orientation_tag = 0x0112;
  constexpr std::size_t entry_bytes = 12;
  const auto mark = as_text(exif.first(std::min<std::size_t>(exif.size(), 2)));
  if (mark != "II" && mark != "MM") return upright;
  const Numbers numbers(exif);
  const std::size_t directory = numbers.at(4, 4);
  const auto entries = numbers.at(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const auto entry = directory + 2 + i * entry_bytes;
    if (numbers.at(entry, 2) != orientation_tag) continue;
    const auto value = static_cast<int>(numbers.at(entry + 8, 2));
    return value >= upright && value <= most ? value : upright;
  }
  return upright;
}

Image turned(Image image, int orientation, PictureUse use, const std::string& name) {
  if (orientation <= upright || orientation > most) return image;
  if (use != PictureUse::picture)
    throw BadInput(
        {cat("'", name, "' is stored turned or mirrored (EXIF orientation ", orientation, ")"),
         "it is unknown whether its mask was drawn on the turned picture",
         "Store pictures and masks upright, without the tag"});
  // 5 to 8 exchange rows and columns; columns of 2, 3, 7, 8 and rows of 3, 4, 6, 7 run backwards.
  const bool is_transposed = orientation >= 5;
  const bool is_backward_x =
      orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool is_backward_y =
      orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const auto height = is_transposed ? image.width_px : image.height_px;
  const auto width = is_transposed ? image.height_px : image.width_px;
  auto result = blank_image(height, width, image.channels, image.type);
  result.origin = image.origin;
  const auto pixel_bytes = static_cast<std::size_t>(image.channels) * bytes_per_value(image.type);
  auto* to = result.bytes.data();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x, to += pixel_bytes) {
      const auto row = is_backward_y ? height - 1 - y : y;
      const auto column = is_backward_x ? width - 1 - x : x;
      const auto pixel =
          is_transposed ? column * image.width_px + row : row * image.width_px + column;
      std::memcpy(to, image.bytes.data() + static_cast<std::size_t>(pixel) * pixel_bytes,
                  pixel_bytes);
    }
  return result;
}

}  // namespace scalestudy
