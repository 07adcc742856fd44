#include "core/hash.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace scalestudy {

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  return fnv1a({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string hex64(std::uint64_t value) {
  std::array<char, 17> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%016" PRIx64, value);
  return buffer.data();
}

}  // namespace scalestudy
