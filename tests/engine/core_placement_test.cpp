#include "engine/core_placement.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include <gmock/gmock.h>
#include <sched.h>

#include "core/cores.hpp"

#include "tests/engine/reducing_rank.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

using Cores = std::vector<int>;

/// Of ranks that may use these cores each.
std::vector<CorePlacement> placements(const std::vector<Cores>& cores, std::int64_t threads) {
  std::vector<CorePlacement> placed(cores.size());
  on_ranks(std::ssize(cores), [&](const Communicator& comm) {
    const auto rank = comm.rank().index();
    placed[rank] = place_on_cores(comm, cores[rank], threads);
  });
  return placed;
}

TEST(CorePlacement, RanksThatShareCoresComputeOnAllButTheLast) {
  const Cores all{0, 1, 2, 3, 4, 5};
  const auto placed = placements({all, all}, 2);
  EXPECT_EQ(placed[0].computing, Cores({0, 1, 2, 3}));
  EXPECT_EQ(placed[1].computing, Cores({0, 1, 2, 3}));
  EXPECT_EQ(placed[0].communicating, 4);
  EXPECT_EQ(placed[1].communicating, 5);
}

TEST(CorePlacement, RanksBoundApartKeepWithinTheirOwn) {
  const auto placed = placements({{0, 1, 2, 3}, {4, 5, 6}, {0, 1, 2, 3}}, 1);
  EXPECT_EQ(placed[1].computing, Cores({4, 5}));
  EXPECT_EQ(placed[1].communicating, 6);
  EXPECT_EQ(placed[0].computing, Cores({0, 1}));
  EXPECT_EQ(placed[0].communicating, 2);
  EXPECT_EQ(placed[2].communicating, 3);
}

TEST(CorePlacement, TooFewCoresAreNamed) {
  on_ranks(2, [](const Communicator& comm) {
    try {
      (void)place_on_cores(comm, {0, 1, 2}, 1);
      ADD_FAILURE() << "two ranks with two threads each on three cores";
    } catch (const Unavailable& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("3 cores (0-2)"));
    }
  });
}

/// Threads of this process that may run on `core` only.
std::ptrdiff_t threads_kept_on(int core) {
  return std::ranges::count_if(std::filesystem::directory_iterator("/proc/self/task"),
                               [&](const auto& task) {
                                 cpu_set_t set;
                                 CPU_ZERO(&set);
                                 const auto thread = std::stoi(task.path().filename().string());
                                 return sched_getaffinity(thread, sizeof(set), &set) == 0 &&
                                        CPU_COUNT(&set) == 1 && CPU_ISSET(core, &set);
                               });
}

TEST(CorePlacement, EveryStrategyWithAThreadKeepsItThere) {
  const auto cores = allowed_cores();
  if (cores.size() < 2) GTEST_SKIP() << "all threads are on one core";
  for (const auto& row : choices<Reduction>) {
    if (!row.overlaps || row.is_of_pytorch) continue;
    on_ranks(1, [&](const Communicator& comm) {
      const StrategyCase strategy{row.value};
      RankAtWork rank(strategy, comm, cores.back());
      rank.step();
      EXPECT_EQ(threads_kept_on(cores.back()), 1) << row.name;
    });
  }
}

}  // namespace
}  // namespace scalestudy
