/// Every call is there, by every rank, and a wrong element is found.

#include "workloads/collectives/measurement.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectives/spoilt_communicator.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy::collectives {
namespace {

Settings small_settings() {
  Settings settings;
  settings.sizes_bytes = {8, 4096, 300'000};
  settings.iterations = 4;
  settings.warmup_iterations = 1;
  settings.time_limit_s = 60;
  return settings;
}

using SpoilOfRank = std::function<Spoilt::Spoil(Rank)>;

std::vector<CollectiveRow> measured(std::int64_t ranks,
                                    const Settings& settings,
                                    const SpoilOfRank& spoil_of = {}) {
  std::mutex mutex;
  std::vector<CollectiveRow> all;
  on_ranks(ranks, [&](const Communicator& comm) {
    const auto subject =
        spoil_of ? Communicator(std::make_shared<Spoilt>(comm, spoil_of(comm.rank()))) : comm;
    HostClock clock;
    Measurement measurement(subject, comm, settings, 7, clock, nullptr);
    while (!measurement.is_over()) measurement.round([](CollectiveOperation) {});
    const auto mine = measurement.take_rows();
    const std::scoped_lock lock(mutex);
    all.insert(all.end(), mine.begin(), mine.end());
  });
  return all;
}

std::int64_t wrong_elements(const std::vector<CollectiveRow>& rows,
                            CollectiveOperation operation,
                            std::int64_t rank) {
  std::int64_t count = 0;
  for (const auto& row : rows)
    if (row.operation == static_cast<std::int64_t>(operation) && row.rank == rank)
      count += row.wrong_count;
  return count;
}

/// All operations and types at 1, 2, 3 and 4 ranks: each call of each rank once, all right.
TEST(Measurement, EachCallIsRecordedOnceByEachRankAndRight) {
  for (const std::int64_t ranks : {1, 2, 3, 4}) {
    for (const auto type : {ElementType::float32, ElementType::float16, ElementType::bfloat16}) {
      auto settings = small_settings();
      settings.element_type = type;
      std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, int> seen;
      for (const auto& row : measured(ranks, settings)) {
        ++seen[{row.rank, row.operation, row.size_bytes, row.iteration}];
        EXPECT_EQ(row.wrong_count, 0) << ranks << " ranks, operation " << row.operation;
        EXPECT_GE(row.wait_s, 0);
        EXPECT_GE(row.transfer_s, 0);
        EXPECT_LT(row.iteration, settings.iterations);
      }
      const auto cases = cases_of(settings, ranks).size();
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(ranks) * cases * 4);
      for (const auto& [call, count] : seen) EXPECT_EQ(count, 1);
    }
  }
}

/// Else a part that comes from the neighbour would pass as right.
TEST(Measurement, RanksBesideEachOtherSendOtherNumbers) {
  for (const std::int64_t ranks : {2, 20, 36, 40, 64, 85, 128, 256}) {
    const auto sent_by = [&](std::int64_t rank) {
      const Case one{CollectiveOperation::all_reduce, 256};
      const auto buffers =
          make_buffers(ElementType::float32, one.size_bytes, Rank(rank), WorldSize(ranks));
      buffers->fill(one, 0);
      const auto* const first = static_cast<const float*>(buffers->received(one).data);
      return std::vector<float>(first, first + 64);
    };
    EXPECT_NE(sent_by(0), sent_by(1)) << ranks;
    const auto numbers = sent_by(0);
    const bool are_alike = std::equal(numbers.begin(), numbers.begin() + 32, numbers.begin() + 32);
    EXPECT_EQ(are_alike, ranks > 128) << "parts of 2^k elements, of " << ranks;
  }
}

/// One bit of one element of rank 1's result, each time.
TEST(Measurement, AWrongElementIsFoundWhereItIs) {
  for (const auto operation :
       {CollectiveOperation::all_reduce, CollectiveOperation::broadcast,
        CollectiveOperation::all_gather, CollectiveOperation::reduce_scatter}) {
    const auto rows = measured(3, small_settings(), [&](Rank rank) {
      return [operation, rank](CollectiveOperation done, BufferView result) {
        if (done != operation || rank != Rank(1)) return;
        static_cast<std::uint32_t*>(result.data)[result.count.value() / 2] ^= 1U << 20U;
      };
    });
    EXPECT_EQ(wrong_elements(rows, operation, 1), 3 * 4);
    EXPECT_EQ(wrong_elements(rows, operation, 0) + wrong_elements(rows, operation, 2), 0);
  }
}

/// What was right in the call before is not taken for this one's result: a rank that keeps its
/// memory has every element wrong but those that are the same by chance.
TEST(Measurement, AResultThatNeverCameIsWrong) {
  const auto rows = measured(2, small_settings(), [](Rank rank) {
    return [rank, before = std::vector<std::byte>()](CollectiveOperation done,
                                                     BufferView result) mutable {
      if (done != CollectiveOperation::broadcast || rank != Rank(1)) return;
      auto* const bytes = static_cast<std::byte*>(result.data);
      const std::vector<std::byte> now(bytes, bytes + result.bytes().value());
      if (before.size() >= now.size()) std::copy_n(before.begin(), now.size(), bytes);
      before = now;
    };
  });
  EXPECT_GT(wrong_elements(rows, CollectiveOperation::broadcast, 1), 0);
  EXPECT_EQ(wrong_elements(rows, CollectiveOperation::broadcast, 0), 0);
}

TEST(Measurement, WithoutCheckNobodyClaimsARightResult) {
  auto settings = small_settings();
  settings.check = false;
  for (const auto& row : measured(2, settings)) EXPECT_EQ(row.wrong_count, -1);
}

/// However little time there is: three calls of each.
TEST(Measurement, ATimeLimitLeavesThreeCalls) {
  auto settings = small_settings();
  settings.iterations = 1000;
  settings.warmup_iterations = 1000;
  settings.time_limit_s = 1e-9;
  const auto rows = measured(2, settings);
  EXPECT_EQ(rows.size(), 2 * 3 * cases_of(settings, 2).size());
}

}  // namespace
}  // namespace scalestudy::collectives
