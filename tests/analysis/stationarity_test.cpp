#include "record/measures/stationarity.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

std::vector<double> noisy_steps(std::mt19937_64& random, std::size_t count) {
  std::normal_distribution<double> normal(1, 0.03);
  std::vector<double> step_s(count);
  for (double& time : step_s) time = normal(random);
  return step_s;
}

/// Of 2,000 windows that `change` was done to.
template <class Change>
int flagged(std::size_t steps, Change change) {
  std::mt19937_64 random(7);
  int count = 0;
  for (int i = 0; i < 2000; ++i) {
    auto step_s = noisy_steps(random, steps);
    change(step_s);
    count += stationarity_of(step_s).is_stationary() ? 0 : 1;
  }
  return count;
}

TEST(Stationarity, NoiseIsRarelyFlagged) {
  for (const std::size_t steps : {20, 36, 67, 300})
    EXPECT_LE(flagged(steps, [](auto&) {}), 2000 * 0.03) << steps;
}

TEST(Stationarity, ABurstOfAFifthOfTheStepsIsFound) {
  EXPECT_GE(flagged(67,
                    [](auto& step_s) {
                      for (std::size_t i = 20; i < 33; ++i) step_s[i] *= 1.3;
                    }),
            2000 * 0.95);
}

TEST(Stationarity, ADriftOfATenthIsFound) {
  EXPECT_GE(flagged(67,
                    [](auto& step_s) {
                      for (std::size_t i = 0; i < step_s.size(); ++i)
                        step_s[i] *= 1 + 0.1 * static_cast<double>(i) / 67;
                    }),
            2000 * 0.95);
}

TEST(Stationarity, SaysHowMuchItMatters) {
  std::vector<double> step_s(100, 1.0);
  for (std::size_t i = 40; i < 60; ++i) step_s[i] = 1.5;
  const auto burst = stationarity_of(step_s);
  EXPECT_NEAR(burst.stretch_frac, 10.0 / 110, 1e-12);
  EXPECT_EQ(burst.drift_frac, 0);
  for (std::size_t i = 0; i < 100; ++i) step_s[i] = 0.9 + 0.002 * static_cast<double>(i);
  EXPECT_NEAR(stationarity_of(step_s).drift_frac, 0.19, 1e-3);
}

TEST(Stationarity, ASureChangeThatDoesNotMatterIsNone) {
  std::vector<double> step_s(100, 1.0);
  for (std::size_t i = 0; i < 50; ++i) step_s[i] = 1.005;
  EXPECT_TRUE(stationarity_of(step_s).is_stationary());
  EXPECT_TRUE(stationarity_of(std::vector<double>(100, 0.1)).is_stationary());
}

TEST(Stationarity, FewStepsAreNotTested) {
  std::vector<double> step_s(19, 1.0);
  step_s[3] = 100;
  EXPECT_FALSE(stationarity_of(step_s).tested);
  EXPECT_TRUE(stationarity_of({}).is_stationary());
  step_s.push_back(1.0);
  EXPECT_TRUE(stationarity_of(step_s).tested);
}

}  // namespace
}  // namespace scalestudy
