#include <cmath>

#include <gtest/gtest.h>

#include "record/measures/run_summary.hpp"

namespace scalestudy {
namespace {

/// One rank.
SteadyWindow window_of(const std::vector<double>& step_s, std::int64_t warmup_steps) {
  StepTable table(1, std::ssize(step_s));
  table.values(&StepRow::step_s) = step_s;
  return steady_window_of(table, warmup_steps);
}

TEST(SteadyWindow, TheWarmUpIsNeverLongerThanTheRun) {
  const auto window = window_of(std::vector<double>(3, 1.0), 10);
  EXPECT_EQ(window.start, 3);
  EXPECT_TRUE(window.empty());
  EXPECT_EQ(window_of({}, 5).end, 0);
}

TEST(SteadyWindow, ANegativeWarmUpIsNone) {
  EXPECT_EQ(window_of(std::vector<double>(3, 1.0), -4).start, 0);
}

/// What cutting by MSER once threw away.
TEST(SteadyWindow, ASlowBeginningOrEndIsFlaggedAndCounts) {
  for (const std::size_t slow_from : {std::size_t{5}, std::size_t{165}}) {
    std::vector<double> step_s(205);
    for (std::size_t i = 0; i < step_s.size(); ++i)
      step_s[i] = 1 + 0.01 * std::sin(12.9898 * static_cast<double>(i)) +
                  (i >= slow_from && i < slow_from + 40 ? 1.0 : 0.0);
    const auto window = window_of(step_s, 5);
    EXPECT_EQ(window.start, 5);
    EXPECT_EQ(window.steps(), 200);
    EXPECT_FALSE(window.stationarity.is_stationary());
    EXPECT_NEAR(window.stationarity.stretch_frac, 40 / 240.0, 0.01);
  }
}

TEST(SteadyWindow, EndsBeforeTheFirstStepThatARankDidNotRecord) {
  StepTable table(2, 6);
  table.values(&StepRow::step_s) = {1, 1, 1, 1, 1, 1, 1, 1, 1, std::nan(""), 1, 1};
  EXPECT_EQ(steady_window_of(table, 1).end, 3);
  table.values(&StepRow::step_s)[9] = 0;
  EXPECT_EQ(steady_window_of(table, 1).end, 6) << "the other rank's time is the slowest one";
}

TEST(LossCurve, OnePointPerStepAndNoneWithoutSteps) {
  StepTable table(1, 3);
  table.values(&StepRow::loss) = {3, 2, 1};
  table.values(&StepRow::loss_weight) = {1, 1, 1};
  table.values(&StepRow::sample_count) = {2, 2, 1};
  table.values(&StepRow::start_s) = {0, 10, 20};
  table.values(&StepRow::step_s) = {4, 5, 6};
  const auto curve = loss_curve(step_losses(table), 1);
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_EQ(curve[2].loss, 1);
  EXPECT_EQ(curve[2].samples_seen, 5);
  EXPECT_EQ(curve[2].time_s, 26);
  EXPECT_EQ(loss_curve(step_losses(table), 5).size(), 1U)
      << "the small last step completes the point";
  EXPECT_TRUE(loss_curve(step_losses(table), 6).empty());
  EXPECT_TRUE(loss_curve(step_losses(StepTable()), 1).empty());
}

TEST(LossCurve, AStepWithoutWeightDoesNotSpoilItsPoint) {
  StepTable table(1, 2);
  table.values(&StepRow::loss) = {2, std::nan("")};
  table.values(&StepRow::loss_weight) = {4, 0};
  table.values(&StepRow::sample_count) = {1, 1};
  table.values(&StepRow::start_s) = {0, 1};
  table.values(&StepRow::step_s) = {1, 1};
  const auto curve = loss_curve(step_losses(table), 2);
  ASSERT_EQ(curve.size(), 1U);
  EXPECT_EQ(curve[0].loss, 2);
}

TEST(LossRoughness, DoesNotDependOnTheLevelOfTheLoss) {
  std::vector<LossPoint> curve, scaled;
  for (int i = 0; i < 40; ++i) {
    const double loss = 1 + 0.3 * std::sin(12.9898 * i);
    curve.push_back({double(i + 1), 0, loss});
    scaled.push_back({double(i + 1), 0, 1000 * loss});
  }
  EXPECT_GT(loss_roughness(curve), 0.05);
  EXPECT_NEAR(loss_roughness(scaled), loss_roughness(curve), 1e-12);
}

TEST(LossRoughness, TheFirstTenthOfTheSamplesIsLearningAndNoNoise) {
  std::vector<LossPoint> curve;
  for (int i = 1; i <= 50; ++i) curve.push_back({double(i), 0, i <= 5 ? 1000.0 * (i % 2 + 1) : 1});
  EXPECT_EQ(loss_roughness(curve), 0);
  curve[5].loss = 2;
  EXPECT_GT(loss_roughness(curve), 0);
}

TEST(LossRoughness, ALossOfZeroOrInfinityIsNotDeterminable) {
  for (const double loss : {0.0, double(INFINITY), std::nan("")}) {
    std::vector<LossPoint> curve;
    for (int i = 1; i <= 20; ++i) curve.push_back({double(i), 0, i == 15 ? loss : 1.0 + i % 2});
    EXPECT_TRUE(std::isnan(loss_roughness(curve))) << loss;
  }
}

}  // namespace
}  // namespace scalestudy
