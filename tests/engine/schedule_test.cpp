#include "engine/schedule.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

ScheduleSettings keras(std::int64_t patience) {
  ScheduleSettings settings;
  settings.patience_epochs = patience;
  return settings;
}

TEST(PlateauSchedule, FiresWhenBadEpochsReachThePatience) {
  const auto schedule = make_schedule(keras(10), 4e-4, 4e-4);
  schedule->end_epoch(1.0);
  for (int epoch = 0; epoch < 9; ++epoch) schedule->end_epoch(1.0);
  EXPECT_EQ(schedule->learning_rate(0), 4e-4);
  schedule->end_epoch(1.0);  // the tenth bad epoch; torch would wait for an eleventh
  EXPECT_EQ(schedule->learning_rate(0), 2e-4);
}

TEST(PlateauSchedule, ThresholdIsAbsolute) {
  const auto schedule = make_schedule(keras(2), 1.0, 1.0);
  schedule->end_epoch(4e-3);
  schedule->end_epoch(3.95e-3);  // 1.25 % better, but less than 1e-4
  schedule->end_epoch(3.92e-3);
  EXPECT_EQ(schedule->learning_rate(0), 0.5);
}

TEST(PlateauSchedule, NaNIsNoImprovementAndAConstantScheduleNeverReduces) {
  const auto schedule = make_schedule(keras(1), 1.0, 1.0);
  schedule->end_epoch(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(schedule->learning_rate(0), 0.5);
  auto constant = keras(1);
  constant.name = ScheduleKind::constant;
  const auto flat = make_schedule(constant, 1.0, 1.0);
  for (int epoch = 0; epoch < 5; ++epoch) flat->end_epoch(1.0);
  EXPECT_EQ(flat->learning_rate(0), 1.0);
}

TEST(PlateauSchedule, CooldownAndMinimumHold) {
  auto settings = keras(1);
  settings.cooldown_epochs = 2;
  settings.minimum_learning_rate = 0.3;
  const auto schedule = make_schedule(settings, 1.0, 1.0);
  schedule->end_epoch(1.0);
  schedule->end_epoch(1.0);
  EXPECT_EQ(schedule->learning_rate(0), 0.5);
  schedule->end_epoch(1.0);  // cooling down
  EXPECT_EQ(schedule->learning_rate(0), 0.5);
  schedule->end_epoch(1.0);  // over: Keras counts this epoch again
  EXPECT_EQ(schedule->learning_rate(0), 0.3);
  schedule->end_epoch(1.0);
  schedule->end_epoch(1.0);
  EXPECT_EQ(schedule->learning_rate(0), 0.3);
}

ScheduleSettings rwth(std::vector<std::int64_t> milestones, std::int64_t unscaled) {
  ScheduleSettings settings;
  settings.name = ScheduleKind::step;
  settings.milestones_epochs = std::move(milestones);
  settings.unscaled_epochs = unscaled;
  return settings;
}

/// The rate of each of 200 epochs as a multiple of the base rate, at 4 ranks.
std::vector<double> rates_of(const ScheduleSettings& settings) {
  std::vector<double> rates;
  const auto schedule = make_schedule(settings, 1.0, 4.0);
  for (int epoch = 0; epoch < 200; ++epoch) {
    rates.push_back(schedule->learning_rate(0));
    schedule->end_epoch(0.5);
  }
  return rates;
}

// protocols 2.4, TensorFlow: ×1 to epoch 79, ×1/2 to 119, ×1/4 to 150, ×1/8 after.
TEST(StepSchedule, TensorFlowVariantOfTheRwthStudy) {
  const auto rates = rates_of(rwth({80, 120, 151}, 0));
  EXPECT_EQ(rates[0], 4);
  EXPECT_EQ(rates[79], 4);
  EXPECT_EQ(rates[80], 2);
  EXPECT_EQ(rates[119], 2);
  EXPECT_EQ(rates[120], 1);
  EXPECT_EQ(rates[150], 1);
  EXPECT_EQ(rates[151], 0.5);
}

// PyTorch: ×1/8 from epoch 150 on, and the first epoch at the unscaled rate.
TEST(StepSchedule, PyTorchVariantOfTheRwthStudy) {
  const auto rates = rates_of(rwth({80, 120, 150}, 1));
  EXPECT_EQ(rates[0], 1);
  EXPECT_EQ(rates[1], 4);
  EXPECT_EQ(rates[149], 1);
  EXPECT_EQ(rates[150], 0.5);
}

TEST(Schedule, GoesOnFromItsState) {
  for (const auto& settings : {keras(2), rwth({3, 5}, 1)}) {
    const auto whole = make_schedule(settings, 1.0, 4.0);
    const auto first = make_schedule(settings, 1.0, 4.0);
    for (int epoch = 0; epoch < 4; ++epoch) {
      whole->end_epoch(1.0);
      first->end_epoch(1.0);
    }
    const auto second = make_schedule(settings, 1.0, 4.0);
    second->set_state(first->state());
    for (int epoch = 0; epoch < 6; ++epoch) {
      EXPECT_EQ(second->learning_rate(0), whole->learning_rate(0)) << settings.name << epoch;
      whole->end_epoch(1.0);
      second->end_epoch(1.0);
    }
  }
}

TEST(WarmUp, RampsInSamplesTowardsTheScheduledRate) {
  RunSpec spec;
  spec.settings.schedule = keras(1);
  spec.settings.optimizer.base_learning_rate = 1e-3;
  spec.plan.learning_rate = 5e-3;
  spec.plan.patience_epochs = 1;
  spec.plan.warmup_samples = 8;
  const auto schedule = make_schedule(spec);
  EXPECT_DOUBLE_EQ(schedule->learning_rate(0), 1e-3);
  EXPECT_DOUBLE_EQ(schedule->learning_rate(4), 3e-3);
  EXPECT_DOUBLE_EQ(schedule->learning_rate(8), 5e-3);
  schedule->end_epoch(1.0);
  schedule->end_epoch(1.0);  // the plateau is reached while the ramp still runs
  EXPECT_DOUBLE_EQ(schedule->learning_rate(4), 1e-3 + (2.5e-3 - 1e-3) / 2);
  const auto resumed = make_schedule(spec);
  resumed->set_state(schedule->state());
  EXPECT_DOUBLE_EQ(resumed->learning_rate(4), schedule->learning_rate(4));
}

}  // namespace
}  // namespace scalestudy
