#include "workloads/unet/scores.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"

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
  const auto all = scores(samples, 100);
  EXPECT_DOUBLE_EQ(all.iou, 0.9);
  EXPECT_DOUBLE_EQ(all.dice, 180.0 / 190.0);
  EXPECT_DOUBLE_EQ(all.iou_smoothed, 91.0 / 101.0);
  EXPECT_EQ(
      all.intersection_count / (all.target_count + all.predicted_count - all.intersection_count),
      all.iou)
      << "whole numbers, from which anybody gets the same";
  EXPECT_DOUBLE_EQ(all.iou_sample_median, 0.5);
  EXPECT_DOUBLE_EQ(all.iou_sample_p05, 0.05);
  EXPECT_DOUBLE_EQ(all.iou_sample_p95, 0.95);
}

TEST(Scores, APerfectPredictionIsOneInEveryMeasure) {
  const Counts counts{.intersection = 7, .predicted = 7, .target = 7};
  EXPECT_EQ(iou(counts), 1);
  EXPECT_EQ(iou_smoothed(counts), 1);
  EXPECT_EQ(dice(counts), 1);
}

TEST(Scores, NothingFoundIsZeroButForTheSmoothing) {
  const Counts counts{.intersection = 0, .predicted = 0, .target = 9};
  EXPECT_EQ(iou(counts), 0);
  EXPECT_EQ(dice(counts), 0);
  EXPECT_DOUBLE_EQ(iou_smoothed(counts), 0.1);
}

TEST(Scores, DiceFollowsFromIou) {
  for (const double both : {0.0, 1.0, 5.0, 10.0}) {
    const Counts counts{.intersection = both, .predicted = 12, .target = 10};
    EXPECT_NEAR(dice(counts), 2 * iou(counts) / (1 + iou(counts)), 1e-15);
  }
}

TEST(Scores, OfOneSampleThePercentilesAreItsOwn) {
  const auto one = scores(std::vector<Counts>{{6, 8, 10}}, 100);
  EXPECT_EQ(one.iou, 0.5);
  EXPECT_EQ(one.iou_sample_p05, 0.5);
  EXPECT_EQ(one.iou_sample_p95, 0.5);
}

TEST(Scores, TheOrderOfSamplesDoesNotMatter) {
  const auto forward = scores(std::vector<Counts>{{1, 2, 4}, {3, 3, 3}, {0, 1, 0}}, 5);
  const auto backward = scores(std::vector<Counts>{{0, 1, 0}, {3, 3, 3}, {1, 2, 4}}, 5);
  EXPECT_EQ(forward.iou_sample_median, 0.2);
  EXPECT_EQ(backward.iou_sample_median, 0.2);
  EXPECT_EQ(forward.iou, backward.iou);
  EXPECT_EQ(forward.iou_sample_p05, backward.iou_sample_p05);
}

/// 6 + 2 of 2 × 20 pixels are foreground, whatever was predicted.
TEST(Scores, CallingEveryPixelForegroundIsTheShareOfForeground) {
  for (const double predicted : {0.0, 5.0}) {
    const std::vector<Counts> samples{{0, predicted, 6}, {0, 0, 2}};
    EXPECT_DOUBLE_EQ(scores(samples, 20).all_foreground_iou, 0.2);
  }
  EXPECT_EQ(scores(std::vector<Counts>{{20, 20, 20}}, 20).all_foreground_iou, 1);
  EXPECT_EQ(scores(std::vector<Counts>{{0, 3, 0}}, 20).all_foreground_iou, 0);
}

TEST(Scores, WithoutSamplesIsABugOfOurs) {
  EXPECT_THROW((void)scores({}, 1), InternalError);
}

}  // namespace
}  // namespace scalestudy::unet
