#include "workloads/unet/scores.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace scalestudy::unet {
namespace {

TEST(Scores, FollowFromCounts) {
  const Counts counts{.intersection = 6, .predicted = 8, .target = 10};
  EXPECT_DOUBLE_EQ(iou(counts), 6.0 / 12.0);
  EXPECT_DOUBLE_EQ(iou_smoothed(counts), 7.0 / 13.0);
  EXPECT_DOUBLE_EQ(dice(counts), 12.0 / 18.0);
}

TEST(Scores, NothingThereAndNothingPredictedIsRight) {
  EXPECT_EQ(iou({}), 1);
  EXPECT_EQ(dice({}), 1);
  EXPECT_EQ(iou({.intersection = 0, .predicted = 3, .target = 0}), 0);
}

/// The mean of the samples' own ratios would be (1 + 0) / 2.
TEST(Scores, OfAllSamplesComeFromSummedCounts) {
  const std::vector<Counts> samples{{90, 90, 90}, {0, 5, 5}};
  const auto all = scores(samples);
  EXPECT_DOUBLE_EQ(all.iou, 0.9);
  EXPECT_DOUBLE_EQ(all.dice, 180.0 / 190.0);
  EXPECT_DOUBLE_EQ(all.iou_smoothed, 91.0 / 101.0);
  EXPECT_DOUBLE_EQ(all.iou_sample_median, 0.5);
  EXPECT_DOUBLE_EQ(all.iou_sample_p05, 0.05);
  EXPECT_DOUBLE_EQ(all.iou_sample_p95, 0.95);
}

}  // namespace
}  // namespace scalestudy::unet
