#include "core/shuffle.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Shuffle, HasEveryNumberOnce) {
  EXPECT_THAT(shuffled_order(0, 1), IsEmpty());
  EXPECT_THAT(shuffled_order(1, 1), ElementsAre(0));
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto order = shuffled_order(17, seed);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  }
}

// Plans that were written down say the order: it may not change with compiler or library.
TEST(Shuffle, IsTheSameEverywhere) {
  EXPECT_THAT(shuffled_order(6, 1), ElementsAre(0, 2, 1, 4, 3, 5));
}

TEST(Shuffle, EveryNumberComesToEveryPlaceEquallyOften) {
  constexpr std::size_t count = 5;
  constexpr double draws = 10'000;
  std::vector<double> hits(count * count);
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const auto order = shuffled_order(count, seed);
    for (std::size_t place = 0; place < count; ++place) hits[place * count + order[place]] += 1;
  }
  const double deviation = std::sqrt(draws * 0.2 * 0.8);
  for (const double hit : hits) EXPECT_NEAR(hit, draws / count, 5 * deviation);
}

}  // namespace
}  // namespace scalestudy
