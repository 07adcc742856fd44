#include "analysis/statistics/two_speeds.hpp"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "analysis/statistics/block_fit.hpp"

namespace scalestudy {
namespace {

using Random = std::mt19937_64;
using Noise = std::function<double(Random&)>;

double normal(Random& random) {
  return std::normal_distribution<double>()(random);
}

/// Of standard deviation 1.
double heavy_tailed(Random& random) {
  return std::student_t_distribution<double>(3)(random) / std::sqrt(3.0);
}

/// Skewed, of standard deviation 1.
double lognormal(Random& random) {
  const double e = std::exp(1.0);
  return (std::exp(normal(random)) - std::sqrt(e)) / std::sqrt((e - 1) * e);
}

double by_coin(Random& random) {
  return std::bernoulli_distribution(0.5)(random) ? 1.3 : 1.0;
}

/// Times of `n` launches, each of a block of its own speed where `block_speed` is given.
Launches launches(
    Random& random,
    std::size_t n,
    double time_s,
    double cv,
    const Noise& noise,
    const std::function<double(std::size_t)>& speed = [](std::size_t) { return 1; }) {
  Launches all;
  for (std::size_t i = 0; i < n; ++i)
    all.add(static_cast<std::int64_t>(i), time_s * speed(i) * (1 + cv * noise(random)));
  return all;
}

std::vector<double> logs_of(const Launches& launches) {
  std::vector<double> logs;
  for (const double value : launches.values) logs.push_back(std::log(value));
  return logs;
}

TEST(TwoSpeeds, SaysHowManyLaunchesAreHowMuchSlower) {
  const std::vector logs{0.0, 0.31, 0.01, -0.01, 0.3, 0.005, 0.29, -0.005};
  const auto found = two_speeds(logs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->upper, 3U);
  EXPECT_EQ(found->launches, 8U);
  EXPECT_NEAR(found->ratio, std::exp(0.3), 1e-12);
  EXPECT_NEAR(found->log_gap, 0.28, 1e-12);
}

TEST(TwoSpeeds, NeedsTwoLaunchesOfEachAGapThatMattersAndScatter) {
  EXPECT_FALSE(two_speeds(std::vector{0.0, 0.3, 0.01, -0.01, 0.0, 0.005, 0.002, -0.005}))
      << "one is an outlier";
  EXPECT_FALSE(two_speeds(std::vector{0.0, 0.02, 0.0001, 0.0201, 0.0, 0.0201, 0.0002, 0.02}))
      << "2 % are within the least margin";
  EXPECT_FALSE(two_speeds(std::vector{0.0, 0.3, 0.0, 0.3, 0.0, 0.3})) << "counted, not measured";
  EXPECT_FALSE(two_speeds(std::vector{0.0, 0.3, 0.01}));
  EXPECT_FALSE(two_speeds(std::vector<double>()));
}

// The whole simulation: benchmarks/validation/two_speeds.txt.
TEST(TwoSpeeds, NoMeanOfBothCarriesAVerdict) {
  Random random(1);
  for (int study = 0; study < 100; ++study) {
    const auto coin = [&](std::size_t) { return by_coin(random); };
    const auto base = launches(random, 8, 10, 0.01, normal, coin);
    const auto compared = launches(random, 8, 6, 0.01, normal, coin);
    const auto ratio_of = ratio(compared, base, Comparison::independent);
    EXPECT_FALSE(ratio_of.interval) << study;
    EXPECT_EQ(ratio_of.method, IntervalMethod::two_speeds) << study;
    EXPECT_FALSE(difference(compared, base, Comparison::independent).interval) << study;
  }
}

TEST(TwoSpeeds, OfOneSpeedAtMostOneStudyInTwentyIsSaidToHaveTwo) {
  Random random(2);
  for (const auto& noise : {Noise(normal), Noise(heavy_tailed), Noise(lognormal)})
    for (const double cv : {0.01, 0.03, 0.05}) {
      int said = 0;
      for (int study = 0; study < 300; ++study) {
        const auto base = launches(random, 8, 10, cv, noise);
        const auto compared = launches(random, 8, 6, cv, noise);
        said += two_speeds(logs_of(base)) || two_speeds(logs_of(compared)) ? 1 : 0;
      }
      EXPECT_LE(said, 15) << cv;
    }
}

TEST(TwoSpeeds, PairsThatShareTheirSpeedKeepTheirInterval) {
  Random random(3);
  const auto of_block = [](std::size_t block) { return block % 3 == 0 ? 1.3 : 1.0; };
  const auto base = launches(random, 8, 10, 0.01, normal, of_block);
  const auto compared = launches(random, 8, 6, 0.01, normal, of_block);
  const auto in_pairs = ratio(compared, base, Comparison::paired);
  ASSERT_TRUE(in_pairs.interval) << "what slows the machine for an hour slows both";
  EXPECT_TRUE(in_pairs.interval->contains(0.6));
  EXPECT_FALSE(ratio(compared, base, Comparison::independent).interval);
  auto other = compared;
  other.values[1] *= 1.3;
  EXPECT_FALSE(ratio(other, base, Comparison::paired).interval) << "one launch has another speed";
}

TEST(TwoSpeeds, OneGroupHasNoIntervalEither) {
  Random random(4);
  const auto all =
      launches(random, 8, 10, 0.01, normal, [](std::size_t i) { return i < 3 ? 1.3 : 1.0; });
  EXPECT_FALSE(geometric_level(all).interval);
  EXPECT_EQ(geometric_level(all).method, IntervalMethod::two_speeds);
}

TEST(TwoSpeeds, ModelsHaveNone) {
  Launches base, compared;
  for (std::int64_t seed = 0; seed < 8; ++seed) {
    base.add(seed, 0.8 + 0.001 * static_cast<double>(seed));
    compared.add(seed, (seed < 3 ? 0.4 : 0.8) + 0.002 * static_cast<double>(seed));
  }
  EXPECT_TRUE(difference_of_quality(compared, base, Comparison::independent).interval);
}

TEST(TwoSpeeds, AFitOverBlocksHasNoIntervalUnlessBlocksShareTheSpeed) {
  for (const bool is_shared : {true, false}) {
    Random random(5);
    std::vector<BlockedTime> times;
    for (std::int64_t block = 0; block < 8; ++block)
      for (const std::size_t arm : {0U, 1U, 2U}) {
        const bool is_slow = is_shared ? block < 3 : (block + static_cast<std::int64_t>(arm)) % 2;
        times.push_back({arm, block, (is_slow ? 1.3 : 1.0) * (1 + 0.01 * normal(random))});
      }
    const BlockFit fit(times);
    const std::vector<ArmTerm> saved{{0, 1}, {1, -1}};
    EXPECT_EQ(fit.sum_s(saved).interval.has_value(), is_shared);
  }
}

}  // namespace
}  // namespace scalestudy
