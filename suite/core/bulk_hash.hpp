#pragma once
/// A hash for megabytes: notices damage at the speed of memory, where FNV-1a's one byte at a time
/// would be slower than reading. Not for secrets: whoever wants to can make two inputs collide.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace scalestudy {

/// Four independent lanes, so that a processor works on all at once; each takes two 64-bit words
/// and folds their 128-bit product. The same on every little-endian machine.
class BulkHash {
 public:
  static constexpr std::size_t stripe_bytes = 64;

  /// All pieces but the last must be whole stripes.
  void add(std::span<const std::byte> piece);
  [[nodiscard]] std::uint64_t value() const;

 private:
  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
  std::uint64_t length_bytes_ = 0;
};

[[nodiscard]] std::uint64_t bulk_hash(std::span<const std::byte> bytes);

}  // namespace scalestudy
