#include "engine/probe.hpp"

#include <map>
#include <mutex>

#include <gmock/gmock.h>

#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<ProbeRow> probed(std::int64_t ranks,
                             std::vector<std::int64_t> sizes_bytes,
                             const ProbeLimits& limits) {
  std::mutex mutex;
  std::vector<ProbeRow> all;
  on_ranks(ranks, [&](const Communicator& comm) {
    HostClock clock;
    const auto mine = probe(
        comm, clock, sizes_bytes, {}, [] {}, limits);
    const std::scoped_lock lock(mutex);
    all.insert(all.end(), mine.begin(), mine.end());
  });
  return all;
}

/// How many rows each size has.
std::map<std::int64_t, std::int64_t> rows_by_size(const std::vector<ProbeRow>& rows) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const auto& row : rows) ++counts[row.size_bytes];
  return counts;
}

TEST(Probe, TriesABarrierAndEachSizeInEachRoundOnAllRanks) {
  const auto rows = probed(3, {4096, 64, 4096}, {.most_rounds = 5, .time = Seconds(3600)});
  EXPECT_THAT(rows_by_size(rows), ElementsAre(Pair(0, 15), Pair(64, 15), Pair(4096, 15)));
  for (const auto& row : rows) {
    EXPECT_GE(row.wait_s, 0);
    EXPECT_GE(row.transfer_s, 0);
    EXPECT_LT(row.round, 5);
  }
}

TEST(Probe, WithoutTimeThereAreStillThreeRounds) {
  EXPECT_THAT(rows_by_size(probed(2, {64}, {.time = Seconds(0)})),
              ElementsAre(Pair(0, 6), Pair(64, 6)));
}

TEST(Probe, GivesASignOfLifeBeforeEachExchange) {
  on_ranks(2, [](const Communicator& comm) {
    int signs = 0;
    HostClock clock;
    const auto rows = probe(comm, clock, std::vector<std::int64_t>{64, 128}, {}, [&] { ++signs; },
                            {.time = Seconds(0)});
    EXPECT_EQ(signs, std::ssize(rows));
  });
}

TEST(Probe, OneRankOrNoExchangeHasNothingToTry) {
  EXPECT_THAT(probed(1, {64}, {}), testing::IsEmpty());
  EXPECT_THAT(probed(2, {}, {}), testing::IsEmpty());
}

}  // namespace
}  // namespace scalestudy
