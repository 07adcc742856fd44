#include "analysis/step/pop_factors.hpp"

#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

/// Of four ranks; one is slower than the others' mean by `persistent_s`, whose share is not in
/// compute_s.
PathStep step_of(double persistent_s, double chance_s, double transfer_s) {
  PathStep step;
  step.compute_s = 0.09;
  step.optimizer_s = 0.01;
  step.persistent_s = persistent_s;
  step.imbalance_s = persistent_s + chance_s;
  step.transfer_s = transfer_s;
  step.step_s = step.compute_s + step.optimizer_s + step.imbalance_s + transfer_s;
  return step;
}

TEST(PopFactors, OfAnIdealStepAllAreOne) {
  const auto factors = pop_factors(step_of(0, 0, 0), 4);
  EXPECT_DOUBLE_EQ(factors.load_balance, 1);
  EXPECT_DOUBLE_EQ(factors.serialisation_efficiency, 1);
  EXPECT_DOUBLE_EQ(factors.transfer_efficiency, 1);
  EXPECT_DOUBLE_EQ(factors.parallel_efficiency, 1);
}

TEST(PopFactors, ASlowRankIsLoadBalanceOnly) {
  const auto factors = pop_factors(step_of(0.04, 0, 0), 4);
  EXPECT_NEAR(factors.load_balance, 0.11 / 0.14, 1e-12);
  EXPECT_NEAR(factors.communication_efficiency(), 1, 1e-12);
}

// Disguised as imbalance, but of another rank in each step: POP counts it as serialisation.
TEST(PopFactors, SlownessByChanceIsSerialisation) {
  const auto factors = pop_factors(step_of(0, 0.025, 0), 4);
  EXPECT_NEAR(factors.load_balance, 1, 1e-12);
  EXPECT_NEAR(factors.serialisation_efficiency, 0.1 / 0.125, 1e-12);
  EXPECT_NEAR(factors.transfer_efficiency, 1, 1e-12);
}

/// A "slowest" rank that came out faster than the others by chance, its part not in compute_s.
TEST(PopFactors, ARankThatIsFasterByChanceIsNoImbalanceOfLoad) {
  const auto factors = pop_factors(step_of(-0.004, 0.025, 0), 4);
  EXPECT_DOUBLE_EQ(factors.load_balance, 1);
  EXPECT_NEAR(factors.serialisation_efficiency, 0.099 / 0.121, 1e-12);
}

TEST(PopFactors, MovingBytesIsTransfer) {
  const auto factors = pop_factors(step_of(0, 0, 0.025), 4);
  EXPECT_NEAR(factors.transfer_efficiency, 0.8, 1e-12);
  EXPECT_NEAR(factors.serialisation_efficiency, 1, 1e-12);
}

TEST(PopFactors, TheProductIsTheParallelEfficiency) {
  for (const double persistent_s : {-0.002, 0.0, 0.03})
    for (const double chance_s : {0.0, 0.01}) {
      const auto factors = pop_factors(step_of(persistent_s, chance_s, 0.02), 4);
      EXPECT_NEAR(
          factors.load_balance * factors.serialisation_efficiency * factors.transfer_efficiency,
          factors.parallel_efficiency, 1e-15);
      EXPECT_LE(factors.load_balance, 1);
    }
}

class PopOfStudy : public AnalysedStudy {};

TEST_F(PopOfStudy, MeansOverLaunchesMultiply) {
  add({.time_noise = 0.02}, 4);
  add({.ranks = 4, .exposed_communication_s = 0.02, .peer_wait_frac = 0, .time_noise = 0.02}, 4);
  const auto& points = series().pop;
  ASSERT_EQ(points.size(), 2U);
  const auto& four = points.back();
  EXPECT_EQ(four.ranks, 4);
  EXPECT_EQ(four.parallel_efficiency.count, 4U);
  EXPECT_NEAR(four.load_balance.value * four.communication_efficiency.value,
              four.parallel_efficiency.value, 1e-12);
  EXPECT_NEAR(four.serialisation_efficiency.value * four.transfer_efficiency.value,
              four.communication_efficiency.value, 1e-12);
  EXPECT_NEAR(four.transfer_efficiency.value, 0.063 / 0.083, 0.01);
  EXPECT_NEAR(points.front().transfer_efficiency.value, 1, 1e-6);
}

TEST_F(PopOfStudy, WithoutASplitThereIsNone) {
  add({}, 3);
  add({.ranks = 2, .exposed_communication_s = 0.01, .peer_wait_frac = not_recorded}, 3);
  for (const auto& point : series().pop) EXPECT_NE(point.ranks, 2);
}

}  // namespace
}  // namespace scalestudy
