/// The verdict "busy machine": planted, disguised, and the null that must not fire.

#include "record/measures/cpu_use.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// One step, in which every rank waits so long.
void wait(RunRecord& run, std::int64_t ranks, double input_s, double communication_s) {
  run.steps = StepTable(ranks, 1);
  for (double& value : run.steps.values(&StepRow::input_wait_s)) value = input_s;
  for (double& value : run.steps.values(&StepRow::exposed_communication_s)) value = communication_s;
  for (double& value : run.steps.values(&StepRow::phase_wait_s)) value = not_recorded;
}

/// Ranks of one thread on 2 cores for 10 s; each worked `cpu_s`, the cores in all `busy_s`.
RunRecord ran(std::int64_t ranks, double cpu_s, double busy_s) {
  RunRecord run;
  wait(run, ranks, 0, 0);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    run.ranks.push_back({.host = "here",
                         .device = "cpu",
                         .binding = "0-1",
                         .threads = 1,
                         .clocked_s = 10,
                         .clocked_cpu_time_s = cpu_s,
                         .clocked_core_busy_s = busy_s,
                         .core_count = 2});
  }
  return run;
}

std::string reason_for(const RunRecord& run) {
  return busy_machine_reason(run.ranks, cpu_use_frac(run), contended_cpu_frac(run));
}

TEST(BusyMachine, AProgramThatTakesACoreFromTwoRanks) {
  const auto run = ran(2, 6.7, 20);
  EXPECT_NEAR(contended_cpu_frac(run), 0.33, 1e-12);
  EXPECT_EQ(reason_for(run), "other programs took 33 % of the CPU time that its ranks needed");
}

TEST(BusyMachine, RanksWithoutTheirCoresThoughNobodyElseIsSeen) {
  auto run = ran(2, 4, 8);
  EXPECT_EQ(contended_cpu_frac(run), 0);
  EXPECT_DOUBLE_EQ(cpu_use_frac(run), 0.4);
  EXPECT_EQ(reason_for(run),
            "outside recorded waits its threads were at work only 40 % of the time");
  run.ranks[1].clocked_throttled_frac = 0.05;
  EXPECT_FALSE(is_throttled_by_quota(run.ranks) || reason_for(run).empty());
  run.ranks[1].clocked_throttled_frac = 0.8;
  EXPECT_EQ(quota_throttled_frac(run.ranks), 0.8);
  EXPECT_TRUE(is_throttled_by_quota(run.ranks));
  EXPECT_EQ(reason_for(run), "") << "the quota is the reason, no other program";
}

TEST(BusyMachine, AQuotaExcusesNoOtherProgram) {
  auto run = ran(2, 6.7, 20);
  run.ranks[0].clocked_throttled_frac = 0.8;
  EXPECT_EQ(reason_for(run), "other programs took 33 % of the CPU time that its ranks needed");
}

TEST(BusyMachine, AProgramOnACoreThatOneRankDoesNotNeedIsNoMatter) {
  EXPECT_EQ(reason_for(ran(1, 9.9, 19.9)), "");
}

TEST(BusyMachine, WaitingInsidePhasesIsNoLackOfCpu) {
  auto run = ran(2, 4, 8);
  for (double& value : run.steps.values(&StepRow::phase_wait_s)) value = 5.5;
  EXPECT_DOUBLE_EQ(cpu_use_frac(run), 4 / 4.5);
  EXPECT_EQ(reason_for(run), "");
}

TEST(BusyMachine, AReplayThatSleepsNeedsNoCore) {
  auto run = ran(2, 0.1, 20);
  EXPECT_NE(reason_for(run), "");
  run.header.labels = {"emulated_compute"};
  EXPECT_EQ(reason_for(run), "");
}

TEST(BusyMachine, AReplayThatSpinsNeedsItsCoresAsANetworkDoes) {
  auto run = ran(2, 6.7, 20);
  run.header.labels = {"emulated_compute", "spinning"};
  EXPECT_EQ(reason_for(run), "other programs took 33 % of the CPU time that its ranks needed");
}

/// Four ranks on two cores: none can be at work more than half of the time.
TEST(BusyMachine, ManyRanksOnFewCoresAreNotBlamedOnOthers) {
  const auto quiet = ran(4, 4.6, 19);
  EXPECT_DOUBLE_EQ(cpu_use_frac(quiet), 0.92);
  EXPECT_NEAR(contended_cpu_frac(quiet), 0.03, 1e-12);
  EXPECT_EQ(reason_for(quiet), "");
  const auto disturbed = ran(4, 2.5, 20);
  EXPECT_DOUBLE_EQ(contended_cpu_frac(disturbed), 0.5) << "others had a core of the two";
  EXPECT_NE(reason_for(disturbed), "");
}

TEST(BusyMachine, AQuietMachineIsNotBlamed) {
  EXPECT_EQ(reason_for(ran(1, 9.8, 9.9)), "");
  EXPECT_EQ(reason_for(ran(2, 9.4, 19.1)), "");
}

TEST(BusyMachine, RecordedWaitsAreNoLackOfCpu) {
  auto run = ran(1, 4, 4.1);
  EXPECT_NE(reason_for(run), "");
  wait(run, 1, 4, 1.5);
  EXPECT_DOUBLE_EQ(cpu_use_frac(run), 4 / 4.5);
  EXPECT_EQ(reason_for(run), "");
}

TEST(BusyMachine, CoresOfOneRankAloneCountByThemselves) {
  auto run = ran(2, 9.5, 9.6);
  run.ranks[0].binding = "0";
  run.ranks[1].binding = "1";
  for (auto& rank : run.ranks) rank.core_count = 1;
  EXPECT_EQ(reason_for(run), "");
  run.ranks[1].clocked_cpu_time_s = 6;
  run.ranks[1].clocked_core_busy_s = 10;
  EXPECT_NEAR(contended_cpu_frac(run), 0.4, 1e-12) << "rank 1 shared its core";
}

TEST(BusyMachine, AGpuRankMayLeaveItsCoreIdle) {
  auto run = ran(1, 2, 2.1);
  run.ranks[0].device = "cuda:0";
  EXPECT_EQ(reason_for(run), "");
}

TEST(BusyMachine, WhatWasNotRecordedIsNotHeldAgainstARun) {
  auto run = ran(1, std::nan(""), std::nan(""));
  EXPECT_TRUE(std::isnan(cpu_use_frac(run)));
  EXPECT_TRUE(std::isnan(contended_cpu_frac(run)));
  EXPECT_EQ(reason_for(run), "");
  EXPECT_EQ(reason_for(RunRecord()), "");
}

}  // namespace
}  // namespace scalestudy
