#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/text.hpp"

#include "comm/hierarchical_communicator.hpp"
#include "comm/rendezvous.hpp"

#include "conformance/communicator_cases.hpp"
#include "conformance/rank_runner.hpp"
#include "tests/support/shared_value.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

constexpr Seconds ample{60.0};

struct World {
  CommunicatorKind back_end;
  int ranks;
  int ranks_per_host = 0;  ///< above 0: all-reduces go in two levels
};

std::string label(const World& world) {
  return cat(world.back_end, "_", world.ranks,
             world.ranks_per_host > 0 ? cat("_by_", world.ranks_per_host) : "");
}

std::vector<World> worlds(int fewest_ranks) {
  std::vector<World> result;
  if (fewest_ranks == 1) result.push_back({CommunicatorKind::local, 1});
  for (const auto back_end : {CommunicatorKind::threads, CommunicatorKind::shm}) {
    for (const int ranks : {1, 2, 3, 4, 8}) {
      if (ranks >= fewest_ranks) result.push_back({back_end, ranks});
    }
  }
  return result;
}

/// Also several hosts of one rank, and one of all.
std::vector<World> worlds_with_hosts() {
  return {{CommunicatorKind::threads, 4, 2},
          {CommunicatorKind::threads, 8, 4},
          {CommunicatorKind::threads, 3, 1},
          {CommunicatorKind::threads, 3, 3},
          {CommunicatorKind::shm, 4, 2}};
}

/// Those that all-reduce: other operations do not know of hosts.
std::vector<CommunicatorCase> all_reducing_cases() {
  std::vector<CommunicatorCase> cases;
  for (const auto& item : communicator_cases()) {
    const std::string_view name(item.name);
    const bool moves_only = name.starts_with("moves") || name.starts_with("reduce_scatter");
    if (!moves_only) cases.push_back(item);
  }
  return cases;
}

/// What the world's ranks work with.
Communicator over_hosts(const World& world, const Communicator& comm) {
  if (world.ranks_per_host == 0) return comm;
  return hierarchical(comm, {world.ranks_per_host, ample});
}

using CaseInWorld = std::tuple<World, CommunicatorCase>;

class Conformance : public testing::TestWithParam<CaseInWorld> {};

TEST_P(Conformance, HoldsOnEveryRank) {
  const auto& [world, item] = GetParam();
  const auto body = [world = world, run = item.run](const Communicator& comm) {
    return run(over_hosts(world, comm));
  };
  EXPECT_THAT(run_ranks(world.back_end, WorldSize(world.ranks), ample, body), Each(""));
}

std::string name_of_case(const testing::TestParamInfo<CaseInWorld>& test) {
  return cat(label(std::get<0>(test.param)), '_', std::get<1>(test.param).name);
}

/// All types take the same way through a back-end: only two of them do at every number of ranks.
std::vector<CaseInWorld> cases_in_worlds() {
  std::vector<CaseInWorld> cases;
  for (const auto& world : worlds(1)) {
    for (const auto& item : communicator_cases()) {
      const std::string_view name(item.name);
      const bool is_of_other_type = std::ranges::any_of(
          std::array{"float64", "int64", "uint8", "_float16"},
          [&](const char* type) { return name.find(type) != std::string_view::npos; });
      if (!is_of_other_type || world.ranks == 2 || world.ranks == 3)
        cases.emplace_back(world, item);
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(, Conformance, testing::ValuesIn(cases_in_worlds()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Hosts,
                         Conformance,
                         testing::Combine(testing::ValuesIn(worlds_with_hosts()),
                                          testing::ValuesIn(all_reducing_cases())),
                         name_of_case);

/// Waits for others that fail; says how it was freed.
std::string wait_in_barrier(const Communicator& comm, std::optional<Seconds> deadline = {}) {
  try {
    deadline ? comm.barrier(*deadline) : comm.barrier();
  } catch (const std::exception& error) {
    return cat("freed: ", error.what());
  }
  return "the barrier ended as if nothing had happened";
}

/// What it threw in the end; nothing else ends it.
template <class Question>
std::string asked_until_it_throws(const Question& question) {
  try {
    while (true) {
      question();
      std::this_thread::yield();
    }
  } catch (const std::exception& error) {
    return error.what();
  }
}

class Failure : public testing::TestWithParam<World> {
 protected:
  [[nodiscard]] WorldSize world_size() const { return WorldSize(GetParam().ranks); }
  [[nodiscard]] int last() const { return GetParam().ranks - 1; }
};

TEST_P(Failure, AbortFreesThePeersAndStaysInForce) {
  const auto reports =
      run_ranks(GetParam().back_end, world_size(), ample, [&](const Communicator& comm) {
        comm.barrier();
        if (comm.rank() == Rank(last())) {
          std::this_thread::sleep_for(std::chrono::milliseconds(30));
          comm.abort("disk full");
        } else {
          wait_in_barrier(comm);
        }
        return wait_in_barrier(comm);
      });
  EXPECT_THAT(reports, Each(AllOf(HasSubstr("freed: "),
                                  HasSubstr(cat("rank ", last(), " aborted: disk full")))));
}

TEST_P(Failure, DifferentCallsAreNamed) {
  const auto reports =
      run_ranks(GetParam().back_end, world_size(), ample, [&](const Communicator& comm) {
        std::vector<float> values(comm.rank() == Rank(last()) ? 3 : 4);
        try {
          comm.all_reduce(view_of(std::span(values)));
          comm.barrier();
        } catch (const std::exception& error) {
          return std::string(error.what());
        }
        return std::string("different counts were accepted");
      });
  EXPECT_THAT(reports, Each(AllOf(HasSubstr("all_reduce (sum) of 3 float32"),
                                  HasSubstr("all_reduce (sum) of 4 float32"))));
}

/// What is carried out elsewhere is missed and compared by its name.
TEST_P(Failure, CallsThatRanksAgreeOnAreNamed) {
  const auto reports =
      run_ranks(GetParam().back_end, world_size(), ample, [&](const Communicator& comm) {
        CallSignature call{CallKind::all_gather, DataType::int64, ReduceOp::sum, 0, 4};
        comm.agree(call);
        if (comm.rank() == Rank(last())) call.count = 3;
        try {
          comm.agree(call);
          comm.barrier();
        } catch (const std::exception& error) {
          return std::string(error.what());
        }
        return std::string("different calls were agreed on");
      });
  EXPECT_THAT(reports,
              Each(AllOf(HasSubstr("all_gather of 3 int64"), HasSubstr("all_gather of 4 int64"))));
}

TEST_P(Failure, AnAbortIsSeenWithoutAnOperation) {
  const auto reports =
      run_ranks(GetParam().back_end, world_size(), ample, [&](const Communicator& comm) {
        comm.throw_if_aborted();
        comm.barrier();
        if (comm.rank() == Rank(last())) comm.abort("disk full");
        return asked_until_it_throws([&] { comm.throw_if_aborted(); });
      });
  EXPECT_THAT(reports, Each(HasSubstr(cat("rank ", last(), " aborted: disk full"))));
}

INSTANTIATE_TEST_SUITE_P(, Failure, testing::ValuesIn(worlds(2)), [](const auto& test) {
  return label(test.param);
});

class Deadline : public testing::TestWithParam<CommunicatorKind> {};

/// The silent rank comes when the other has given up: no time of this machine decides.
TEST_P(Deadline, NamesASilentRankAndStaysInForce) {
  SharedValue<std::atomic<bool>> has_given_up;
  const auto reports = run_ranks(GetParam(), WorldSize(2), ample, [&](const Communicator& comm) {
    comm.barrier();
    if (comm.rank() == Rank(1)) {
      while (!*has_given_up) std::this_thread::yield();
      return wait_in_barrier(comm);
    }
    auto report = wait_in_barrier(comm, Seconds(0.02));
    *has_given_up = true;
    return report;
  });
  EXPECT_THAT(reports, Each(AllOf(HasSubstr("freed: rank 1"),
                                  HasSubstr("did not reach barrier within 20"))));
}

INSTANTIATE_TEST_SUITE_P(,
                         Deadline,
                         testing::Values(CommunicatorKind::threads, CommunicatorKind::shm),
                         [](const auto& test) { return cat(test.param); });

TEST(OwnDeadline, OfOneBarrierReplacesThatOfTheCommunicator) {
  const auto reports = run_ranks(CommunicatorKind::threads, WorldSize(2), Seconds(0.001),
                                 [](const Communicator& comm) {
                                   comm.barrier(ample);
                                   if (comm.rank() == Rank(1))
                                     std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                   comm.barrier(ample);
                                   return std::string();
                                 });
  EXPECT_THAT(reports, Each(""));
}

class ShmDeath : public testing::TestWithParam<int> {};

TEST_P(ShmDeath, KilledPeerIsNamedAtOnce) {
  const int ranks = GetParam();
  const auto reports = run_ranks(CommunicatorKind::shm, WorldSize(ranks), ample,
                                 [&](const Communicator& comm) -> std::string {
                                   comm.barrier();
                                   if (comm.rank() == Rank(ranks - 1)) ::kill(::getpid(), SIGKILL);
                                   return wait_in_barrier(comm);
                                 });
  for (int rank = 0; rank + 1 < ranks; ++rank) {
    EXPECT_THAT(reports[static_cast<std::size_t>(rank)],
                AllOf(HasSubstr(cat("freed: rank ", ranks - 1, " (process ")),
                      HasSubstr("ended before it reached barrier")));
  }
  EXPECT_EQ(reports.back(), "killed by signal 9");
}

TEST_P(ShmDeath, KilledPeerIsNamedToWhomAsks) {
  const int ranks = GetParam();
  auto reports = run_ranks(CommunicatorKind::shm, WorldSize(ranks), ample,
                           [&](const Communicator& comm) -> std::string {
                             comm.barrier();
                             if (comm.rank() == Rank(ranks - 1)) ::kill(::getpid(), SIGKILL);
                             return asked_until_it_throws([&] { comm.throw_if_ended(); });
                           });
  reports.pop_back();
  EXPECT_THAT(reports,
              Each(AllOf(HasSubstr(cat("rank ", ranks - 1, " (process ")), HasSubstr(") ended"))));
}

TEST_P(ShmDeath, PeerThatLeftAfterTheLastMeetingIsNoFailure) {
  const int ranks = GetParam();
  const auto reports = run_ranks(
      CommunicatorKind::shm, WorldSize(ranks), ample, [&](const Communicator& comm) -> std::string {
        if (comm.rank() == Rank(0)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return comm.world_size() == WorldSize(ranks) ? (comm.barrier(), "") : "wrong world size";
      });
  EXPECT_THAT(reports, Each(""));
}

INSTANTIATE_TEST_SUITE_P(, ShmDeath, testing::Values(2, 3, 4, 8), [](const auto& test) {
  return cat("ranks_", test.param);
});

}  // namespace
}  // namespace scalestudy
