#include "data/image_j_labels.hpp"

namespace scalestudy {
namespace {

constexpr std::uint32_t labels_kind = 0x6c61626c;  // "labl"

std::uint32_t number(std::span<const std::byte> bytes, bool is_big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8U |
            std::to_integer<std::uint32_t>(bytes[is_big_endian ? i : bytes.size() - 1 - i]);
  return value;
}

/// Of UTF-16.
std::string first_line(std::span<const std::byte> bytes, bool is_big_endian) {
  std::string line;
  for (std::size_t i = 0; i + 2 <= bytes.size(); i += 2) {
    const auto letter = number(bytes.subspan(i, 2), is_big_endian);
    if (letter == '\n') break;
    constexpr std::uint32_t degree = 0xb0;
    line +=
        letter == degree ? "deg" : std::string(1, letter < 0x80 ? static_cast<char>(letter) : '?');
  }
  return line;
}

}  // namespace

/// A header of "IJIJ" and of each kind its name and how many parts it has; then all the parts.
std::vector<std::string> image_j_labels(const ImageJMetadata& metadata) {
  const auto& [bytes, sizes, is_big_endian] = metadata;
  std::vector<std::string> labels;
  if (sizes.empty() || sizes[0] > bytes.size()) return labels;
  const auto header = bytes.first(sizes[0]);
  auto parts = bytes.subspan(sizes[0]);
  std::size_t part = 1;
  for (std::size_t at = 4; at + 8 <= header.size(); at += 8) {
    const auto kind = number(header.subspan(at, 4), is_big_endian);
    const auto count = number(header.subspan(at + 4, 4), is_big_endian);
    for (std::uint32_t i = 0; i < count; ++i, ++part) {
      if (part >= sizes.size() || sizes[part] > parts.size()) return labels;
      if (kind == labels_kind)
        labels.push_back(first_line(parts.first(sizes[part]), is_big_endian));
      parts = parts.subspan(sizes[part]);
    }
  }
  return labels;
}

}  // namespace scalestudy
