#include "core/bulk_hash.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

std::vector<std::byte> counting(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  return bytes;
}

TEST(BulkHash, EveryBitCounts) {
  auto bytes = counting(200);
  std::set<std::uint64_t> seen{bulk_hash(bytes)};
  for (auto& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte ^= static_cast<std::byte>(1 << bit);
      EXPECT_TRUE(seen.insert(bulk_hash(bytes)).second);
      byte ^= static_cast<std::byte>(1 << bit);
    }
  }
  EXPECT_EQ(seen.size(), 200U * 8 + 1);
}

// Two flipped top bits in one lane would cancel if the lanes were only multiplied.
TEST(BulkHash, TwoChangesDoNotCancel) {
  auto bytes = counting(1024);
  const auto before = bulk_hash(bytes);
  for (const std::size_t second : {64U, 128U, 512U}) {
    bytes[7] ^= std::byte{0x80};
    bytes[second + 7] ^= std::byte{0x80};
    EXPECT_NE(bulk_hash(bytes), before) << second;
    bytes[7] ^= std::byte{0x80};
    bytes[second + 7] ^= std::byte{0x80};
  }
}

TEST(BulkHash, LengthCountsWhereTheRestIsZero) {
  const std::vector<std::byte> zeros(130);
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size <= zeros.size(); ++size)
    EXPECT_TRUE(seen.insert(bulk_hash(std::span(zeros).first(size))).second) << size;
}

TEST(BulkHash, PiecesMakeTheWhole) {
  const auto bytes = counting(1000);
  for (const std::size_t cut : {0U, 64U, 512U, 960U}) {
    BulkHash hash;
    hash.add(std::span(bytes).first(cut));
    hash.add(std::span(bytes).subspan(cut));
    EXPECT_EQ(hash.value(), bulk_hash(bytes)) << cut;
  }
}

// Packs written by one version must stay readable by the next.
TEST(BulkHash, StaysTheSame) {
  EXPECT_EQ(bulk_hash({}), 0x21435b1487539502ULL);
  EXPECT_EQ(bulk_hash(counting(100)), 0x4fef5e092e41b73dULL);
}

}  // namespace
}  // namespace scalestudy
