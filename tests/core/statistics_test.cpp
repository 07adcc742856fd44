#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(Statistics, MedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, PercentilesAreLinearBetweenOrderStatistics) {
  const std::vector<double> sorted{10, 20, 40};
  EXPECT_DOUBLE_EQ(percentile(sorted, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.25), 15);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.75), 30);
  EXPECT_DOUBLE_EQ(percentile(sorted, 1), 40);
  EXPECT_TRUE(std::isnan(percentile({}, 0.5)));
}

TEST(Statistics, OneValueIsEveryStatistic) {
  EXPECT_EQ(median({7}), 7);
  for (const double frac : {0.0, 0.3, 1.0}) EXPECT_EQ(percentile(std::vector<double>{7}, frac), 7);
}

TEST(Statistics, TiesAndNegativeValuesAreOrdinary) {
  EXPECT_EQ(median({2, 2, 2, 9}), 2);
  EXPECT_EQ(median({-5, -1, 2, 2}), 0.5);
  EXPECT_EQ(percentile(std::vector<double>{1, 3, 3, 3, 8}, 0.5), 3);
}

TEST(Statistics, TheOrderOfValuesDoesNotMatter) {
  std::vector<double> values{1, 2, 4, 8, 16, 32};
  do {
    ASSERT_EQ(median(values), 6);
  } while (std::next_permutation(values.begin(), values.end()));
}

TEST(Statistics, TheMedianIsThePercentileInTheMiddle) {
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) {
    values.push_back(i * i);
    EXPECT_DOUBLE_EQ(percentile(values, 0.5), median(values)) << values.size();
  }
}

}  // namespace
}  // namespace scalestudy
