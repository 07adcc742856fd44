#include "analysis/learning/smoothness.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

// Small noise that falls with the batch and nothing else: per step 1/√k, at equal samples 1.
TEST(Smoothness, SamplingNoiseGivesThePredictions) {
  SyntheticRuns runs;
  runs.add("study", {.steps_per_epoch = 400}, 4);
  runs.add("study", {.ranks = 4, .steps_per_epoch = 100}, 4);
  const RunSet set = runs.of({"study"});
  const auto series = group_series(set);
  const auto points = smoothness_by_ranks(series.at(0));
  ASSERT_EQ(points.size(), 2U);
  EXPECT_NEAR(points[1].weight_ratio, 4, 1e-9);
  EXPECT_NEAR(points[1].predicted_per_step, 0.5, 0.01);
  EXPECT_NEAR(points[1].per_step.value, 0.5, 0.05);
  EXPECT_NEAR(points[1].equal_samples.value, 1, 0.1);
  EXPECT_TRUE(points[1].per_step.interval);
  EXPECT_EQ(points[1].window_samples, 16);
  EXPECT_DOUBLE_EQ(points[0].per_step.value, 1);
}

// A series that grows compares all its runs anew, those that were recorded before as well.
TEST(Smoothness, TheWindowIsTheLargestGlobalBatchOfTheSeries) {
  SyntheticRuns runs;
  const auto window_samples = [&] {
    const RunSet set = runs.of({"study"});
    return smoothness_window_samples(group_series(set).at(0));
  };
  runs.add("study", {}, 1);
  EXPECT_EQ(window_samples(), 4);
  runs.add("study", {.ranks = 8}, 1);
  EXPECT_EQ(window_samples(), 32);
  runs.add("study", {.ranks = 2}, 1);
  EXPECT_EQ(window_samples(), 32);
}

}  // namespace
}  // namespace scalestudy
