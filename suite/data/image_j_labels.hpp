#pragma once
/// The labels that ImageJ stores for the slices of a stack. Pure.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace scalestudy {

/// ImageJ's metadata (tag 50839) and the bytes of each part of it (tag 50838), as they are stored.
struct ImageJMetadata {
  std::span<const std::byte> bytes;
  std::span<const std::uint32_t> part_bytes;
  bool is_big_endian = false;
};

/// The first line of each label; '?' for letters beyond ASCII. As many as are whole.
[[nodiscard]] std::vector<std::string> image_j_labels(const ImageJMetadata& metadata);

}  // namespace scalestudy
