/// How replays scatter from step to step and from seed to seed, without any clock.

#include "workloads/replay/emulation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/statistics.hpp"

namespace scalestudy::replay {
namespace {

constexpr std::int64_t run_steps = 20'000;

std::vector<double> factors(const Settings& settings, std::uint64_t seed, std::int64_t rank) {
  std::vector<double> all;
  for (std::int64_t step = 0; step < run_steps; ++step)
    all.push_back(compute_factor(settings, seed, Rank(rank), StepIndex(step), run_steps));
  return all;
}

double correlation(const std::vector<double>& one, const std::vector<double>& other) {
  const double middle = mean(one), other_middle = mean(other);
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += (one[i] - middle) * (other[i] - other_middle);
  return sum / static_cast<double>(one.size() - 1) / standard_deviation(one) /
         standard_deviation(other);
}

TEST(Emulation, NothingScattersUnlessAskedTo) {
  for (const double factor : factors({}, 1, 0)) ASSERT_EQ(factor, 1);
  EXPECT_EQ(invented_loss({}, 1, 12345), 1);
}

TEST(Emulation, NoiseHasMeanOneItsDeviationAndOwnDrawsForEachRankAndSeed) {
  Settings settings;
  settings.noise_frac = 0.2;
  auto noise = factors(settings, 1, 0);
  EXPECT_EQ(noise, factors(settings, 1, 0)) << "the same run again";
  const double error = 4 * settings.noise_frac / std::sqrt(double(run_steps));
  EXPECT_NEAR(mean(noise), 1, error);
  EXPECT_NEAR(standard_deviation(noise), settings.noise_frac, error);
  EXPECT_NEAR(correlation(noise, factors(settings, 1, 1)), 0, 0.05);
  EXPECT_NEAR(correlation(noise, factors(settings, 2, 0)), 0, 0.05);
}

TEST(Emulation, DriftIsEvenFromNothingToAllOfIt) {
  Settings settings;
  settings.drift_frac = -0.5;
  const auto factor = [&](std::int64_t step) {
    return compute_factor(settings, 1, Rank(0), StepIndex(step), 101);
  };
  EXPECT_EQ(factor(0), 1);
  EXPECT_EQ(factor(50), 0.75);
  EXPECT_EQ(factor(100), 0.5);
  EXPECT_EQ(compute_factor(settings, 1, Rank(0), StepIndex(0), 1), 1) << "a run of one step";
}

TEST(Emulation, BurstsTakeTheirShareInWholeStretches) {
  Settings settings;
  settings.burst_frac = 0.3;
  settings.burst_factor = 5;
  const auto bursts = factors(settings, 1, 0);
  const auto share = [](const std::vector<double>& all) {
    return static_cast<double>(std::ranges::count(all, 5.0)) / static_cast<double>(all.size());
  };
  EXPECT_NEAR(share(bursts), 0.3, 0.04);  // 2000 stretches: four deviations of the share
  for (std::size_t step = 0; step < bursts.size(); ++step)
    ASSERT_EQ(bursts[step], bursts[step / burst_steps * burst_steps]) << step;
  EXPECT_NE(bursts, factors(settings, 1, 1)) << "each rank has its own";
}

TEST(Emulation, LossFallsToATenthOfTheWayAndSeedsScatterIt) {
  Settings settings;
  settings.samples_to_quality = 5000;
  EXPECT_DOUBLE_EQ(invented_loss(settings, 1, 0), 1);
  EXPECT_DOUBLE_EQ(invented_loss(settings, 1, 5000), 0.19);
  EXPECT_EQ(invented_loss(settings, 1, 700), invented_loss(settings, 2, 700));
  settings.seed_spread_frac = 0.2;
  EXPECT_EQ(invented_loss(settings, 1, 700), invented_loss(settings, 1, 700));
  std::vector<double> samples;  // to the same quality, by many seeds
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    samples.push_back(-1000 / std::log10((invented_loss(settings, seed, 1000) - 0.1) / 0.9));
  EXPECT_NEAR(mean(samples), 5000, 100);
  EXPECT_NEAR(standard_deviation(samples), 1000, 100);
}

}  // namespace
}  // namespace scalestudy::replay
