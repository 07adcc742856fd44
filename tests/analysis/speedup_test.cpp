#include "analysis/speed/speedup.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

std::vector<RunTiming> one_run(double work, double rate, double time) {
  return {{0, work, rate, time}};
}

// Worked in METRICS.md terms from mlcommons/training_results_v2.0 (H3C, ResNet50, 1 -> 4 A100
// PCIe): 395.66 -> 60.70 min, 55 -> 35 epochs; the rest is throughput, evaluation included.
TEST(Factorisation, MlperfResnetOneToFour) {
  const auto base = one_run(55, 55 / 395.66, 395.66);
  const auto four = one_run(35, 35 / 60.70, 60.70);
  const Factorisation f = factorise(four, base, Comparison::paired);
  EXPECT_NEAR(f.total.value, 6.518, 1e-3);
  EXPECT_NEAR(f.throughput.value, 4.15, 5e-3);
  EXPECT_NEAR(f.statistical.value, 1.571, 5e-4);
  EXPECT_NEAR(f.fixed_cost.value, 1, 1e-12);
  EXPECT_NEAR(f.base.fixed_frac, 0, 1e-12);
  EXPECT_NEAR(f.throughput.value * f.statistical.value * f.fixed_cost.value, f.total.value, 1e-12);
}

// Dell XE8640, 4 -> 8 H100-SXM: time ratio 1.915, throughput 1.867, 36 -> 35 epochs.
TEST(Factorisation, FixedCostIsWhatThroughputAndSamplesLeave) {
  const auto base = one_run(36, 36.0 / 95, 100);  // 5 % of the time is no steady training
  const auto compared = one_run(35, 1.867 * 36.0 / 95, 100 / 1.915);
  const Factorisation f = factorise(compared, base, Comparison::paired);
  EXPECT_NEAR(f.total.value, 1.915, 1e-9);
  EXPECT_NEAR(f.throughput.value, 1.867, 1e-9);
  EXPECT_NEAR(f.statistical.value, 36.0 / 35, 1e-9);
  EXPECT_NEAR(f.fixed_cost.value, 1.915 / (1.867 * 36 / 35), 1e-9);
  EXPECT_NEAR(f.base.fixed_frac, 0.05, 1e-9);
  EXPECT_NEAR(f.unexplained.value, 1, 1e-12) << "no parts were recorded";
}

TEST(Factorisation, WhatNeitherPartsNorTheRateExplainIsAFactorOfItsOwn) {
  // Of 100 s 80 are steady training and 15 recorded parts; of 60 s 40 and 18.
  const std::vector<RunTiming> base{{0, 80, 1, 100, 15}}, compared{{0, 80, 2, 60, 18}};
  const Factorisation f = factorise(compared, base, Comparison::paired);
  EXPECT_NEAR(f.base.fixed_frac, 0.15, 1e-12);
  EXPECT_NEAR(f.compared.fixed_frac, 0.3, 1e-12);
  EXPECT_NEAR(f.base.unexplained_frac, 0.05, 1e-12);
  EXPECT_NEAR(f.compared.unexplained_frac, 2.0 / 60, 1e-12);
  EXPECT_NEAR(f.fixed_cost.value, 0.7 / 0.85, 1e-12);
  EXPECT_NEAR(f.throughput.value * f.statistical.value * f.fixed_cost.value * f.unexplained.value,
              f.total.value, 1e-12);
  EXPECT_NEAR(f.total.value, 100.0 / 60, 1e-12);
}

TEST(Factorisation, ProductEqualsTotalForUnequalNoisyGroups) {
  const std::vector<RunTiming> base{
      {0, 100, 1.0, 120}, {1, 100, 1.1, 110}, {2, 100, 0.9, 131}, {3, 99, 1, 118}};
  const std::vector<RunTiming> compared{{0, 98, 3.1, 41}, {1, 98, 2.9, 44}, {2, 97, 3.3, 39}};
  const Factorisation f = factorise(compared, base, Comparison::paired);
  EXPECT_NEAR(f.throughput.value * f.statistical.value * f.fixed_cost.value, f.total.value, 1e-12);
  for (const Estimate* e : {&f.total, &f.throughput, &f.statistical, &f.fixed_cost}) {
    ASSERT_TRUE(e->interval);
    EXPECT_TRUE(e->interval->contains(e->value));
  }
}

// BiAPoL blog, Noise2Void on 1 and 4 A100: 2551 and 1226 s.
TEST(KarpFlatt, PublishedNoise2VoidOneToFour) {
  EXPECT_NEAR(karp_flatt(2551.0 / 1226.0, 4), 0.3075, 1e-4);
  EXPECT_NEAR(karp_flatt(4, 4), 0, 1e-12);
  EXPECT_NEAR(karp_flatt(1, 4), 1, 1e-12);
}

/// A study with known speed-up: a step of two ranks costs as much as one of one, plus 10 %.
class SpeedupOfStudy : public AnalysedStudy {
 protected:
  void write(double noise, int repeats) {
    add({.time_noise = noise}, repeats);
    add({.ranks = 2, .epochs = 2, .exposed_communication_s = 0.0063, .time_noise = noise}, repeats);
  }
  std::vector<SpeedupPoint> curve() {
    set_ = runs_.of({study_});
    series_ = group_series(set_);
    EXPECT_EQ(series_.size(), 1U);
    return speedup_curve(series_.front());
  }
  RunSet set_;
  std::vector<Series> series_;
};

TEST_F(SpeedupOfStudy, KnownSpeedupIsFoundWithinItsInterval) {
  write(0.01, 5);
  const SpeedupPoint two = curve().back();
  EXPECT_EQ(two.ranks, 2);
  EXPECT_EQ(two.launches, 5U);
  ASSERT_TRUE(two.training.interval);
  EXPECT_TRUE(two.training.interval->contains(2 / 1.1));
  EXPECT_LT(two.training.interval->high - two.training.interval->low, 0.2);
  EXPECT_TRUE(two.throughput.interval->contains(2 / 1.1));
  EXPECT_NEAR(two.efficiency.value * 2, two.training.value, 1e-12);
  EXPECT_LT(two.launch.value, two.training.value) << "start-up does not scale";
  EXPECT_FALSE(two.superlinear_unexplained);
  EXPECT_FALSE(curve().front().training.interval) << "the base against itself is exactly 1";
  EXPECT_DOUBLE_EQ(curve().front().training.value, 1);
  EXPECT_NEAR(two.absolute.samples_per_s / curve().front().absolute.samples_per_s,
              two.throughput.value, 1e-9)
      << "printed absolute values divide to the printed ratio";
}

TEST_F(SpeedupOfStudy, TwoRunsEachHaveNoInterval) {
  write(0.01, 2);
  const SpeedupPoint two = curve().back();
  EXPECT_FALSE(two.training.interval);
  EXPECT_NEAR(two.training.value, 2 / 1.1, 0.1);
}

TEST_F(SpeedupOfStudy, EqualGroupsAreNotTakenForADifference) {
  add({.time_noise = 0.02}, 5);
  add({.ranks = 2, .time_noise = 0.02}, 5);  // twice the samples in the same time
  EXPECT_TRUE(curve().back().training.interval->contains(1));
}

TEST_F(SpeedupOfStudy, SuperlinearIsFlagged) {
  add({.time_noise = 0.005}, 5);
  add({.ranks = 2, .epochs = 2, .compute_s = 0.05, .time_noise = 0.005}, 5);
  EXPECT_TRUE(curve().back().superlinear_unexplained);
}

// int(3 ÷ 2) epochs: a third of the work is gone, which explains a factor above two.
TEST_F(SpeedupOfStudy, DroppedWorkIsAFactorAndNoMystery) {
  add({.epochs = 3, .time_noise = 0.005}, 4);
  add({.ranks = 2, .epochs = 1, .time_noise = 0.005}, 4);
  const SpeedupPoint two = curve().back();
  EXPECT_GT(two.training.value, 2.5);
  EXPECT_NEAR(two.factors.statistical.value, 1.5, 1e-9);
  EXPECT_FALSE(two.superlinear_unexplained);
}

// One run each: a rate above two-fold may be chance, so nothing is called superlinear.
TEST_F(SpeedupOfStudy, WithoutAnIntervalNothingIsSuperlinear) {
  add({}, 2);
  add({.ranks = 2, .epochs = 2, .compute_s = 0.05}, 2);
  EXPECT_GT(curve().back().throughput_efficiency.value, 1.1);
  EXPECT_FALSE(curve().back().superlinear_unexplained);
}

TEST_F(SpeedupOfStudy, SerialFractionNeedsEqualWork) {
  write(0.01, 3);
  EXPECT_NEAR(curve().back().serial_fraction.value, 0.1, 0.03);
  add({.ranks = 4, .epochs = 4}, 3);  // four times the samples
  EXPECT_TRUE(std::isnan(curve().back().serial_fraction.value));
}

TEST_F(SpeedupOfStudy, WhatWasDeclaredDecidesTheInterval) {
  write(0.01, 5);
  EXPECT_EQ(curve().back().training.method, IntervalMethod::paired_on_logs);
  series_.front().spec.comparison = Comparison::independent;
  EXPECT_EQ(speedup_curve(series_.front()).back().training.method, IntervalMethod::welch_on_logs);
}

TEST_F(SpeedupOfStudy, WithoutOneRankThereAreAbsoluteNumbersOnly) {
  add({.ranks = 2}, 3);
  const auto points = curve();
  ASSERT_EQ(points.size(), 1U);
  EXPECT_TRUE(std::isnan(points[0].training.value));
  EXPECT_FALSE(points[0].training.interval);
  EXPECT_GT(points[0].absolute.samples_per_s, 0);
}

TEST_F(SpeedupOfStudy, ResumedRunsHaveNoTimes) {
  add({}, 3);
  add_run({.repeat = 3, .compute_s = 10, .labels = {"resumed"}});
  const auto points = curve();
  EXPECT_EQ(points[0].launches, 3U);
  EXPECT_EQ(series_[0].group(1).values(&SummaryRow::best_validation_loss).size(), 4U);
}

}  // namespace
}  // namespace scalestudy
