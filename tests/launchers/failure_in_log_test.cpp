#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launchers/launcher.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

std::optional<RankFailure> failure_in(const std::string& log) {
  return launcher("mpirun").failure_in_log(log);
}

// What Open MPI 4.1 writes when a rank is killed, and when one ends by itself.
const std::string killed =
    "rank 0: epoch 1\n"
    "--------------------------------------------------------------------------\n"
    "Primary job  terminated normally, but 1 process returned\n"
    "a non-zero exit code. Per user-direction, the job has been aborted.\n"
    "mpirun noticed that process rank 12 with PID 4711 on node some-host exited on signal 11 "
    "(Segmentation fault).\n";
const std::string ended =
    "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
    "the job to be terminated. The first process to do so was:\n\n"
    "  Process name: [[46152,1],10]\n  Exit code:    2\n";

TEST(FailureInLog, ASignalIsNamedWithItsRank) {
  const auto found = failure_in(killed);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 12);
  EXPECT_EQ(found->how, "was killed by signal 11");
}

TEST(FailureInLog, AnExitCodeIsNamedWithItsRank) {
  const auto found = failure_in(ended);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 10);
  EXPECT_EQ(found->how, "exited with code 2");
}

TEST(FailureInLog, ASignalWinsOverTheExitsItCaused) {
  for (const auto& log : {killed + ended, ended + killed}) {
    const auto found = failure_in(log);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->how, "was killed by signal 11");
  }
}

TEST(FailureInLog, TheFirstOfSeveralCounts) {
  auto second = ended;
  second.replace(second.find("],10]"), 5, "],11]");
  EXPECT_EQ(failure_in(ended + second)->rank, 10);
}

TEST(FailureInLog, WhatOnlyResemblesAFailureIsNone) {
  for (const auto* log : {"", "\n", "process rank 1", "exited on signal 9",
                          "process rank one with PID 3 on node x exited on signal 9",
                          "process rank 1 with PID 3 on node x\nexited on signal 9",
                          "Process name: [[1,1],3]\nRank 3 is fine\nExit code: 5",
                          "Process name: [[1,1],]\n  Exit code: 5"})
    EXPECT_FALSE(failure_in(log)) << log;
}

TEST(FailureInLog, ACutLogIsNoError) {
  for (std::size_t length = 0; length < killed.size(); ++length)
    EXPECT_NO_THROW(static_cast<void>(failure_in(killed.substr(0, length)))) << length;
}

TEST(FailureInLog, OnlyTheGivenPartOfTheTextIsRead) {
  const std::string_view part(killed.data(), killed.find("exited on"));
  EXPECT_FALSE(launcher("mpirun").failure_in_log(part));
}

TEST(FailureInLog, RanksMayWriteAnything) {
  EXPECT_FALSE(
      failure_in("process rank 99999999999999999999 with PID 1 on node x exited on signal 9\n"));
  EXPECT_FALSE(failure_in("Process name: [[1,1],99999999999999999999]\n  Exit code:    1\n"));
  EXPECT_EQ(failure_in(std::string("\0\xff\x1b[31m", 7) + killed)->rank, 12);
}

TEST(FailureInLog, ALongLineDoesNotExhaustTheStack) {
  const std::string line(2'000'000, 'x');
  EXPECT_FALSE(failure_in("process rank 1 with PID " + line + "\n"));
  EXPECT_EQ(failure_in("process rank 1 with PID " + line + "\n" + killed)->rank, 12);
}

TEST(FailureInLog, LocalRanksAreProcessesOfOurOwn) {
  EXPECT_FALSE(launcher("local").failure_in_log(killed));
  EXPECT_FALSE(launcher("local").failure_in_log(ended));
}

TEST(LauncherDescriptors, AreThoseOfTheLaunchersInTheirOrder) {
  const auto launchers = all_launchers();
  const auto descriptors = launcher_descriptors();
  ASSERT_EQ(descriptors.size(), launchers.size());
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    EXPECT_EQ(descriptors[i], &launchers[i]->descriptor());
    EXPECT_NE(descriptors[i]->summary, "");
    if (i == 0) continue;
    EXPECT_LT(descriptors[i - 1]->name, descriptors[i]->name);
  }
}

TEST(LauncherDescriptors, SeveralRanksAreJoinedBySomethingThatReachesAll) {
  LaunchRequest request;
  request.ranks = 2;
  for (const auto* each : all_launchers()) {
    const auto joins = each->descriptor().joins_ranks;
    EXPECT_NE(joins, CommunicatorKind::local) << each->name();
    const bool crosses_processes = joins != CommunicatorKind::threads;
    EXPECT_TRUE(crosses_processes || each->plan(request).processes.size() == 1) << each->name();
  }
}

TEST(LauncherDescriptors, AnUnknownNameFarFromAllListsThem) {
  EXPECT_THAT(message_of([] { return &launcher("xyzzyxyzzy"); }),
              HasSubstr("Use one of: local, mpirun, threads"));
}

TEST(LocalLauncher, IsAlwaysAvailable) {
  EXPECT_NO_THROW(launcher("local").require_available());
}

}  // namespace
}  // namespace scalestudy
