#include "analysis/statistics/statistics.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// Of one block each.
Launches launches(std::vector<double> values) {
  Launches all{std::move(values), {}};
  all.blocks.resize(all.values.size());
  std::iota(all.blocks.begin(), all.blocks.end(), std::int64_t{0});
  return all;
}

Estimate welch_ratio(const std::vector<double>& compared, const std::vector<double>& base) {
  return ratio(launches(compared), launches(base), Comparison::independent);
}

Estimate welch_difference(const std::vector<double>& compared, const std::vector<double>& base) {
  return difference(launches(compared), launches(base), Comparison::independent);
}

Estimate paired_ratio(const std::vector<double>& compared, const std::vector<double>& base) {
  return ratio(launches(compared), launches(base), Comparison::paired);
}

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
    covered += welch_ratio(compared, base).interval->contains(true_ratio) ? 1 : 0;
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
  const Estimate d = welch_difference(compared, base);
  EXPECT_DOUBLE_EQ(d.value, 2);
  const double error = std::sqrt(5.0 / 3);
  const double dof = std::pow(5.0 / 3, 2) / (1.0 / 18 + 16.0 / 18);
  EXPECT_NEAR(d.interval->high - 2, student_t_critical(0.05, dof) * error, 1e-9);
  EXPECT_NEAR(d.p_value, student_t_p_value(2 / error, dof), 1e-9);
}

TEST(Statistics, RatioIsOfGeometricMeansAndInvertsExactly) {
  const std::vector<double> base{1, 4, 2}, compared{3, 12, 6};
  const Estimate r = welch_ratio(compared, base);
  EXPECT_NEAR(r.value, 3, 1e-12);
  const Estimate back = welch_ratio(base, compared);
  EXPECT_NEAR(inverse(r).interval->low, back.interval->low, 1e-12);
  EXPECT_NEAR(inverse(r).interval->high, back.interval->high, 1e-12);
}

TEST(Statistics, FewerThanThreeLaunchesHaveNoInterval) {
  const std::vector<double> two{1.0, 1.1}, five{2, 2.1, 2.2, 2, 2.1};
  EXPECT_FALSE(welch_ratio(two, five).interval);
  EXPECT_FALSE(welch_ratio(five, two).interval);
  EXPECT_FALSE(welch_difference(two, five).interval);
  EXPECT_EQ(welch_ratio(two, five).method, IntervalMethod::not_determinable);
  EXPECT_TRUE(std::isfinite(welch_ratio(two, five).value));
  EXPECT_EQ(welch_ratio(two, five).count, 2U);
}

TEST(Statistics, ValuesThatAreNoNumbersDoNotCount) {
  const std::vector<double> base{1, 1, 1}, holes{2, NAN, 2, -1, 2};
  const Estimate r = welch_ratio(holes, base);
  EXPECT_EQ(r.count, 3U);
  EXPECT_NEAR(r.value, 2, 1e-12);
  EXPECT_TRUE(std::isnan(welch_ratio({}, base).value));
}

// Logarithms of the ratios: ln 2 + (−0.1, 0, 0.1); t for two degrees of freedom is 4.3027.
TEST(Statistics, PairsAreComparedEachOnItsOwn) {
  const std::vector<double> base{1, 5, 25}, compared{2 * std::exp(-0.1), 10, 50 * std::exp(0.1)};
  const Estimate r = paired_ratio(compared, base);
  const double reach = 4.302652730 * 0.1 / std::sqrt(3.0);
  EXPECT_NEAR(r.value, 2, 1e-12);
  ASSERT_TRUE(r.interval);
  EXPECT_NEAR(r.interval->low, 2 * std::exp(-reach), 1e-9);
  EXPECT_NEAR(r.interval->high, 2 * std::exp(reach), 1e-9);
  EXPECT_NEAR(r.p_value, student_t_p_value(std::log(2) / 0.1 * std::sqrt(3.0), 2), 1e-12);
  EXPECT_EQ(r.method, IntervalMethod::paired_on_logs);
  EXPECT_FALSE(welch_ratio(compared, base).interval->low > 1)
      << "the groups' own spread would hide it";
}

TEST(Statistics, TwoPairsHaveNoInterval) {
  const std::vector<double> base{1, 2}, compared{2, 5};
  EXPECT_FALSE(paired_ratio(compared, base).interval);
  EXPECT_NEAR(paired_ratio(compared, base).value, std::sqrt(5.0), 1e-12);
}

TEST(Statistics, PairsAreMadeByBlockInAnyOrder) {
  const Launches base{{1, 5, 25}, {0, 1, 2}};
  const Launches compared{{50.5, 2.02, 9.9}, {2, 0, 1}};
  const auto in_order = paired_ratio({2.02, 9.9, 50.5}, {1, 5, 25});
  const auto mixed = ratio(compared, base, Comparison::paired);
  EXPECT_EQ(mixed.method, IntervalMethod::paired_on_logs);
  EXPECT_DOUBLE_EQ(mixed.interval->low, in_order.interval->low);
}

// A run that is missing, or there twice, leaves others without a partner.
TEST(Statistics, WithoutCompleteBlocksGroupsAreComparedIndependently) {
  const Launches base{{1, 5, 25, 5}, {0, 1, 2, 3}};
  EXPECT_EQ(ratio({{2, 10, 50}, {0, 1, 2}}, base, Comparison::paired).method,
            IntervalMethod::welch_on_logs);
  EXPECT_EQ(ratio({{2, 10, 50, 10}, {0, 1, 2, 2}}, base, Comparison::paired).method,
            IntervalMethod::welch_on_logs);
  EXPECT_EQ(ratio({{2, 10, 50, NAN}, {0, 1, 2, 3}}, base, Comparison::paired).method,
            IntervalMethod::welch_on_logs);
  EXPECT_EQ(difference({{2, 10, 50, 9}, {0, 1, 2, 3}}, base, Comparison::paired).method,
            IntervalMethod::paired);
  EXPECT_EQ(difference({{2, 10, 50, 9}, {0, 1, 2, 3}}, base, Comparison::independent).method,
            IntervalMethod::welch);
}

/// Blocks 0, 1, 2, … of two launches each, started at these times.
Estimate started(const std::vector<double>& base_at, const std::vector<double>& compared_at) {
  Launches base, compared;
  for (std::size_t i = 0; i < base_at.size(); ++i) {
    const auto block = static_cast<std::int64_t>(i);
    base.add(block, 5 * std::pow(1.1, double(i)), base_at[i]);
    compared.add(block, 4 * std::pow(1.11, double(i)), compared_at[i]);
  }
  return ratio(compared, base, Comparison::paired);
}

TEST(Statistics, BlocksOneAfterTheOtherAreComparedInPairs) {
  const auto together = started({10, 40, 50}, {20, 30, 60});
  EXPECT_EQ(together.method, IntervalMethod::paired_on_logs);
  EXPECT_FALSE(together.is_apart);
  EXPECT_EQ(started({10, 40, 50}, {20, NAN, 60}).method, IntervalMethod::paired_on_logs)
      << "what is not known is no reason";
  EXPECT_EQ(started({50, 10, 40}, {60, 20, 30}).method, IntervalMethod::paired_on_logs)
      << "in any order of blocks";
}

TEST(Statistics, AGroupThatWasAddedLaterIsNoPartner) {
  const auto apart = started({10, 20, 30}, {1010, 1020, 1030});
  EXPECT_EQ(apart.method, IntervalMethod::welch_on_logs);
  EXPECT_TRUE(apart.is_apart);
  EXPECT_EQ(describe(apart),
            "95 % Welch t interval on logarithms over launches (not paired: the runs of a repeat "
            "were not made together)");
  EXPECT_EQ(started({10, 40, 1000}, {20, 30, 60}).method, IntervalMethod::paired_on_logs)
      << "a pause within the last block";
  EXPECT_TRUE(started({10, 40, 50}, {1000, 30, 60}).is_apart) << "one run was made again";
  EXPECT_TRUE(started({10, 25, 50}, {30, 40, 60}).is_apart) << "blocks that interleave";
}

TEST(Statistics, WhoDeclaredNoPairsIsToldOfNone) {
  const Launches base{{1, 5, 25}, {0, 1, 2}, {10, 20, 30}};
  const Launches compared{{2, 10, 51}, {0, 1, 2}, {1010, 1020, 1030}};
  const auto independent = ratio(compared, base, Comparison::independent);
  EXPECT_FALSE(independent.is_apart);
  EXPECT_EQ(describe(independent), describe(independent.method));
}

// Chi-square with 4 degrees of freedom: 0.4844 and 11.1433.
TEST(Statistics, TheIntervalOfAScatterIsWide) {
  const auto interval = standard_deviation_interval(2, 5);
  EXPECT_NEAR(interval.low, 2 * std::sqrt(4 / 11.1433), 1e-4);
  EXPECT_NEAR(interval.high, 2 * std::sqrt(4 / 0.484419), 1e-4);
  EXPECT_TRUE(std::isnan(standard_deviation_interval(2, 1).low));
}

// Holm's own example of three: 0.01, 0.02, 0.03 become 0.03, 0.04, 0.04.
TEST(Statistics, SeveralQuestionsRaiseTheirPValues) {
  Estimate a, b, c, without;
  a.p_value = 0.03;
  b.p_value = 0.01;
  c.p_value = 0.02;
  const std::vector<Estimate*> family{&a, &without, &b, &c};
  adjust_for_several(family);
  EXPECT_DOUBLE_EQ(b.p_value, 0.03);
  EXPECT_DOUBLE_EQ(c.p_value, 0.04);
  EXPECT_DOUBLE_EQ(a.p_value, 0.04);
  EXPECT_TRUE(std::isnan(without.p_value));
}

TEST(Statistics, OfSeveralQuestionsAnIntervalAloneDecidesNothing) {
  auto one = welch_ratio({2, 2.1, 2.2}, {1.8, 1.85, 1.9});
  ASSERT_TRUE(is_resolved(one, 1));
  const double alone = one.p_value;
  Estimate second, third;
  second.p_value = third.p_value = 0.9;
  const std::vector<Estimate*> family{&one, &second, &third};
  adjust_for_several(family);
  EXPECT_DOUBLE_EQ(one.p_value, 3 * alone);
  EXPECT_EQ(is_resolved(one, 1), 3 * alone <= 0.05);
  one.p_value = 0.06;
  EXPECT_FALSE(is_resolved(one, 1));
  EXPECT_FALSE(is_resolved(Estimate{}, 1));
}

Estimate with_interval(double low, double high) {
  return {.value = (low + high) / 2, .interval = Interval{low, high}};
}

TEST(Statistics, EqualIsOnlyWhatLiesInsideTheMarginAsAWhole) {
  EXPECT_TRUE(is_equivalent(with_interval(0.98, 1.02), 1, 0.03));
  EXPECT_TRUE(is_equivalent(with_interval(1.01, 1.02), 1, 0.03)) << "resolved, and yet as good";
  EXPECT_FALSE(is_equivalent(with_interval(0.98, 1.04), 1, 0.03));
  EXPECT_FALSE(is_equivalent(with_interval(0.96, 1.02), 1, 0.03));
  EXPECT_FALSE(is_equivalent(with_interval(-0.5, 0.5), 0, 0.5)) << "on the margin is not inside";
  EXPECT_FALSE(is_equivalent(with_interval(1.1, 1.2), 1, 0.03));
  EXPECT_FALSE(is_equivalent(with_interval(1, 1), 1, 0));
}

TEST(Statistics, NotWorseAsksForTheWorseLimitOnly) {
  EXPECT_TRUE(is_non_inferior(with_interval(-0.01, 0.5), 0.02, true));
  EXPECT_FALSE(is_non_inferior(with_interval(-0.01, 0.5), 0.02, false));
  EXPECT_TRUE(is_non_inferior(with_interval(-0.5, 0.01), 0.02, false));
  EXPECT_FALSE(is_non_inferior(with_interval(-0.5, 0.01), 0.02, true));
  EXPECT_FALSE(is_non_inferior(with_interval(-0.02, 0.5), 0.02, true)) << "on the margin";
  EXPECT_TRUE(is_non_inferior(with_interval(0.01, 0.02), 0, true)) << "better needs no margin";
}

TEST(Statistics, WithoutIntervalNothingIsEqualOrNotWorse) {
  const auto two = welch_difference({1, 1.001}, {1, 1.001});
  EXPECT_FALSE(is_equivalent(two, 0, 1));
  EXPECT_FALSE(is_non_inferior(two, 1, true));
  EXPECT_FALSE(is_equivalent(with_interval(NAN, NAN), 0, 1));
  EXPECT_FALSE(is_non_inferior(with_interval(NAN, NAN), 1, false));
}

// True difference on the margin: whoever says "equal" or "not worse" is wrong.
TEST(Statistics, WhatIsWorseByTheMarginIsRarelyCalledEqual) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const auto group = [&](double centre) {
    std::vector<double> values(5);
    for (double& value : values) value = centre + normal(random);
    return values;
  };
  constexpr int trials = 2000;
  constexpr double margin = 3;
  int equal = 0, not_worse = 0, equal_at_none = 0;
  for (int i = 0; i < trials; ++i) {
    const auto worse = welch_difference(group(-margin), group(0));
    equal += is_equivalent(worse, 0, margin) ? 1 : 0;
    not_worse += is_non_inferior(worse, margin, true) ? 1 : 0;
    equal_at_none += is_equivalent(welch_difference(group(0), group(0)), 0, margin) ? 1 : 0;
  }
  EXPECT_LE(equal, trials / 20);
  EXPECT_LE(not_worse, trials / 20);
  EXPECT_GE(equal_at_none, trials * 9 / 10);
}

// What was tested is S = 1; of S / N nothing was.
TEST(Statistics, ATransformedRatioHasNoPValueOfAnotherHypothesis) {
  const auto s = welch_ratio({2, 2.1, 2.2}, {1, 1.05, 1.1});
  EXPECT_TRUE(std::isnan(transformed(s, [](double x) { return x / 2; }).p_value));
  EXPECT_DOUBLE_EQ(inverse(s).p_value, s.p_value);
}

TEST(Statistics, IntervalsCoverTheTruthAsOftenAsTheySay) {
  // 2000 trials: the standard error of the share is 0.5 %.
  EXPECT_NEAR(coverage(5, 2.0, 2000), 0.95, 0.02);
  EXPECT_NEAR(coverage(3, 1.0, 2000), 0.95, 0.025);
}

TEST(Statistics, EqualConstantGroupsAreExactlyOne) {
  const std::vector<double> same{2, 2, 2};
  const Estimate r = welch_ratio(same, same);
  EXPECT_DOUBLE_EQ(r.value, 1);
  EXPECT_TRUE(r.interval->contains(1));
}

TEST(Statistics, GroupsOfAnySizeOfNumbersAreNotDeterminableAtWorst) {
  const std::vector<double> huge{1e300, 2e300, 4e300}, tiny{1e-200, 2e-200, 3e-200};
  EXPECT_NO_THROW((void)welch_difference(huge, tiny));
  EXPECT_NO_THROW((void)welch_difference(tiny, tiny));
  EXPECT_NO_THROW((void)welch_ratio(huge, tiny));
  EXPECT_TRUE(std::isnan(student_t_p_value(std::nan(""), 3)));
  EXPECT_TRUE(std::isnan(student_t_critical(0.05, std::nan(""))));
}

TEST(ShareInterval, OfWhatIsNoShareIsUnknown) {
  EXPECT_TRUE(std::isnan(share_interval(2, 10).low));
  EXPECT_TRUE(std::isnan(share_interval(-1e300, 10).high));
}

TEST(FurtherErrors, WidenAnIntervalAndNeverNarrowIt) {
  const auto alone = welch_difference({1, 2, 3, 4}, {1.5, 2.5, 3.5, 4.5});
  auto same = alone;
  add_error(same, 0, 5);
  EXPECT_EQ(same.interval->high, alone.interval->high);
  auto wider = alone;
  add_error(wider, 2 * alone.standard_error, 100);
  EXPECT_GT(wider.interval->high - wider.interval->low,
            1.8 * (alone.interval->high - alone.interval->low));
  EXPECT_GT(wider.p_value, alone.p_value);
  // So many more degrees of freedom that the sum of both would look surer than the launches alone.
  const auto few = welch_difference({1, 2, 4}, {1, 1.01, 1.02});
  auto odd = few;
  add_error(odd, 0.1 * few.standard_error, 1000);
  EXPECT_GE(odd.interval->high, few.interval->high);
}

TEST(FurtherErrors, OfNothingNeedNoInterval) {
  auto none = welch_difference({1, 2}, {1, 2});
  add_error(none, 1, 10);
  EXPECT_FALSE(none.interval);
  auto equal = welch_difference({1, 1, 1}, {1, 1, 1});
  add_error(equal, 0.5, 4);
  ASSERT_TRUE(equal.interval) << "the samples scatter where the launches do not";
  EXPECT_NEAR(equal.interval->high, 0.5 * student_t_critical(0.05, 4), 1e-12);
}

}  // namespace
}  // namespace scalestudy
