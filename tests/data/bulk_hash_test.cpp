#include "data/bulk_hash.hpp"

#include <algorithm>
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

TEST(BulkHash, LengthCountsWhereTheRestIsZero) {
  const std::vector<std::byte> zeros(130);
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size <= zeros.size(); ++size)
    EXPECT_TRUE(seen.insert(bulk_hash(std::span(zeros).first(size))).second) << size;
}

// Known values of XXH3, from the xxhsum program: other programs can check packs.
TEST(BulkHash, IsXxh3) {
  EXPECT_EQ(bulk_hash({}), 0x2d06800538d394c2ULL);
  EXPECT_EQ(bulk_hash(counting(1000)), 0x0dc54da2182285f1ULL);
}

TEST(BulkHash, ManySmallPiecesMakeTheWhole) {
  const auto bytes = counting(5000);
  for (const std::size_t step : {1U, 7U, 256U, 4096U}) {
    BulkHash hash;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      hash.add(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
      hash.add({});
    }
    EXPECT_EQ(hash.value(), bulk_hash(bytes)) << step;
  }
}

TEST(BulkHash, AskingDoesNotEndIt) {
  const auto bytes = counting(100);
  BulkHash hash;
  EXPECT_EQ(hash.value(), bulk_hash({}));
  hash.add(std::span(bytes).first(40));
  EXPECT_EQ(hash.value(), bulk_hash(std::span(bytes).first(40)));
  hash.add(std::span(bytes).subspan(40));
  EXPECT_EQ(hash.value(), bulk_hash(bytes));
}

}  // namespace
}  // namespace scalestudy
