#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/back_ends.hpp"

#include "conformance/rank_runner.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/shared_value.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

Rendezvous place_of(int rank, int world_size, const std::string& key) {
  return {Rank(rank), WorldSize(world_size), Rank(rank), key, "the test", nullptr};
}

std::string meet(const Rendezvous& place, Seconds deadline) {
  return cat(all_reduce_value(make_communicator(CommunicatorKind::shm, place, deadline), 1.0));
}

/// So that no process is over before another one begins.
void await_all(std::atomic<int>& started, int processes) {
  ++started;
  while (started < processes) std::this_thread::yield();
}

TEST(SharedSegment, KilledJobLeavesNothingInTheWayOfTheNext) {
  const std::string key = unique_key();
  const auto dead = run_processes(1, [&](int) -> std::string {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      ::kill(::getpid(), SIGKILL);
    }).detach();
    return meet(place_of(0, 2, key), Seconds(30));
  });
  ASSERT_EQ(dead.front(), "killed by signal 9");

  const auto reports = run_processes(2, [&](int rank) {
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return meet(place_of(rank, 2, key), Seconds(30));
  });
  EXPECT_THAT(reports, Each("2"));
}

TEST(SharedSegment, Rank0StartedTwiceIsRefused) {
  const std::string key = unique_key();
  SharedValue<std::atomic<int>> started;
  const auto reports = run_processes(2, [&](int) {
    await_all(*started, 2);
    return meet(place_of(0, 2, key), Seconds(0.3));
  });
  EXPECT_THAT(cat(reports[0], reports[1]), HasSubstr("rank 0 was started twice"));
}

TEST(SharedSegment, LimitOnTheLengthOfFilesIsNamed) {
  const std::string key = unique_key();
  const auto reports = run_processes(1, [&](int) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit short_files{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &short_files);
    return meet(place_of(0, 2, key), Seconds(1));
  });
  EXPECT_THAT(reports.front(), HasSubstr("ulimit -f"));
}

TEST(SharedSegment, MissingRankIsNamed) {
  const std::string key = unique_key();
  const auto reports =
      run_processes(2, [&](int rank) { return meet(place_of(rank, 3, key), Seconds(0.3)); });
  EXPECT_THAT(reports[0], HasSubstr("rank 2 did not come within 300"));
  EXPECT_THAT(reports[1], HasSubstr("exception: "));
}

TEST(SharedSegment, MissingRank0IsNamed) {
  const auto alone = [] { return meet(place_of(1, 2, unique_key()), Seconds(0.05)); };
  EXPECT_THAT(message_of<RunFailed>(alone), HasSubstr("rank 0 did not open the shared memory"));
}

/// This process has joined when it has mapped the memory.
void kill_when_joined(const std::atomic<pid_t>& victim) {
  for (;;) {
    std::ifstream maps("/proc/self/maps");
    const std::string text((std::istreambuf_iterator<char>(maps)), {});
    if (victim != 0 && text.find("/memfd:scalestudy") != std::string::npos) break;
    std::this_thread::yield();
  }
  ::kill(victim, SIGKILL);
}

TEST(SharedSegment, DeathOfRank0WhileGatheringFreesTheOthers) {
  const std::string key = unique_key();
  SharedValue<std::atomic<pid_t>> rank_0;
  const auto reports = run_processes(2, [&](int rank) -> std::string {
    if (rank == 0) *rank_0 = ::getpid();
    if (rank == 1) std::thread([&] { kill_when_joined(*rank_0); }).detach();
    return meet(place_of(rank, 3, key), Seconds(30));
  });
  EXPECT_EQ(reports[0], "killed by signal 9");
  EXPECT_THAT(reports[1], AllOf(HasSubstr("rank 0 (process "), HasSubstr("ended before all")));
}

TEST(SharedSegment, DifferentWorldSizesAreRefusedOnAllRanks) {
  const std::string key = unique_key();
  const auto reports =
      run_processes(2, [&](int rank) { return meet(place_of(rank, 2 + rank, key), Seconds(30)); });
  EXPECT_THAT(reports,
              Each(AllOf(HasSubstr("rank 1 expects 3 ranks"), HasSubstr("rank 0 expects 2"))));
}

TEST(SharedSegment, RankStartedTwiceIsRefused) {
  const std::string key = unique_key();
  SharedValue<std::atomic<int>> started;
  const auto reports = run_processes(3, [&](int index) {
    await_all(*started, 3);
    return meet(place_of(index == 0 ? 0 : 1, 3, key), Seconds(1));
  });
  EXPECT_THAT(cat(reports[1], reports[2]), HasSubstr("rank 1 was started twice"));
}

TEST(SharedSegment, ImpossibleSizeIsRefused) {
  const std::string key = unique_key();
  EXPECT_THROW((void)make_shm_communicator(place_of(0, 2, key), Seconds(1), 1LL << 45),
               Unavailable);
}

}  // namespace
}  // namespace scalestudy
