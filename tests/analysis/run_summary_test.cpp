#include "record/measures/run_summary.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "record/measures/measures.hpp"

namespace scalestudy {
namespace {

/// Two ranks; rank 1 is slower by 0.1 s and has twice the loss weight.
RunRecord small_run(std::int64_t steps) {
  RunRecord run;
  run.steps = StepTable(2, steps);
  for (const auto& column : columns_of<StepRow>) static_cast<void>(run.steps.values(column));
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto i = static_cast<std::size_t>(rank * steps + step);
      run.steps.values(&StepRow::step_s)[i] = 1.0 + 0.1 * double(rank);
      run.steps.values(&StepRow::exposed_communication_s)[i] = 0.21;
      run.steps.values(&StepRow::start_s)[i] = 2.0 * double(step);
      run.steps.values(&StepRow::loss)[i] = rank == 0 ? 4.0 : 1.0;
      run.steps.values(&StepRow::loss_weight)[i] = rank == 0 ? 1 : 2;
      run.steps.values(&StepRow::sample_count)[i] = 3;
      run.steps.values(&StepRow::epoch)[i] = 0;
    }
  }
  return run;
}

StepTable noisy_losses(std::int64_t steps, double relative_noise) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, relative_noise);
  StepTable table(1, steps);
  for (const auto& column : columns_of<StepRow>) table.values(column).assign(std::size_t(steps), 1);
  for (double& loss : table.values(&StepRow::loss)) loss = std::exp(normal(random));
  return table;
}

TEST(Summary, KnownValues) {
  RunRecord run = small_run(10);
  run.ranks = {{.cpu_time_s = 5}, {.cpu_time_s = 6.5}};
  run.epochs = {{.training_loss = 3, .validation_loss = 0.7, .end_s = 11},
                {.training_loss = 2, .validation_loss = 0.5, .end_s = 23.5}};
  run.evaluations = {{.psnr_db = 20}, {.psnr_db = 27.5}};
  const auto summary = summarise(run, {5});
  EXPECT_DOUBLE_EQ(summary.cpu_time_s, 11.5);
  EXPECT_DOUBLE_EQ(summary.training_time_s, 23.5);
  EXPECT_DOUBLE_EQ(summary.steady_step_s, 1.1);
  EXPECT_DOUBLE_EQ(summary.samples_per_s, 5 * 6 / (4 * 2 + 1.1));
  EXPECT_EQ(summary.steady_start_step, 5);
  EXPECT_NEAR(summary.communication_overhead_frac, 0.42 / 2.1, 1e-12);
  EXPECT_DOUBLE_EQ(summary.final_loss, 2);
  EXPECT_DOUBLE_EQ(summary.best_validation_loss, 0.5);
  EXPECT_DOUBLE_EQ(summary.psnr_db, 27.5);
  EXPECT_NEAR(summary.loss_roughness, 0, 1e-12);
}

TEST(Measures, EverySummaryColumnHasExactlyOne) {
  for (const auto& column : columns_of<SummaryRow>) {
    const auto keeps = [&](const Measure& measure) { return measure.summary == &column; };
    EXPECT_EQ(std::ranges::count_if(measures(), keeps), 1) << column.name;
  }
}

/// A quality metric has two columns, and they speak of the same number.
TEST(Measures, SummaryKeepsThemUnderTheirNames) {
  for (const Measure& measure : measures()) {
    if (measure.summary == nullptr) continue;
    EXPECT_EQ(measure.column->name, measure.summary->name);
    EXPECT_EQ(measure.column->unit, measure.summary->unit);
    EXPECT_EQ(measure.column->better, measure.summary->better);
    EXPECT_EQ(&measure_of(*measure.summary), &measure);
  }
}

TEST(Measures, EachQualityMetricIsTheLastEvaluationsOwn) {
  RunRecord run = small_run(10);
  run.evaluations.resize(2);
  double next = 1;
  for (const auto& column : columns_of<EvaluationRow>)
    if (column.storage == Storage::float64) set_number(run.evaluations.back(), column, next++);
  const RunMeasures found(run, {5});
  for (const auto& column : columns_of<EvaluationRow>) {
    const auto is_it = [&](const Measure& measure) { return measure.column == &column; };
    if (std::ranges::any_of(measures(), is_it)) {
      EXPECT_EQ(found[column], number_in(run.evaluations.back(), column)) << column.name;
    }
  }
}

TEST(Measures, TryingTheExchangeIsNoTraining) {
  RunRecord run = small_run(10);
  run.epochs = {{.training_loss = 2, .end_s = 20}};
  run.ranks = {{.probe_s = 0.5}, {.probe_s = 0.5}};
  EXPECT_DOUBLE_EQ(training_time_s(run), 19.5);
  run.epochs.clear();
  EXPECT_DOUBLE_EQ(training_time_s(run), 18 + 1.1 - 0.5);
}

TEST(Measures, AResumedRunHasNoTimesButItsLosses) {
  RunRecord run = small_run(10);
  run.epochs = {{.training_loss = 2, .end_s = 20}};
  EXPECT_EQ(summarise(run, {5}).training_time_s, 20);
  run.header.labels = {"resumed"};
  const auto summary = summarise(run, {5});
  for (const Measure& measure : measures()) {
    if (measure.kind != MeasureKind::timing) continue;
    EXPECT_EQ(known_value(summary, *measure.summary), std::nullopt) << measure.column->name;
  }
  EXPECT_EQ(summary.final_loss, 2);
}

TEST(Measures, NothingRecordedIsNotDeterminableButNoCrash) {
  const auto summary = summarise(RunRecord{}, {5});
  for (const auto& column : columns_of<SummaryRow>) {
    if (column.name == "steady_start_step") continue;
    EXPECT_EQ(known_value(summary, column), std::nullopt) << column.name;
  }
}

TEST(Measures, ARunShorterThanItsWarmUpHasNoRate) {
  EXPECT_TRUE(std::isnan(summarise(small_run(4), {5}).samples_per_s));
}

/// The last steps of a failed run can be those of rank 0 alone.
TEST(Measures, StepsThatARankDidNotRecordDoNotCount) {
  RunRecord whole = small_run(20);
  RunRecord torn = small_run(24);
  for (const auto& column : columns_of<StepRow>)
    for (std::size_t step = 20; step < 24; ++step)
      torn.steps.values(column)[24 + step] = column.storage == Storage::int64 ? 0 : NAN;
  const RunMeasures expected(whole, {5});
  const RunMeasures found(torn, {5});
  EXPECT_EQ(found.steady_window().end, 20);
  EXPECT_EQ(found.steady_window().start, expected.steady_window().start);
  for (const auto field : {&SummaryRow::samples_per_s, &SummaryRow::steady_step_s,
                           &SummaryRow::communication_overhead_frac})
    EXPECT_EQ(found[field], expected[field]) << column_of(field).name;
}

TEST(SamplesPerSecond, IsOfTheTimeThatPassedBetweenTheFirstAndTheLastStepOfAnEpoch) {
  RunRecord run = small_run(20);  // a step of 1.1 s each 2 s
  EXPECT_DOUBLE_EQ(summarise(run, {5}).samples_per_s, 15 * 6 / (14 * 2 + 1.1));
  auto& epochs = run.steps.values(&StepRow::epoch);
  for (std::size_t i = 0; i < epochs.size(); ++i) epochs[i] = i % 20 < 10 ? 0 : 1;
  EXPECT_DOUBLE_EQ(summarise(run, {5}).samples_per_s, 15 * 6 / (4 * 2 + 1.1 + 9 * 2 + 1.1))
      << "what lies between epochs is no training";
  run.steps.values(&StepRow::saving_s).assign(40, 0.0);
  run.steps.values(&StepRow::saving_s)[7] = 0.5;
  EXPECT_DOUBLE_EQ(summarise(run, {5}).samples_per_s, 15 * 6 / (4 * 2 + 1.1 + 9 * 2 + 1.1 - 0.5))
      << "nor is a checkpoint";
}

TEST(LossCurve, JoinsStepsByWeightAndDropsTheIncompletePoint) {
  const auto curve =
      loss_curve(step_losses(small_run(5).steps), 12);  // 6 samples per step: 2 steps per point
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_DOUBLE_EQ(curve[0].samples_seen, 12);
  EXPECT_DOUBLE_EQ(curve[1].samples_seen, 24);
  EXPECT_DOUBLE_EQ(curve[0].loss, (4.0 * 1 + 1.0 * 2) / 3) << "weighted, not the mean of means";
  EXPECT_DOUBLE_EQ(curve[0].time_s, 2 + 1.1);
}

TEST(LossRoughness, IsTheNoiseThatWasPutIn) {
  const auto table = noisy_losses(20000, 0.1);
  EXPECT_NEAR(loss_roughness(loss_curve(step_losses(table), 1)), 0.1, 0.002);
  EXPECT_NEAR(loss_roughness(loss_curve(step_losses(table), 4)), 0.05, 0.002)
      << "averaging four halves it";
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
