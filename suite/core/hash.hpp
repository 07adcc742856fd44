#pragma once
/// Stable 64-bit content hashes (FNV-1a with a finalising mix): the same on every machine and
/// build.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace scalestudy {

/// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ (64-bit offset basis and prime).
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view bytes,
                                            std::uint64_t state = 0xcbf29ce484222325ULL) {
  for (const char byte : bytes) {
    state ^= static_cast<unsigned char>(byte);
    state *= 0x100000001b3ULL;
  }
  return state;
}

[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes);

/// Mixes all bits (the finaliser of SplitMix64); also derives independent seeds from one seed.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// 16 lower-case hexadecimal digits.
[[nodiscard]] std::string hex64(std::uint64_t value);

/// Hash of a set that does not depend on the order of its members: same set, same value, whatever
/// the number of ranks that visited it. Duplicates change it.
class SetHash {
 public:
  void add(std::uint64_t id) {
    sum_ += mix64(id);
    ++count_;
  }
  void merge(const SetHash& other) {
    sum_ += other.sum_;
    count_ += other.count_;
  }
  [[nodiscard]] std::uint64_t value() const { return mix64(sum_ ^ mix64(count_)); }
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// For sending it to another rank.
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] static SetHash from_parts(std::uint64_t sum, std::uint64_t count) {
    SetHash hash;
    hash.sum_ = sum;
    hash.count_ = count;
    return hash;
  }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace scalestudy
