#include "driver/run/failure.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr ProcessEnd done{false, 0};
constexpr ProcessEnd failed{false, 5};
constexpr ProcessEnd killed{true, SIGKILL};
constexpr ProcessEnd terminated{true, SIGTERM};

HeartbeatState beat(double time_s, const std::string& phase, const std::string& error = "") {
  HeartbeatState state;
  state.step = 7;
  state.time_s = time_s;
  state.phase = phase;
  state.error = error;
  return state;
}

struct Rank {
  ProcessEnd end;
  int order = 1;
  bool stopped = false;
  std::optional<HeartbeatState> heartbeat = beat(100, "backward");
};

Evidence evidence_of(const std::vector<Rank>& ranks, StopCause cause = StopCause::none) {
  Evidence evidence;
  evidence.cause = cause;
  evidence.limits.collective_deadline = Seconds(10);
  for (const auto& rank : ranks) {
    const auto name = "rank-" + std::to_string(evidence.processes.size());
    evidence.processes.push_back(
        {name, "/runs/a/" + name + ".log", rank.end, rank.order, rank.stopped});
    evidence.heartbeats.push_back(rank.heartbeat);
  }
  return evidence;
}

TEST(DeduceOutcome, RanksThatLeftOnRequestAreInterrupted) {
  constexpr ProcessEnd left{false, 130};
  for (const bool one_process_per_rank : {true, false}) {
    auto evidence = evidence_of({{left, 1}, {left, 2}});
    evidence.one_process_per_rank = one_process_per_rank;
    const auto outcome = deduce_outcome(evidence);
    EXPECT_EQ(outcome.status, RunStatus::interrupted);
    EXPECT_EQ(outcome.exit_code, ExitCode::interrupted);
    EXPECT_THAT(outcome.reason, HasSubstr("asked to end"));
  }
  EXPECT_EQ(deduce_outcome(evidence_of({{left}, {killed}})).status, RunStatus::failed);
}

TEST(DeduceOutcome, TheFirstToFailIsNamed) {
  const auto outcome = deduce_outcome(
      evidence_of({{failed, 4}, {done, 1}, {failed, 3, false, beat(90, "forward", "no memory")}}));
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_EQ(outcome.failed_rank, 2);
  EXPECT_EQ(outcome.failed_phase, "forward");
  EXPECT_EQ(outcome.exit_code, ExitCode::run_failed);
  EXPECT_EQ(outcome.reason, "rank 2 exited with code 5 in phase 'forward' of step 7: no memory");
}

TEST(DeduceOutcome, AKilledRankIsTheCauseOfErrorsSeenAtTheSameTime) {
  const auto outcome = deduce_outcome(evidence_of({{failed, 3}, {killed, 3}}));
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_THAT(outcome.reason, HasSubstr("was killed by signal 9 (Killed)"));
  EXPECT_THAT(outcome.reason, HasSubstr("rank-1.log"));
}

TEST(DeduceOutcome, WhatTheDriverStoppedIsNotTheCause) {
  const auto evidence = evidence_of({{killed, 3, true}, {failed, 3}}, StopCause::peer_failed);
  EXPECT_EQ(deduce_outcome(evidence).failed_rank, 1);
}

TEST(DeduceOutcome, ARankThatHungIsNamedInsteadOfTheOneThatGaveUpOnIt) {
  auto evidence =
      evidence_of({{failed, 3, false, beat(110, "exposed_communication", "rank 1 is silent")},
                   {killed, 4, true, beat(99, "input_wait")}},
                  StopCause::peer_failed);
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_EQ(outcome.failed_phase, "input_wait");
  EXPECT_THAT(outcome.reason, HasSubstr("rank 1 hung in phase 'input_wait'"));
  EXPECT_THAT(outcome.reason, HasSubstr("rank 0 gave up: rank 1 is silent"));
  evidence.heartbeats[1] = beat(108, "input_wait");  // it was alive shortly before
  EXPECT_EQ(deduce_outcome(evidence).failed_rank, 0);
}

TEST(DeduceOutcome, ExitCodesOfBadInputAndUnavailableAreKept) {
  EXPECT_EQ(deduce_outcome(evidence_of({{{false, 2}}})).exit_code, ExitCode::bad_input);
  EXPECT_EQ(deduce_outcome(evidence_of({{{false, 4}}})).exit_code, ExitCode::unavailable);
  EXPECT_EQ(deduce_outcome(evidence_of({{{false, 70}}})).exit_code, ExitCode::run_failed);
}

TEST(DeduceOutcome, TimeoutsNameTheMostSilentRank) {
  auto evidence =
      evidence_of({{killed}, {killed, 1, false, beat(50, "evaluation")}}, StopCause::run_timeout);
  evidence.limits.run_timeout = Seconds(30);
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

TEST(DeduceOutcome, ARankThatNeverCameToLifeIsSaidToBeSo) {
  const auto outcome = deduce_outcome(evidence_of({{done}, {failed, 2, false, std::nullopt}}));
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_EQ(outcome.failed_phase, "");
  EXPECT_EQ(outcome.reason,
            "rank 1 exited with code 5 before its first sign of life (see rank-1.log)");
}

TEST(DeduceOutcome, WithoutAHeartbeatTheLogsLastLineIsQuoted) {
  auto evidence = evidence_of({{failed, 1, false, std::nullopt}});
  evidence.processes[0].last_line = "rank: error while loading shared libraries";
  EXPECT_EQ(deduce_outcome(evidence).reason,
            "rank 0 exited with code 5 before its first sign of life (see rank-0.log, which ends "
            "with: rank: error while loading shared libraries)");
}

TEST(DeduceOutcome, BeforeTheFirstStepNoStepIsNamed) {
  auto early = beat(100, "initialisation", "no such file");
  early.step = -1;
  const auto outcome = deduce_outcome(evidence_of({{failed, 1, false, early}}));
  EXPECT_EQ(outcome.reason, "rank 0 exited with code 5 in phase 'initialisation': no such file");
}

TEST(DeduceOutcome, TheLogIsNamedOnlyWhenTheRankSaidNothing) {
  const auto silent = deduce_outcome(evidence_of({{failed}}));
  EXPECT_THAT(silent.reason, HasSubstr("(see rank-0.log)"));
  const auto spoken =
      deduce_outcome(evidence_of({{failed, 1, false, beat(100, "forward", "no memory")}}));
  EXPECT_THAT(spoken.reason, Not(HasSubstr(".log")));
}

TEST(DeduceOutcome, ASignalLaterThanAnErrorIsNotTheCause) {
  const auto outcome = deduce_outcome(evidence_of({{killed, 4}, {failed, 3}}));
  EXPECT_EQ(outcome.failed_rank, 1);
}

/// Rank 0 runs out of memory first, and needs longer than its peer to end.
TEST(DeduceOutcome, OfRanksThatSayWhyTheFirstToKnowIsBlamed) {
  const auto cause = beat(100, "forward", "out of memory");
  const auto consequence = beat(101, "backward", "rank 0 aborted: out of memory");
  for (const bool stopped : {false, true}) {
    const auto end = stopped ? terminated : failed;
    const auto outcome =
        deduce_outcome(evidence_of({{end, 4, stopped, cause}, {failed, 3, false, consequence}},
                                   stopped ? StopCause::peer_failed : StopCause::none));
    EXPECT_EQ(outcome.failed_rank, 0);
    EXPECT_EQ(outcome.failed_phase, "forward");
    EXPECT_THAT(outcome.reason, testing::EndsWith(": out of memory"));
    EXPECT_THAT(outcome.reason, Not(HasSubstr("signal")));
    EXPECT_EQ(outcome.exit_code, ExitCode::run_failed);
  }
}

TEST(DeduceOutcome, OfEqualFailuresTheLowestRankIsNamed) {
  EXPECT_EQ(deduce_outcome(evidence_of({{done}, {failed, 2}, {failed, 2}})).failed_rank, 1);
  EXPECT_EQ(deduce_outcome(evidence_of({{killed, 2}, {killed, 2}})).failed_rank, 0);
}

TEST(DeduceOutcome, ASignalIsARunThatFailed) {
  const auto outcome = deduce_outcome(evidence_of({{{true, 2}}}));
  EXPECT_EQ(outcome.exit_code, ExitCode::run_failed) << "signal 2 is no exit code 2";
  EXPECT_THAT(outcome.reason, HasSubstr("was killed by signal 2"));
}

TEST(DeduceOutcome, AHungRankIsNotBlamedForASignalElsewhere) {
  const auto outcome = deduce_outcome(evidence_of(
      {{killed, 1, false, beat(110, "forward")}, {terminated, 2, true, beat(90, "input_wait")}},
      StopCause::peer_failed));
  EXPECT_EQ(outcome.failed_rank, 0);
  EXPECT_THAT(outcome.reason, HasSubstr("rank 0 was killed by signal 9"));
}

TEST(DeduceOutcome, ASilentRankThatEndedByItselfDidNotHang) {
  const auto outcome = deduce_outcome(
      evidence_of({{failed, 3, false, beat(110, "exposed_communication", "rank 1 is silent")},
                   {done, 1, false, beat(80, "evaluation")}}));
  EXPECT_EQ(outcome.failed_rank, 0);
}

TEST(DeduceOutcome, ARankWithoutASignOfLifeCanHaveHung) {
  const auto outcome =
      deduce_outcome(evidence_of({{failed, 3, false, beat(110, "rendezvous", "rank 1 is missing")},
                                  {terminated, 4, true, std::nullopt}},
                                 StopCause::peer_failed));
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_THAT(outcome.reason, HasSubstr("rank 1 hung before its first sign of life"));
  EXPECT_THAT(outcome.reason, HasSubstr("rank 0 gave up: rank 1 is missing"));
}

TEST(DeduceOutcome, ATimeoutIsNoMatterOfWhoWasStoppedFirst) {
  auto evidence = evidence_of(
      {{terminated, 1, true, beat(100, "forward")}, {terminated, 2, true, beat(100, "backward")}},
      StopCause::run_timeout);
  evidence.limits.run_timeout = Seconds(90);
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.status, RunStatus::timed_out);
  EXPECT_EQ(outcome.failed_rank, 0) << "equally silent: the lowest";
  EXPECT_THAT(outcome.reason, HasSubstr("run_timeout_s = 90; rank 0 was the slowest, in phase"));
  EXPECT_EQ(outcome.exit_code, ExitCode::run_failed);
}

TEST(DeduceOutcome, AnInterruptionWinsOverTheFailuresItCaused) {
  const auto outcome =
      deduce_outcome(evidence_of({{failed, 1}, {terminated, 2, true}}, StopCause::interrupted));
  EXPECT_EQ(outcome.status, RunStatus::interrupted);
  EXPECT_EQ(outcome.exit_code, ExitCode::interrupted);
  EXPECT_EQ(outcome.reason, "stopped by the user");
  EXPECT_EQ(outcome.failed_rank, -1);
  EXPECT_EQ(outcome.failed_phase, "");
}

TEST(DeduceOutcome, ACompleteRunHasNoReason) {
  for (const auto cause :
       {StopCause::none, StopCause::interrupted, StopCause::run_timeout, StopCause::no_progress}) {
    const auto outcome = deduce_outcome(evidence_of({{done}, {done}}, cause));
    EXPECT_EQ(outcome.status, RunStatus::complete);
    EXPECT_EQ(outcome.reason, "");
    EXPECT_EQ(outcome.failed_rank, -1);
    EXPECT_EQ(outcome.exit_code, ExitCode::done);
  }
}

Evidence launcher_evidence(std::optional<RankFailure> told) {
  auto evidence = evidence_of({{failed, 1, false, beat(100, "forward")}});
  evidence.one_process_per_rank = false;
  evidence.heartbeats.emplace_back(beat(100, "backward"));
  evidence.told_by_launcher = std::move(told);
  return evidence;
}

TEST(DeduceOutcome, UnderALauncherItsWordCountsWhenNoRankSpoke) {
  const auto outcome =
      deduce_outcome(launcher_evidence(RankFailure{1, "exited with code 5", false}));
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_EQ(outcome.failed_phase, "backward");
  EXPECT_EQ(outcome.reason, "rank 1 exited with code 5 in phase 'backward' of step 7");
}

TEST(DeduceOutcome, UnderALauncherARanksOwnErrorSaysMoreThanItsExitCode) {
  auto evidence = launcher_evidence(RankFailure{1, "exited with code 5", false});
  evidence.heartbeats[0] = beat(99, "evaluation", "the volume is damaged");
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.failed_rank, 0);
  EXPECT_THAT(outcome.reason, HasSubstr("the volume is damaged"));
}

TEST(DeduceOutcome, UnderALauncherTheEarliestErrorCounts) {
  auto evidence = launcher_evidence({});
  evidence.processes[0].end = {false, 2};
  evidence.heartbeats[0] = beat(101, "backward", "a peer is gone");
  evidence.heartbeats[1] = beat(100, "forward", "bad volume");
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_EQ(outcome.exit_code, ExitCode::bad_input);
  EXPECT_THAT(outcome.reason, HasSubstr("bad volume"));
}

TEST(DeduceOutcome, UnderALauncherASignalBeatsTheErrorsItCaused) {
  auto evidence = launcher_evidence(RankFailure{1, "was killed by signal 9", true});
  evidence.heartbeats[0] = beat(101, "backward", "a peer is gone");
  const auto outcome = deduce_outcome(evidence);
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_THAT(outcome.reason, HasSubstr("rank 1 was killed by signal 9 in phase 'backward'"));
}

TEST(DeduceOutcome, UnderALauncherTheLogIsNamedWhenNothingIsKnown) {
  const auto outcome = deduce_outcome(launcher_evidence({}));
  EXPECT_EQ(outcome.failed_rank, -1);
  EXPECT_EQ(outcome.reason, "rank-0 exited with code 5 (see rank-0.log)");
}

TEST(DeduceOutcome, ARankThatDoesNotExistHasNoHeartbeat) {
  const auto outcome =
      deduce_outcome(launcher_evidence(RankFailure{99, "exited with code 5", false}));
  EXPECT_EQ(outcome.failed_rank, 99);
  EXPECT_THAT(outcome.reason, HasSubstr("before its first sign of life"));
}

}  // namespace
}  // namespace scalestudy
