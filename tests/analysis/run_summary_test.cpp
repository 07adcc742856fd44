#include "analysis/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// Two ranks; rank 1 is slower by 0.1 s and has twice the loss weight.
RunRecord small_run(std::int64_t steps) {
  RunRecord run;
  run.steps = StepTable(2, steps);
  for (const Column& column : step_column::all()) static_cast<void>(run.steps.values(column));
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto i = static_cast<std::size_t>(rank * steps + step);
      run.steps.values(step_column::step_s)[i] = 1.0 + 0.1 * double(rank);
      run.steps.values(step_column::exposed_communication_s)[i] = 0.21;
      run.steps.values(step_column::start_s)[i] = 2.0 * double(step);
      run.steps.values(step_column::loss)[i] = rank == 0 ? 4.0 : 1.0;
      run.steps.values(step_column::loss_weight)[i] = rank == 0 ? 1 : 2;
      run.steps.values(step_column::sample_count)[i] = 3;
    }
  }
  return run;
}

StepTable noisy_losses(std::int64_t steps, double relative_noise) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, relative_noise);
  StepTable table(1, steps);
  for (const Column& column : step_column::all())
    table.values(column).assign(std::size_t(steps), 1);
  for (double& loss : table.values(step_column::loss)) loss = std::exp(normal(random));
  return table;
}

double value_of(const std::vector<SummaryValue>& values, const Column& column) {
  for (const SummaryValue& v : values) {
    if (v.column == &column) return v.value;
  }
  ADD_FAILURE() << column.name << " is missing";
  return 0;
}

TEST(RunSummary, KnownValues) {
  RunRecord run = small_run(10);
  run.ranks.numbers["cpu_time_s"] = {5, 6.5};
  run.epochs.numbers["end_s"] = {11, 23.5};
  run.epochs.numbers["training_loss"] = {3, 2};
  run.epochs.numbers["validation_loss"] = {0.7, 0.5};
  run.evaluations.numbers["psnr_db"] = {20, 27.5};
  const auto values = summarise(run, {5, 6});
  EXPECT_DOUBLE_EQ(value_of(values, summary_column::cpu_time_s), 11.5);
  EXPECT_DOUBLE_EQ(value_of(values, summary_column::training_time_s), 23.5);
  EXPECT_DOUBLE_EQ(value_of(values, summary_column::steady_step_s), 1.1);
  EXPECT_DOUBLE_EQ(value_of(values, summary_column::samples_per_s), 6 / 1.1);
  EXPECT_DOUBLE_EQ(value_of(values, summary_column::steady_start_step), 5);
  EXPECT_NEAR(value_of(values, summary_column::communication_overhead_frac), 0.42 / 2.1, 1e-12);
  EXPECT_DOUBLE_EQ(value_of(values, summary_column::final_loss), 2);
  EXPECT_DOUBLE_EQ(value_of(values, summary_column::best_validation_loss), 0.5);
  EXPECT_DOUBLE_EQ(value_of(values, summary_column::psnr_db), 27.5);
  EXPECT_NEAR(value_of(values, summary_column::loss_roughness), 0, 1e-12);
}

TEST(RunSummary, EverySummaryColumnButTheMeasuredOnesIsComputed) {
  const auto values = summarise(small_run(10), {5, 6});
  for (const Column& column : summary_column::all()) {
    if (column.name == "launch_wall_time_s" || column.name == "timeline_cost_s") continue;
    bool found = false;
    for (const SummaryValue& v : values) found = found || v.column->name == column.name;
    EXPECT_TRUE(found) << column.name;
  }
}

TEST(RunSummary, WithoutEpochsTheLastStepEndsTheTraining) {
  EXPECT_DOUBLE_EQ(training_time_s(small_run(10)), 18 + 1.1);
}

TEST(RunSummary, NothingRecordedIsNotDeterminableButNoCrash) {
  for (const SummaryValue& v : summarise(RunRecord{}, {5, 1})) {
    if (v.column->name == "steady_start_step") continue;
    EXPECT_TRUE(std::isnan(v.value)) << v.column->name;
  }
}

TEST(RunSummary, ARunShorterThanItsWarmUpHasNoRate) {
  const auto values = summarise(small_run(4), {5, 1});
  EXPECT_TRUE(std::isnan(value_of(values, summary_column::samples_per_s)));
}

TEST(SteadyWindow, StationaryTimesKeepEverythingAfterTheWarmUp) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(1, 0.01);
  std::vector<double> step_s(205);
  for (double& v : step_s) v = normal(random);
  const SteadyWindow window = find_steady_window(step_s, 5);
  EXPECT_LT(window.start, 60);
  EXPECT_GE(window.start, 5);
  EXPECT_EQ(window.end, 205);
  EXPECT_TRUE(window.stationary);
}

TEST(SteadyWindow, ATransientBeyondTheWarmUpIsCut) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(1, 0.01);
  std::vector<double> step_s(205);
  for (std::size_t i = 0; i < step_s.size(); ++i) step_s[i] = normal(random) + (i < 35 ? 1.0 : 0.0);
  EXPECT_EQ(find_steady_window(step_s, 5).start, 35);
}

TEST(SteadyWindow, AnEndlessTrendIsReported) {
  std::vector<double> step_s(200);
  for (std::size_t i = 0; i < step_s.size(); ++i) step_s[i] = std::exp(0.05 * double(i));
  std::reverse(step_s.begin(), step_s.end());
  EXPECT_FALSE(find_steady_window(step_s, 0).stationary);
}

TEST(LossCurve, JoinsStepsByWeightAndDropsTheIncompletePoint) {
  const auto curve = loss_curve(small_run(5).steps, 12);  // 6 samples per step: 2 steps per point
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_DOUBLE_EQ(curve[0].samples_seen, 12);
  EXPECT_DOUBLE_EQ(curve[1].samples_seen, 24);
  EXPECT_DOUBLE_EQ(curve[0].loss, (4.0 * 1 + 1.0 * 2) / 3) << "weighted, not the mean of means";
  EXPECT_DOUBLE_EQ(curve[0].time_s, 2 + 1.1);
}

TEST(LossRoughness, IsTheNoiseThatWasPutIn) {
  const auto table = noisy_losses(20000, 0.1);
  EXPECT_NEAR(loss_roughness(loss_curve(table, 1)), 0.1, 0.002);
  EXPECT_NEAR(loss_roughness(loss_curve(table, 4)), 0.05, 0.002) << "averaging four halves it";
}

TEST(LossRoughness, ATrendIsNoRoughness) {
  std::vector<LossPoint> falling;
  for (int i = 0; i < 100; ++i) falling.push_back({double(i + 1), double(i), std::exp(-0.05 * i)});
  EXPECT_NEAR(loss_roughness(falling), 0, 1e-9);
}

TEST(LossRoughness, UndefinedForNegativeLossesAndShortCurves) {
  std::vector<LossPoint> curve(50, LossPoint{1, 0, 1});
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i].samples_seen = double(i + 1);
  EXPECT_FALSE(std::isnan(loss_roughness(curve)));
  curve[40].loss = -0.1;
  EXPECT_TRUE(std::isnan(loss_roughness(curve)));
  EXPECT_TRUE(std::isnan(loss_roughness(std::span(curve).first(3))));
}

}  // namespace
}  // namespace scalestudy
