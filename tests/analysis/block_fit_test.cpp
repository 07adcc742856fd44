#include "analysis/statistics/block_fit.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// 5 blocks of arms that take 1, 2 and 4 s, with scatter of `scatter`.
std::vector<BlockedTime> times(double scatter, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<BlockedTime> all;
  for (std::int64_t block = 0; block < 5; ++block) {
    const double of_block = 0.1 * double(block - 2);
    for (const std::size_t arm : {0U, 1U, 2U})
      all.push_back({arm, block,
                     std::exp(double(arm) * std::log(2.0) + of_block + scatter * normal(random))});
  }
  return all;
}

TEST(BlockFit, FindsWhatWasPutIn) {
  const BlockFit fit(times(0));
  for (const std::size_t arm : {0U, 1U, 2U})
    EXPECT_NEAR(fit.time_of_arm_s(arm), std::pow(2.0, double(arm)), 1e-9);
  const std::array terms{ArmTerm{2, 1}, ArmTerm{1, -1}};
  EXPECT_NEAR(fit.sum_s(terms).value, 2, 1e-9);
  EXPECT_EQ(fit.degrees_of_freedom(), 8);
}

/// Of two arms in whole blocks it is a paired t on logarithms.
TEST(BlockFit, OfTwoArmsIsAPairedT) {
  auto two = times(0.05);
  std::erase_if(two, [](const BlockedTime& one) { return one.arm == 2; });
  const BlockFit fit(two);
  Launches base, compared;
  for (const auto& one : two) (one.arm == 0 ? base : compared).add(one.block, one.time_s);
  const auto paired = ratio(compared, base, Comparison::paired);
  EXPECT_EQ(fit.degrees_of_freedom(), 4);
  EXPECT_NEAR(fit.time_of_arm_s(1) / fit.time_of_arm_s(0), paired.value, 1e-9);
  const double half_width = std::log(paired.interval->high / paired.value);
  EXPECT_NEAR(fit.scatter_frac() * std::sqrt(2.0 / 5) * student_t_critical(0.05, 4), half_width,
              1e-9);
}

TEST(BlockFit, ALaunchFarOffHardlyMoves) {
  auto disturbed = times(0.01);
  disturbed[4].time_s *= 1.5;
  const BlockFit clean(times(0.01)), fit(disturbed);
  EXPECT_NEAR(fit.time_of_arm_s(1) / clean.time_of_arm_s(1), 1, 0.01);
  EXPECT_LT(fit.weights()[4], 0.2);
  EXPECT_LT(fit.scatter_frac(), 3 * clean.scatter_frac());
}

TEST(BlockFit, KnowsNothingOfArmsLaunchedOnce) {
  auto few = times(0.01);
  std::erase_if(few, [](const BlockedTime& one) { return one.arm == 2 && one.block > 0; });
  const BlockFit fit(few);
  EXPECT_TRUE(fit.has(std::array{ArmTerm{0, 1}, ArmTerm{1, -1}}));
  EXPECT_FALSE(fit.has(std::array{ArmTerm{0, 1}, ArmTerm{2, -1}}));
}

TEST(BlockFit, TakesNoTimeThatIsNone) {
  auto with_bad = times(0.01);
  with_bad.push_back({0, 7, 0});
  with_bad.push_back({1, 7, std::nan("")});
  EXPECT_EQ(BlockFit(with_bad).scatter_frac(), BlockFit(times(0.01)).scatter_frac());
}

}  // namespace
}  // namespace scalestudy
