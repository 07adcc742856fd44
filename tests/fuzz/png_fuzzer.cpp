#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <zlib.h>

#include "tests/fuzz/accepted.hpp"

namespace {

constexpr std::size_t signature_bytes = 8;
constexpr std::size_t length_bytes = 4;
constexpr std::size_t type_bytes = 4;
constexpr std::size_t checksum_bytes = 4;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
         std::uint32_t{bytes[2]} << 8U | bytes[3];
}

/// Corrects the checksum of every whole chunk: else nearly every mutation would end there, and
/// what comes behind would never be tried.
void correct_checksums(std::vector<std::uint8_t>& png) {
  std::size_t chunk = signature_bytes;
  while (chunk + length_bytes + type_bytes + checksum_bytes <= png.size()) {
    const std::size_t content_bytes = big_endian(png.data() + chunk);
    const std::size_t summed_bytes = type_bytes + content_bytes;
    const auto left_bytes = png.size() - chunk - length_bytes - checksum_bytes;
    if (summed_bytes > left_bytes) return;
    const auto* summed = png.data() + chunk + length_bytes;
    const auto sum = crc32(0, summed, static_cast<uInt>(summed_bytes));
    auto* const stored = png.data() + chunk + length_bytes + summed_bytes;
    for (std::size_t i = 0; i < checksum_bytes; ++i)
      stored[i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    chunk += length_bytes + summed_bytes + checksum_bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> png(data, data + size);
  correct_checksums(png);
  scalestudy::fuzz::expect_whole_picture_or_refusal(
      [&png] { return scalestudy::decode_png(std::as_bytes(std::span(png)), "fuzz.png"); });
  return 0;
}
