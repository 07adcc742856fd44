#pragma once
/// The tag CZ_LSMINFO of Zeiss LSM files, number 34412, as far as it is read.

#include <cstdint>
#include <string>

namespace scalestudy::test {

inline constexpr std::uint32_t lsm_tag = 34412;

struct LsmInfo {
  std::uint32_t width = 23, height = 20, slices = 1, channels = 1, times = 1;
  std::uint32_t scan = 0;  ///< 0 slices of x and y, 3 the same plane in time, 6 stacks in time
  std::uint32_t positions = 0;
};

inline std::string lsm_bytes(const LsmInfo& info) {
  std::string bytes(512, '\0');
  const auto put = [&](std::size_t at, std::uint32_t number) {
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(number >> 8 * i);
  };
  put(0, 0x0400494c);
  put(4, 512);
  put(8, info.width);
  put(12, info.height);
  put(16, info.slices);
  put(20, info.channels);
  put(24, info.times);
  put(88, info.scan);
  put(264, info.positions);
  return bytes;
}

}  // namespace scalestudy::test
