#include "workloads/noise2void/masking.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/places.hpp"

namespace scalestudy::noise2void {
namespace {

using Histogram = std::map<std::int64_t, double>;

/// The original's counts for one patch shape, from benchmarks/peers/n2v_mask_counts.py.
Histogram original_counts(const Shape3& patch) {
  std::ifstream in(test::in_sources("tests/data/n2v_mask_counts.tsv"));
  Histogram counts;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    Shape3 shape{};
    double percent = 0;
    std::int64_t points = 0;
    double patches = 0;
    if (fields >> shape[0] >> shape[1] >> shape[2] >> percent >> points >> patches &&
        shape == patch)
      counts[points] = patches;
  }
  return counts;
}

Histogram our_counts(const Shape3& patch, int draws) {
  Histogram counts;
  const Settings settings;
  for (int i = 0; i < draws; ++i) {
    Random random(7, static_cast<std::uint64_t>(i));
    ++counts[static_cast<std::int64_t>(
        stratified_points(patch, box_side(settings), random).size())];
  }
  return counts;
}

/// χ² of two samples of equal size; bins expecting under 5 are put together.
std::pair<double, int> chi_squared(const Histogram& a, const Histogram& b) {
  std::map<std::int64_t, std::pair<double, double>> bins;
  for (const auto& [points, count] : a) bins[points].first += count;
  for (const auto& [points, count] : b) bins[points].second += count;
  double sum = 0;
  int used = 0;
  std::pair<double, double> rest{0, 0};
  const auto add = [&](const std::pair<double, double>& bin) {
    sum += (bin.first - bin.second) * (bin.first - bin.second) / (bin.first + bin.second);
    ++used;
  };
  for (const auto& [points, bin] : bins) {
    if (bin.first + bin.second >= 10)
      add(bin);
    else
      rest = {rest.first + bin.first, rest.second + bin.second};
  }
  if (rest.first + rest.second > 0) add(rest);
  return {sum, used - 1};
}

/// Upper 0.1 % point of χ² by Wilson and Hilferty's approximation.
double chi_squared_limit(int degrees) {
  const double k = degrees;
  const double root = 1.0 - 2.0 / (9.0 * k) + 3.0902 * std::sqrt(2.0 / (9.0 * k));
  return k * root * root * root;
}

class MaskCounts : public ::testing::TestWithParam<Shape3> {};

TEST_P(MaskCounts, HaveTheOriginalsDistribution) {
  const auto theirs = original_counts(GetParam());
  ASSERT_FALSE(theirs.empty());
  const auto [statistic, degrees] = chi_squared(theirs, our_counts(GetParam(), 10000));
  EXPECT_LT(statistic, chi_squared_limit(degrees)) << degrees << " degrees of freedom";
}

INSTANTIATE_TEST_SUITE_P(Patches,
                         MaskCounts,
                         ::testing::Values(Shape3{16, 64, 64}, Shape3{8, 32, 32}));

TEST(Masking, ChiSquaredTestWouldNoticeTheOtherRule) {
  Settings nominal;
  nominal.mask_count_rule = MaskCountRule::nominal;
  Histogram counts;
  for (int i = 0; i < 10000; ++i) {
    Random random(7, static_cast<std::uint64_t>(i));
    ++counts[static_cast<std::int64_t>(
        stratified_points({16, 64, 64}, box_side(nominal), random).size())];
  }
  const auto [statistic, degrees] = chi_squared(original_counts({16, 64, 64}), counts);
  EXPECT_GT(statistic, 100 * chi_squared_limit(degrees));
}

TEST(Masking, BoxSidesAreThePublishedOnes) {
  Settings settings;
  EXPECT_EQ(box_side(settings), 22);  // perc_pix 0.198, square root although 3D
  settings.masked_frac = 0.016;
  EXPECT_EQ(box_side(settings), 8);
  settings.masked_frac = 0.00198;
  settings.mask_count_rule = MaskCountRule::nominal;
  EXPECT_EQ(box_side(settings), 8);  // CAREamics: 2 × 8 × 8 boxes in (16, 64, 64)
}

TEST(Masking, PublishedCountsPerPatch) {
  Settings settings;
  EXPECT_NEAR(expected_points({16, 64, 64}, box_side(settings)), 6.16, 0.01);
  EXPECT_NEAR(expected_points({32, 64, 64}, box_side(settings)), 12.3, 0.05);
  settings.mask_count_rule = MaskCountRule::nominal;
  Random random(1);
  EXPECT_EQ(stratified_points({16, 64, 64}, box_side(settings), random).size(), 128U);
}

TEST(Masking, ReplacementsComeFromTheClippedWindowOfTheUnmaskedPatch) {
  const Shape3 patch{16, 64, 64};
  std::vector<float> voxels(static_cast<std::size_t>(voxel_count(patch)));
  std::iota(voxels.begin(), voxels.end(), 0.0F);  // each value names its place
  Settings settings;
  settings.mask_count_rule = MaskCountRule::nominal;
  std::int64_t unchanged = 0;
  std::int64_t total = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(3, seed);
    for (const auto& masked : mask_patch(voxels, patch, settings, random)) {
      EXPECT_EQ(masked.original, static_cast<float>(masked.index));
      const auto from = static_cast<std::int64_t>(masked.replacement);
      EXPECT_LE(std::abs(from / 4096 - masked.index / 4096), 5);
      EXPECT_LE(std::abs(from / 64 % 64 - masked.index / 64 % 64), 5);
      EXPECT_LE(std::abs(from % 64 - masked.index % 64), 5);
      unchanged += from == masked.index ? 1 : 0;
      ++total;
    }
  }
  // The centre may be drawn: 1/1331 where the window is not clipped, a little more at the border.
  EXPECT_GT(unchanged, total / 1331 / 2);
  EXPECT_LT(unchanged, total / 1331 * 4);
}

}  // namespace
}  // namespace scalestudy::noise2void
