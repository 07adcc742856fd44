#include "core/bulk_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace scalestudy {

static_assert(std::endian::native == std::endian::little, "words are hashed as memory holds them");

void BulkHash::add_stripe(const std::byte* stripe) {
  constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15ULL;  // odd: no state is lost
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    std::uint64_t word = 0;
    std::memcpy(&word, stripe + lane * sizeof word, sizeof word);
    // Multiplication carries changes upwards only; the rotation brings them down again.
    lanes_[lane] = std::rotl(lanes_[lane] ^ word, 29) * multiplier;
  }
}

void BulkHash::add(std::span<const std::byte> piece) {
  SCALESTUDY_EXPECT(length_bytes_ % stripe_bytes == 0);
  length_bytes_ += piece.size();
  while (piece.size() >= stripe_bytes) {
    add_stripe(piece.data());
    piece = piece.subspan(stripe_bytes);
  }
  if (piece.empty()) return;
  std::array<std::byte, stripe_bytes> rest{};
  std::copy(piece.begin(), piece.end(), rest.begin());
  add_stripe(rest.data());
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
