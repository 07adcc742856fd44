#include "core/bulk_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace scalestudy {

static_assert(std::endian::native == std::endian::little, "words are hashed as memory holds them");

namespace {

__extension__ using Product = unsigned __int128;  // what g++ and clang call it

// Both halves together depend on every bit of both words.
std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<Product>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

using Lanes = std::array<std::uint64_t, 4>;

void add_stripe(Lanes& lanes, const std::byte* stripe) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;  // the golden ratio: about half its bits set
  for (auto& lane : lanes) {
    lane = folded_product(lane ^ word_at(stripe), odd ^ word_at(stripe + 8)) + odd;
    stripe += 16;
  }
}

}  // namespace

void BulkHash::add(std::span<const std::byte> piece) {
  SCALESTUDY_EXPECT(length_bytes_ % stripe_bytes == 0);
  length_bytes_ += piece.size();
  Lanes lanes = lanes_;  // bytes may alias members, but not this: it stays in registers
  while (piece.size() >= stripe_bytes) {
    add_stripe(lanes, piece.data());
    piece = piece.subspan(stripe_bytes);
  }
  if (!piece.empty()) {
    std::array<std::byte, stripe_bytes> rest{};
    std::copy(piece.begin(), piece.end(), rest.begin());
    add_stripe(lanes, rest.data());
  }
  lanes_ = lanes;
}

std::uint64_t BulkHash::value() const {
  std::uint64_t state = mix64(length_bytes_);
  for (const auto lane : lanes_) state = mix64(state ^ mix64(lane));
  return state;
}

std::uint64_t bulk_hash(std::span<const std::byte> bytes) {
  BulkHash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace scalestudy
