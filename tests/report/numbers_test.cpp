#include "analysis/report/text/numbers.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(Numbers, CompactOnesHaveNoDigitsThatSayNothing) {
  EXPECT_EQ(compact(8), "8");
  EXPECT_EQ(compact(1.924444444), "1.924");
  EXPECT_EQ(compact(std::nan("")), missing_number);
}

TEST(Numbers, SensibleDigits) {
  EXPECT_EQ(significant(2.0812, 3), "2.08");
  EXPECT_EQ(significant(250.93, 4), "250.9");
  EXPECT_EQ(significant(0.0123456, 3), "0.0123");
  EXPECT_EQ(significant(-0.5, 2), "−0.50");
  EXPECT_EQ(significant(640000, 3), "640\u202f000");
  EXPECT_EQ(significant(1234.6, 3), "1235");
  EXPECT_EQ(significant(0, 3), "0");
  EXPECT_EQ(significant(NAN, 3), "–");
  EXPECT_EQ(significant(1.25e-7, 3), "1.25 × 10⁻⁷");
}

TEST(Numbers, IntervalsHaveTheDigitsOfTheirValue) {
  Estimate estimate;
  estimate.value = 2.0812;
  EXPECT_EQ(with_interval(estimate), "2.08");
  EXPECT_EQ(interval_text(estimate), "interval not determinable");
  estimate.interval = Interval{2.0201, 2.1399};
  EXPECT_EQ(with_interval(estimate), "2.08 (2.02–2.14)");
  estimate.value = -0.01;
  estimate.interval = Interval{-0.03, 0.01};
  EXPECT_EQ(interval_text(estimate, 1), "−0.03 to 0.01");
}

TEST(Numbers, DifferencesHaveTheDigitsThatTheirIntervalIsWorth) {
  Estimate estimate;
  estimate.value = 0.04561;
  EXPECT_EQ(difference_text(estimate), "0.0456");
  estimate.interval = Interval{-1.0890, 1.1470};
  EXPECT_EQ(difference_text(estimate), "0.0 (−1.1 to 1.1)");
  estimate.interval = Interval{0.0412, 0.0502};
  EXPECT_EQ(difference_text(estimate), "0.0456 (0.0412–0.0502)");
  estimate.value = 5;
  estimate.interval = Interval{5, 5};
  EXPECT_EQ(difference_text(estimate), "5.00");
  estimate.interval = Interval{5 - 1e-9, 5 + 1e-9};
  EXPECT_EQ(difference_text(estimate), "5.00000 (5.00000–5.00000)");
  estimate = {};
  estimate.value = -0.04;
  EXPECT_EQ(difference_text(estimate, 1), "0.0");
  estimate.interval = Interval{-0.26, 0.18};
  EXPECT_EQ(difference_text(estimate, 1), "0.0 (−0.3 to 0.2)");
  EXPECT_EQ(difference_text(Estimate{}, 1), "–");
}

TEST(Numbers, MeanAndDeviation) {
  EXPECT_EQ(mean_and_deviation({28.1, 28.3, 28.5}), "28.30 ± 0.20");
  EXPECT_EQ(mean_and_deviation({28.1}), "28.10");
  EXPECT_EQ(mean_and_deviation({}), "–");
}

TEST(Numbers, Words) {
  EXPECT_EQ(ranks_in_words(4, true), "Four ranks");
  EXPECT_EQ(ranks_in_words(1, false), "one rank");
  EXPECT_EQ(ranks_in_words(64, true), "64 ranks");
  EXPECT_EQ(percent(0.5205), "52.0\u202f%");
}

TEST(Numbers, OfAnySizeStayShort) {
  EXPECT_EQ(significant(5e-324, 2), "4.9 × 10⁻³²⁴");
  EXPECT_EQ(significant(9.999e300, 3), "1.00 × 10³⁰¹");
  EXPECT_EQ(percent(1e300), "1.00 × 10³⁰²\u202f%");
  EXPECT_EQ(mean_and_deviation({-1e100, 0}), "−5.00 × 10⁹⁹ ± 7.07 × 10⁹⁹");
  EXPECT_EQ(duration(1e300), "1e+300 s");
}

}  // namespace
}  // namespace scalestudy
