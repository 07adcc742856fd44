#include "driver/run/time_left.hpp"

#include <cmath>

#include <gtest/gtest.h>

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

TEST(TimeLeft, IsUnknownBeforeAnythingIsMeasured) {
  EXPECT_TRUE(std::isnan(TimeLeft().estimate_s(spec_of(1, 100))));
  EXPECT_TRUE(std::isnan(TimeLeft().current_left_s()));
}

TEST(TimeLeft, PrefersRepeatsOfTheSameConfiguration) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  time_left.add_finished(spec_of(1, 100, 1), 14);
  time_left.add_finished(spec_of(2, 100), 6);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(1, 100, 2)), 12);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(2, 100, 2)), 6);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(4, 50)), 5);  // 30 s for 300 samples
}

/// Of a run whose driver did not see its end.
TEST(TimeLeft, AnUnknownLaunchTimeIsNone) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 0);
  EXPECT_TRUE(std::isnan(time_left.estimate_s(spec_of(1, 100, 1))));
  time_left.add_finished(spec_of(1, 100, 2), 100);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(1, 100, 3)), 100);
}

TEST(TimeLeft, ExtrapolatesTheFirstRun) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 100), 3, 25, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 9);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(2, 100)), 12);
}

TEST(TimeLeft, TrustsTheRunAtWorkAsFarAsItHasCome) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  time_left.set_current(spec_of(1, 100, 1), 2, 0, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 8);
  time_left.set_current(spec_of(1, 100, 1), 6, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0.5 * 6 + 0.5 * 4);
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

/// A trial of 5 steps of 2 samples a rank: 3 s of launch, 0.2 s a step, 0.5 s at the epoch's end.
TrialTimes trial_with(std::int64_t ranks) {
  auto spec = spec_of(ranks, 10);
  spec.plan.local_batch_sizes.assign(static_cast<std::size_t>(ranks), 2);
  spec.plan.epochs = 1;
  spec.plan.steps_per_epoch = 5;
  return {spec, 3, 0.2, 0.5};
}

RunSpec whole_run(std::int64_t ranks, std::int64_t local_batch) {
  auto spec = spec_of(ranks, 100);
  spec.plan.local_batch_sizes.assign(static_cast<std::size_t>(ranks), local_batch);
  spec.plan.epochs = 3;
  spec.plan.steps_per_epoch = 25;
  return spec;
}

TEST(TimeLeft, BeforeAnyRunATrialTells) {
  TimeLeft time_left;
  time_left.add_trial(trial_with(1));
  EXPECT_DOUBLE_EQ(time_left.estimate_s(whole_run(1, 2)), 3 + 70 * 0.2 + 2 * 0.5);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(whole_run(2, 1)), 3 + 70 * 0.1 + 2 * 0.5)
      << "half the local batch, half the step";
}

TEST(TimeLeft, TheTrialWithTheNearestNumberOfRanksTells) {
  TimeLeft time_left;
  time_left.add_trial(trial_with(1));
  auto slow = trial_with(8);
  slow.step_s = 1;
  time_left.add_trial(slow);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(whole_run(2, 2)), 3 + 70 * 0.2 + 2 * 0.5);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(whole_run(4, 2)), 3 + 70 * 1.0 + 2 * 0.5);
}

TEST(TimeLeft, AFinishedRunCountsMoreThanATrial) {
  TimeLeft time_left;
  time_left.add_trial(trial_with(1));
  time_left.add_finished(whole_run(1, 2), 99);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(whole_run(1, 2)), 99);
}

}  // namespace
}  // namespace scalestudy
