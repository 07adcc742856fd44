#include "training/schedule.hpp"

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
  EXPECT_EQ(schedule->learning_rate(), 4e-4);
  schedule->end_epoch(1.0);  // the tenth bad epoch; torch would wait for an eleventh
  EXPECT_EQ(schedule->learning_rate(), 2e-4);
}

TEST(PlateauSchedule, ThresholdIsAbsolute) {
  const auto schedule = make_schedule(keras(2), 1.0, 1.0);
  schedule->end_epoch(4e-3);
  schedule->end_epoch(3.95e-3);  // 1.25 % better, but less than 1e-4
  schedule->end_epoch(3.92e-3);
  EXPECT_EQ(schedule->learning_rate(), 0.5);
}

TEST(PlateauSchedule, NaNIsNoImprovementAndAConstantScheduleNeverReduces) {
  const auto schedule = make_schedule(keras(1), 1.0, 1.0);
  schedule->end_epoch(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(schedule->learning_rate(), 0.5);
  auto constant = keras(1);
  constant.name = "constant";
  const auto flat = make_schedule(constant, 1.0, 1.0);
  for (int epoch = 0; epoch < 5; ++epoch) flat->end_epoch(1.0);
  EXPECT_EQ(flat->learning_rate(), 1.0);
}

TEST(PlateauSchedule, CooldownAndMinimumHold) {
  auto settings = keras(1);
  settings.cooldown_epochs = 2;
  settings.minimum_learning_rate = 0.3;
  const auto schedule = make_schedule(settings, 1.0, 1.0);
  schedule->end_epoch(1.0);
  schedule->end_epoch(1.0);
  EXPECT_EQ(schedule->learning_rate(), 0.5);
  schedule->end_epoch(1.0);  // cooling down
  EXPECT_EQ(schedule->learning_rate(), 0.5);
  schedule->end_epoch(1.0);  // over: Keras counts this epoch again
  EXPECT_EQ(schedule->learning_rate(), 0.3);
  schedule->end_epoch(1.0);
  schedule->end_epoch(1.0);
  EXPECT_EQ(schedule->learning_rate(), 0.3);
}

}  // namespace
}  // namespace scalestudy
