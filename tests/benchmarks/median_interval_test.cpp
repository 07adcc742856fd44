#include "benchmarks/median_interval.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/shuffle.hpp"

namespace scalestudy {
namespace {

/// Of 1, 2, …, count, in any order.
MedianInterval interval_of_ranks(std::size_t count) {
  std::vector<double> values;
  for (const auto index : shuffled_order(count, 7))
    values.push_back(static_cast<double>(index + 1));
  return median_interval(std::move(values));
}

/// The ranks by exact sums of binomial coefficients.
TEST(MedianInterval, EnclosesTheMedianByRanks) {
  struct Row {
    std::size_t count;
    double low;
    double high;
  };
  for (const auto& [count, low, high] :
       {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{15, 4, 12}, Row{20, 6, 15}, Row{25, 8, 18}}) {
    const auto interval = interval_of_ranks(count);
    EXPECT_EQ(interval.median, (static_cast<double>(count) + 1) / 2) << count;
    EXPECT_EQ(interval.low, low) << count;
    EXPECT_EQ(interval.high, high) << count;
  }
}

TEST(MedianInterval, HasNoLimitsWithFewerThanSixValues) {
  const auto interval = interval_of_ranks(5);
  EXPECT_EQ(interval.median, 3);
  EXPECT_TRUE(std::isnan(interval.low));
  EXPECT_TRUE(std::isnan(interval.high));
  EXPECT_TRUE(std::isnan(median_interval({}).median));
}

}  // namespace
}  // namespace scalestudy
