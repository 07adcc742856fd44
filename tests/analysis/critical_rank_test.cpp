#include "record/measures/critical_rank.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// Two ranks, three steps of 10 s; rank 1 computes 2 s longer in step 1, rank 0 in step 2.
class CriticalRank : public testing::Test {
 protected:
  CriticalRank() {
    for (std::int64_t step = 0; step < 3; ++step) {
      const double slower_s[2] = {step == 2 ? 2.0 : 0.0, step == 1 ? 2.0 : 0.0};
      const double compute_s = 6;
      const double last_s = compute_s + std::max(slower_s[0], slower_s[1]);
      for (std::int64_t rank = 0; rank < 2; ++rank) {
        const double own_s = compute_s + slower_s[rank];
        set(&StepRow::input_wait_s, rank, step, 0.25);
        set(&StepRow::host_to_device_s, rank, step, 0.25);
        set(&StepRow::device_step_s, rank, step, 0);
        set(&StepRow::forward_s, rank, step, own_s / 3);
        set(&StepRow::backward_s, rank, step, own_s * 2 / 3);
        set(&StepRow::phase_wait_s, rank, step, 0);
        set(&StepRow::phase_transfer_s, rank, step, 0);
        set(&StepRow::peer_wait_s, rank, step, last_s - own_s);
        set(&StepRow::exposed_transfer_s, rank, step, 1);
        set(&StepRow::optimizer_s, rank, step, 0.5);
        set(&StepRow::early_update_s, rank, step, 0);
        set(&StepRow::recording_s, rank, step, 0);
        set(&StepRow::saving_s, rank, step, 0);
        set(&StepRow::evaluation_s, rank, step, 0);
        set(&StepRow::ready_s, rank, step, now_s_ + 0.5 + own_s);
        set(&StepRow::released_s, rank, step, now_s_ + 0.5 + last_s + 1);
        set(&StepRow::epoch, rank, step, 0);
      }
      now_s_ += 0.5 + last_s + 1 + 0.5;
    }
  }
  void set(StepColumn column, std::int64_t rank, std::int64_t step, double value) {
    steps_.values(column)[static_cast<std::size_t>(rank * 3 + step)] = value;
  }

  double now_s_ = 0;
  StepTable steps_{2, 3};
};

/// Of 0.5 s, so much came before the release of its own step.
TEST_F(CriticalRank, WhatWasUpdatedEarlyIsNoPartOfTheNextStep) {
  for (std::int64_t step = 0; step < 3; ++step)
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      const auto early_s = 0.125 * static_cast<double>(step + rank);
      set(&StepRow::early_update_s, rank, step, early_s);
      set(&StepRow::exposed_transfer_s, rank, step, 1 - early_s);
      set(&StepRow::forward_s, rank, step,
          steps_.at(&StepRow::forward_s, rank, step) +
              (step > 0 ? 0.125 * static_cast<double>(step + rank - 1) : 0));
    }
  for (const auto& step : critical_steps(steps_)) EXPECT_DOUBLE_EQ(step.parts_s, step.step_s);
}

TEST_F(CriticalRank, DecidesTheStepAndItsPartsAddUp) {
  const auto critical = critical_steps(steps_);
  ASSERT_EQ(critical.size(), 2U);
  EXPECT_EQ(critical[0].rank, 1);
  EXPECT_EQ(critical[1].rank, 0);
  for (const auto& step : critical) {
    EXPECT_DOUBLE_EQ(step.step_s, 10);
    EXPECT_DOUBLE_EQ(step.parts_s, 10);
    EXPECT_DOUBLE_EQ(step.remainder_frac(), 0);
    EXPECT_DOUBLE_EQ(step.furthest_s, step.last_ready_s);
    EXPECT_EQ(step.furthest_rank, step.rank);
  }
}

TEST_F(CriticalRank, WhatNobodyRecordedRemains) {
  for (const std::int64_t rank : {0, 1}) {
    set(&StepRow::ready_s, rank, 2, steps_.at(&StepRow::ready_s, rank, 2) + 5);
    set(&StepRow::released_s, rank, 2, steps_.at(&StepRow::released_s, rank, 2) + 5);
  }
  EXPECT_DOUBLE_EQ(critical_steps(steps_)[1].remainder_frac(), 5.0 / 15);
}

TEST_F(CriticalRank, ACheckpointAndAnEvaluationBeforeTheStepArePartsOfIt) {
  for (const std::int64_t rank : {0, 1}) {
    set(&StepRow::saving_s, rank, 2, 2);
    set(&StepRow::evaluation_s, rank, 2, 3);
    set(&StepRow::ready_s, rank, 2, steps_.at(&StepRow::ready_s, rank, 2) + 5);
    set(&StepRow::released_s, rank, 2, steps_.at(&StepRow::released_s, rank, 2) + 5);
  }
  EXPECT_DOUBLE_EQ(critical_steps(steps_)[1].remainder_frac(), 0);
}

TEST_F(CriticalRank, TheLastReleaseCountsAndTheSpreadIsKnown) {
  set(&StepRow::released_s, 0, 1, steps_.at(&StepRow::released_s, 0, 1) + 1);
  const auto critical = critical_steps(steps_);
  EXPECT_DOUBLE_EQ(critical[0].spread_s, 1);
  EXPECT_DOUBLE_EQ(critical[0].step_s, 11);
  EXPECT_DOUBLE_EQ(critical[0].remainder_frac(), 1.0 / 11);
  EXPECT_DOUBLE_EQ(critical[1].spread_s, 0);
}

TEST_F(CriticalRank, AClockThatIsAheadMisleadsTheCommonClockButNotTheFrontier) {
  for (std::int64_t step = 0; step < 3; ++step)
    for (const auto column : {StepColumn(&StepRow::ready_s), StepColumn(&StepRow::released_s)})
      set(column, 0, step, steps_.at(column, 0, step) + 3);
  const auto critical = critical_steps(steps_);
  EXPECT_EQ(critical[0].rank, 0) << "wrongly: its clock is ahead";
  EXPECT_EQ(critical[0].furthest_rank, 1);
  EXPECT_DOUBLE_EQ(critical[0].furthest_s, 9) << "0.5 s of update, 0.5 s of input, 8 s of passes";
}

TEST_F(CriticalRank, StepsAfterAnotherEpochOrWithoutASplitAreLeftOut) {
  set(&StepRow::epoch, 0, 2, 1);
  EXPECT_EQ(critical_steps(steps_).size(), 1U);
  set(&StepRow::peer_wait_s, 1, 0, std::nan(""));
  EXPECT_TRUE(critical_steps(steps_).empty());
}

}  // namespace
}  // namespace scalestudy
