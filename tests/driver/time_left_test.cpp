#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "driver/terminal/progress.hpp"

namespace scalestudy {
namespace {

RunSpec spec_of(std::int64_t ranks, std::int64_t samples, std::int64_t repeat = 0) {
  RunSpec spec;
  spec.workload = "noise2void";
  spec.ranks = ranks;
  spec.repeat = repeat;
  spec.plan.samples = samples;
  return spec;
}

TEST(TimeLeft, ADifferentSettingIsAnotherConfiguration) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  auto other = spec_of(1, 100);
  other.reduction = Reduction::flat_after_backward;
  time_left.add_finished(other, 30);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(1, 100, 4)), 10);
  other.repeat = 4;
  EXPECT_DOUBLE_EQ(time_left.estimate_s(other), 30);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(8, 100)), 20) << "40 s for 200 samples";
}

TEST(TimeLeft, AFinishedRunEndsTheCurrentOne) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 100), 5, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 5);
  time_left.add_finished(spec_of(1, 100), 11);
  EXPECT_TRUE(std::isnan(time_left.current_left_s()));
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(2, 200)), 22) << "the half run counts no longer";
}

TEST(TimeLeft, ARunThatTakesLongerThanExpectedHasNothingNegativeLeft) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  time_left.set_current(spec_of(1, 100, 1), 25, 0, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0);
  time_left.set_current(spec_of(1, 100, 1), 25, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0.5 * 25);
}

TEST(TimeLeft, ARunAtItsLastStepHasNothingLeft) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 100), 8, 100, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0);
}

TEST(TimeLeft, ARunWithoutKnownLengthSaysNothing) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 100), 8, 5, 0);
  EXPECT_TRUE(std::isnan(time_left.current_left_s()));
  time_left.set_current(spec_of(1, 100), 8, -1, 100);
  EXPECT_TRUE(std::isnan(time_left.current_left_s()));
  EXPECT_TRUE(std::isnan(time_left.estimate_s(spec_of(2, 100))));
}

TEST(TimeLeft, FinishedRunsCountBeforeTheHalfDoneOne) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  time_left.set_current(spec_of(2, 100), 100, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(4, 50)), 5);
}

TEST(RoughDuration, IsInWholeSecondsMinutesAndHours) {
  EXPECT_EQ(rough_duration(0), "1 s");
  EXPECT_EQ(rough_duration(59.4), "59 s");
  EXPECT_EQ(rough_duration(59.6), "1 min 0 s");
  EXPECT_EQ(rough_duration(3599.7), "1 h 0 min");
  EXPECT_EQ(rough_duration(2 * 3600 + 61), "2 h 1 min");
}

TEST(ProgressBar, StaysWithinItsWidth) {
  for (const double done : {-1.0, 0.0, 0.01, 0.33, 0.99, 1.0, 7.0})
    EXPECT_EQ(progress_bar(done, 20).size(), 22U) << done;
  EXPECT_EQ(progress_bar(-1, 4), "[>   ]");
  EXPECT_EQ(progress_bar(0.99, 4), "[===>]");
}

}  // namespace
}  // namespace scalestudy
