#include "analysis/statistics.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

std::vector<double> lognormal_group(std::mt19937_64& random,
                                    std::size_t n,
                                    double centre,
                                    double cv) {
  std::normal_distribution<double> normal;
  std::vector<double> values(n);
  for (double& v : values) v = centre * std::exp(cv * normal(random));
  return values;
}

/// Share of 95 % intervals that contain the true ratio, over `trials` simulated studies.
double coverage(std::size_t n, double true_ratio, int trials) {
  std::mt19937_64 random(7);
  int covered = 0;
  for (int i = 0; i < trials; ++i) {
    const auto base = lognormal_group(random, n, 10, 0.05);
    const auto compared = lognormal_group(random, n, 10 * true_ratio, 0.02);
    covered += ratio(compared, base).interval->contains(true_ratio) ? 1 : 0;
  }
  return static_cast<double>(covered) / trials;
}

// Critical values as printed in any table of Student's t.
/// How often share_interval holds the true share, for sets of the sizes people evaluate on.
double share_coverage(std::int64_t samples, double share, int trials) {
  std::mt19937_64 random(11);
  std::binomial_distribution<std::int64_t> seen(samples, share);
  int held = 0;
  for (int i = 0; i < trials; ++i) {
    const double observed = double(seen(random)) / double(samples);
    if (share_interval(observed, samples).contains(share)) ++held;
  }
  return double(held) / trials;
}

TEST(Statistics, ShareIntervalsHoldAtLeastAsOftenAsTheySay) {
  for (const std::int64_t samples : {24, 38, 640})
    for (const double share : {0.5, 0.9, 0.99})
      EXPECT_GE(share_coverage(samples, share, 4000), 0.945) << samples << ' ' << share;
}

TEST(Statistics, AShareSeenInAllSamplesHasAnInterval) {
  const auto all = share_interval(1, 20);
  EXPECT_NEAR(all.low, 0.8316, 1e-4);  // 0.025^(1/20)
  EXPECT_EQ(all.high, 1);
  EXPECT_EQ(share_interval(0, 20).low, 0);
}

TEST(Statistics, StudentTMatchesTables) {
  EXPECT_NEAR(student_t_critical(0.05, 1), 12.706, 1e-3);
  EXPECT_NEAR(student_t_critical(0.05, 4), 2.776, 1e-3);
  EXPECT_NEAR(student_t_critical(0.05, 10), 2.228, 1e-3);
  EXPECT_NEAR(student_t_critical(0.05, 1e6), 1.960, 1e-3);
  EXPECT_NEAR(student_t_p_value(2.228, 10), 0.05, 1e-4);
  EXPECT_NEAR(student_t_p_value(0, 3), 1, 1e-12);
}

// Welch's test worked by hand: means 2 and 4, variances 1 and 4, n = 3 and 3.
TEST(Statistics, WelchDifferenceWorkedByHand) {
  const std::vector<double> base{1, 2, 3}, compared{2, 4, 6};
  const Estimate d = difference(compared, base);
  EXPECT_DOUBLE_EQ(d.value, 2);
  const double error = std::sqrt(5.0 / 3);
  const double dof = std::pow(5.0 / 3, 2) / (1.0 / 18 + 16.0 / 18);
  EXPECT_NEAR(d.interval->high - 2, student_t_critical(0.05, dof) * error, 1e-9);
  EXPECT_NEAR(d.p_value, student_t_p_value(2 / error, dof), 1e-9);
}

TEST(Statistics, RatioIsOfGeometricMeansAndInvertsExactly) {
  const std::vector<double> base{1, 4, 2}, compared{3, 12, 6};
  const Estimate r = ratio(compared, base);
  EXPECT_NEAR(r.value, 3, 1e-12);
  const Estimate back = ratio(base, compared);
  EXPECT_NEAR(inverse(r).interval->low, back.interval->low, 1e-12);
  EXPECT_NEAR(inverse(r).interval->high, back.interval->high, 1e-12);
}

TEST(Statistics, FewerThanThreeLaunchesHaveNoInterval) {
  const std::vector<double> two{1.0, 1.1}, five{2, 2.1, 2.2, 2, 2.1};
  EXPECT_FALSE(ratio(two, five).interval);
  EXPECT_FALSE(ratio(five, two).interval);
  EXPECT_FALSE(difference(two, five).interval);
  EXPECT_EQ(ratio(two, five).method, IntervalMethod::not_determinable);
  EXPECT_TRUE(std::isfinite(ratio(two, five).value));
  EXPECT_EQ(ratio(two, five).count, 2U);
}

TEST(Statistics, ValuesThatAreNoNumbersDoNotCount) {
  const std::vector<double> base{1, 1, 1}, holes{2, NAN, 2, -1, 2};
  const Estimate r = ratio(holes, base);
  EXPECT_EQ(r.count, 3U);
  EXPECT_NEAR(r.value, 2, 1e-12);
  EXPECT_TRUE(std::isnan(ratio({}, base).value));
}

TEST(Statistics, BootstrapFromTwentyLaunchesOn) {
  std::mt19937_64 random(3);
  const auto base = lognormal_group(random, 20, 1, 0.1);
  const auto compared = lognormal_group(random, 20, 2, 0.1);
  const Estimate r = ratio(compared, base);
  EXPECT_EQ(r.method, IntervalMethod::bootstrap_on_logs);
  EXPECT_TRUE(r.interval->contains(r.value));
  EXPECT_EQ(r.interval->low, ratio(compared, base).interval->low) << "the seed is fixed";
  const std::vector<double> fewer(base.begin(), base.begin() + 19);
  EXPECT_EQ(ratio(compared, fewer).method, IntervalMethod::welch_on_logs);
}

TEST(Statistics, IntervalsCoverTheTruthAsOftenAsTheySay) {
  // 2000 trials: the standard error of the share is 0.5 %.
  EXPECT_NEAR(coverage(5, 2.0, 2000), 0.95, 0.02);
  EXPECT_NEAR(coverage(3, 1.0, 2000), 0.95, 0.025);
}

TEST(Statistics, EqualConstantGroupsAreExactlyOne) {
  const std::vector<double> same{2, 2, 2};
  const Estimate r = ratio(same, same);
  EXPECT_DOUBLE_EQ(r.value, 1);
  EXPECT_TRUE(r.interval->contains(1));
}

TEST(Statistics, GroupsOfAnySizeOfNumbersAreNotDeterminableAtWorst) {
  const std::vector<double> huge{1e300, 2e300, 4e300}, tiny{1e-200, 2e-200, 3e-200};
  EXPECT_NO_THROW((void)difference(huge, tiny));
  EXPECT_NO_THROW((void)difference(tiny, tiny));
  EXPECT_NO_THROW((void)ratio(huge, tiny));
  EXPECT_TRUE(std::isnan(student_t_p_value(std::nan(""), 3)));
  EXPECT_TRUE(std::isnan(student_t_critical(0.05, std::nan(""))));
}

TEST(ShareInterval, OfWhatIsNoShareIsUnknown) {
  EXPECT_TRUE(std::isnan(share_interval(2, 10).low));
  EXPECT_TRUE(std::isnan(share_interval(-1e300, 10).high));
}

}  // namespace
}  // namespace scalestudy
