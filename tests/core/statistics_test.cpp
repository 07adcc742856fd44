#include "core/statistics.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(Statistics, MedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, UpperMedianIsOneOfTheValues) {
  EXPECT_EQ(upper_median({3, 1, 2}), 2);
  EXPECT_EQ(upper_median({4, 1, 2, 3}), 3);
  EXPECT_TRUE(std::isnan(upper_median({})));
}

TEST(Statistics, PercentilesAreLinearBetweenOrderStatistics) {
  const std::vector<double> sorted{10, 20, 40};
  EXPECT_DOUBLE_EQ(percentile(sorted, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.25), 15);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.75), 30);
  EXPECT_DOUBLE_EQ(percentile(sorted, 1), 40);
  EXPECT_TRUE(std::isnan(percentile({}, 0.5)));
}

}  // namespace
}  // namespace scalestudy
