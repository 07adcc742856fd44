#include "driver/run/failure.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using testing::HasSubstr;

constexpr ProcessEnd ended_well{false, 0};
constexpr ProcessEnd killed{true, SIGKILL};
constexpr ProcessEnd ended_with_5{false, 5};

HeartbeatState heartbeat(double time_s, const std::string& phase, const std::string& error = "") {
  HeartbeatState state;
  state.step = 7;
  state.total_steps = 10;
  state.time_s = time_s;
  state.phase = phase;
  state.error = error;
  return state;
}

/// Rank r ended as ends[r], seen in poll orders[r].
Evidence ends_in_order(const std::vector<ProcessEnd>& ends, const std::vector<int>& orders) {
  Evidence evidence;
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const auto name = "rank " + std::to_string(rank);
    evidence.processes.push_back({name, name + ".log", ends[rank], orders[rank], false});
    evidence.heartbeats.emplace_back(heartbeat(100, "backward"));
  }
  return evidence;
}

TEST(DeduceOutcome, RanksThatLeftOnRequestAreInterrupted) {
  constexpr ProcessEnd left{false, 130};
  for (const bool one_process_per_rank : {true, false}) {
    auto evidence = ends_in_order({left, left}, {1, 2});
    evidence.one_process_per_rank = one_process_per_rank;
    const auto outcome = deduce_outcome(evidence);
    EXPECT_EQ(outcome.status, RunStatus::interrupted);
    EXPECT_EQ(outcome.exit_code, ExitCode::interrupted);
    EXPECT_THAT(outcome.reason, HasSubstr("asked to end"));
  }
  EXPECT_EQ(deduce_outcome(ends_in_order({left, killed}, {1, 1})).status, RunStatus::failed);
}

TEST(DeduceOutcome, TheFirstToFailIsNamed) {
  auto evidence = ends_in_order({ended_with_5, ended_well, ended_with_5}, {4, 1, 3});
  evidence.heartbeats[2] = heartbeat(90, "forward", "no memory");
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_EQ(outcome.failed_rank, 2);
  EXPECT_EQ(outcome.failed_phase, "forward");
  EXPECT_EQ(outcome.exit_code, ExitCode::run_failed);
  EXPECT_EQ(outcome.reason, "rank 2 exited with code 5 in phase 'forward' of step 7: no memory");
}

TEST(DeduceOutcome, AKilledRankIsTheCauseOfErrorsSeenAtTheSameTime) {
  const auto outcome = deduce_outcome(ends_in_order({ended_with_5, killed}, {3, 3}));
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_THAT(outcome.reason, HasSubstr("was killed by signal 9 (Killed)"));
  EXPECT_THAT(outcome.reason, HasSubstr("rank 1.log"));
}

TEST(DeduceOutcome, WhatTheDriverStoppedIsNotTheCause) {
  auto evidence = ends_in_order({killed, ended_with_5}, {4, 3});
  evidence.processes[0].stopped = true;
  evidence.cause = StopCause::peer_failed;
  EXPECT_EQ(deduce_outcome(evidence).failed_rank, 1);
}

TEST(DeduceOutcome, ARankThatHungIsNamedInsteadOfTheOneThatGaveUpOnIt) {
  auto evidence = ends_in_order({ended_with_5, killed}, {3, 4});
  evidence.processes[1].stopped = true;
  evidence.cause = StopCause::peer_failed;
  evidence.limits.collective_deadline = Seconds(10);
  evidence.heartbeats[0] = heartbeat(110, "exposed_communication", "rank 1 is silent");
  evidence.heartbeats[1] = heartbeat(99, "input_wait");
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_EQ(outcome.failed_phase, "input_wait");
  EXPECT_THAT(outcome.reason, HasSubstr("rank 1 hung in phase 'input_wait'"));
  EXPECT_THAT(outcome.reason, HasSubstr("rank 0 gave up: rank 1 is silent"));
  evidence.heartbeats[1] = heartbeat(108, "input_wait");  // it was alive shortly before
  EXPECT_EQ(deduce_outcome(evidence).failed_rank, 0);
}

TEST(DeduceOutcome, ExitCodesOfBadInputAndUnavailableAreKept) {
  EXPECT_EQ(deduce_outcome(ends_in_order({{false, 2}}, {1})).exit_code, ExitCode::bad_input);
  EXPECT_EQ(deduce_outcome(ends_in_order({{false, 4}}, {1})).exit_code, ExitCode::unavailable);
  EXPECT_EQ(deduce_outcome(ends_in_order({{false, 70}}, {1})).exit_code, ExitCode::run_failed);
}

TEST(DeduceOutcome, TimeoutsNameTheMostSilentRank) {
  auto evidence = ends_in_order({killed, killed}, {3, 3});
  evidence.heartbeats[1] = heartbeat(50, "evaluation");
  evidence.limits.run_timeout = Seconds(30);
  evidence.cause = StopCause::run_timeout;
  auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.status, RunStatus::timed_out);
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_EQ(outcome.failed_phase, "evaluation");
  EXPECT_THAT(outcome.reason, HasSubstr("run_timeout_s = 30"));
  evidence.heartbeats[0].reset();  // never came to life
  evidence.cause = StopCause::no_progress;
  outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.failed_rank, 0);
  EXPECT_THAT(outcome.reason, HasSubstr("no rank made progress"));
  EXPECT_THAT(outcome.reason, HasSubstr("before its first sign of life"));
}

Evidence mpirun_evidence(int code) {
  Evidence evidence;
  evidence.one_process_per_rank = false;
  evidence.processes = {{"mpirun", "mpirun.log", {false, code}, 3, false}};
  evidence.heartbeats = {heartbeat(100, "backward"), heartbeat(100, "forward")};
  return evidence;
}

TEST(DeduceOutcome, UnderMpirunTheEarliestErrorCounts) {
  auto evidence = mpirun_evidence(2);
  evidence.heartbeats[0] = heartbeat(101, "backward", "a peer is gone");
  evidence.heartbeats[1] = heartbeat(100, "forward", "bad volume");
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_EQ(outcome.exit_code, ExitCode::bad_input);
  EXPECT_THAT(outcome.reason, HasSubstr("bad volume"));
}

TEST(DeduceOutcome, UnderMpirunASignalBeatsTheErrorsItCaused) {
  auto evidence = mpirun_evidence(137);
  evidence.heartbeats[0] = heartbeat(101, "backward", "a peer is gone");
  evidence.told_by_launcher = RankFailure{1, "was killed by signal 9", true};
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_THAT(outcome.reason, HasSubstr("rank 1 was killed by signal 9 in phase 'forward'"));
}

TEST(DeduceOutcome, UnderMpirunTheLogIsNamedWhenNothingIsKnown) {
  const auto outcome = deduce_outcome(mpirun_evidence(1));
  EXPECT_EQ(outcome.failed_rank, -1);
  EXPECT_EQ(outcome.reason, "mpirun exited with code 1 (see mpirun.log)");
}

}  // namespace
}  // namespace scalestudy
