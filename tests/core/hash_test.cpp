#include "core/hash.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(Hash, Fnv1aMatchesItsPublishedVectors) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8ULL);
}

TEST(Hash, SetHashIgnoresOrderAndSplitButNotDuplicates) {
  SetHash forward, backward, left, right, twice;
  for (std::uint64_t id = 0; id < 10; ++id) {
    forward.add(id);
    backward.add(9 - id);
    (id < 3 ? left : right).add(id);
    twice.add(id == 9 ? 8 : id);
  }
  left.merge(right);
  EXPECT_EQ(forward.value(), backward.value());
  EXPECT_EQ(forward.value(), left.value());
  EXPECT_NE(forward.value(), twice.value());
}

TEST(Hash, HexHasSixteenDigits) {
  EXPECT_EQ(hex64(0x1a2bU), "0000000000001a2b");
}

}  // namespace
}  // namespace scalestudy
