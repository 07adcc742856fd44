#include "engine/evaluation.hpp"

#include <mutex>

#include <gmock/gmock.h>

#include "core/error.hpp"

#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t samples = 23;  // prime: neither ranks nor batches divide it
constexpr std::int64_t batch_size = 4;

/// Values whose sum depends on the order of the additions.
void awkward_values(const EvaluationBatch& batch, std::span<double> values) {
  for (std::int64_t i = 0; i < batch.count; ++i) {
    values[static_cast<std::size_t>(2 * i)] = 1.0 / static_cast<double>(3 + batch.first + i);
    values[static_cast<std::size_t>(2 * i + 1)] = 1;
  }
}

TEST(Evaluation, SumsAreBitEqualAtEveryNumberOfRanks) {
  std::vector<double> sums;
  std::mutex mutex;
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 8})
    on_ranks(ranks, [&](const Communicator& comm) {
      const auto values = evaluate_samples(comm, samples, batch_size, 2, awkward_values);
      const std::scoped_lock lock(mutex);
      sums.push_back(column_sum(values, 2, 0));
      EXPECT_EQ(column_sum(values, 2, 1), samples);
    });
  for (const auto sum : sums) EXPECT_EQ(sum, sums.front());
}

TEST(Evaluation, BatchesAreTheSameAtEveryNumberOfRanks) {
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 8}) {
    std::vector<std::int64_t> first, counts;
    for (std::int64_t b = 0; b < 6; ++b)
      for (const auto& batch :
           evaluation_batches(samples, batch_size, Rank(b % ranks), WorldSize(ranks)))
        if (batch.first == b * batch_size) counts.push_back(batch.count);
    EXPECT_THAT(counts, testing::ElementsAre(4, 4, 4, 4, 4, 3)) << ranks;
  }
}

TEST(Evaluation, ASmallSetIsNotPaddedBeyondItsSize) {
  RunSpec spec;
  spec.settings.evaluation_batch_size = 32;
  EXPECT_EQ(evaluation_batch_size(spec, 6), 6);
  EXPECT_EQ(evaluation_batch_size(spec, 33), 32);
}

TEST(Evaluation, MoreRanksThanBatchesLeaveSomeIdle) {
  on_ranks(8, [](const Communicator& comm) {
    const auto values =
        evaluate_samples(comm, 5, 4, 1, [&](const EvaluationBatch& batch, std::span<double> out) {
          EXPECT_LT(comm.rank(), Rank(2));
          EXPECT_EQ(out.size(), std::size_t(batch.count));
          for (auto& value : out) value = 1;
        });
    EXPECT_EQ(column_sum(values, 1, 0), 5);
  });
}

/// Hashes of evaluation sets that differ by one planted mistake must differ.
TEST(Evaluation, ADuplicateAndADroppedSampleChangeTheHash) {
  const auto hash_of = [](const std::vector<std::uint64_t>& ids) {
    std::string found;
    on_ranks(3, [&](const Communicator& comm) {
      SetHash mine;
      for (std::size_t i = comm.rank().index(); i < ids.size(); i += 3) mine.add(ids[i]);
      const auto whole = merged(comm, mine);
      if (comm.is_root()) found = std::to_string(whole.value());
    });
    return found;
  };
  const auto right = hash_of({11, 22, 33, 44, 55});
  EXPECT_EQ(hash_of({55, 33, 11, 22, 44}), right);
  EXPECT_NE(hash_of({11, 22, 33, 44}), right);
  EXPECT_NE(hash_of({11, 22, 33, 44, 44}), right);
  EXPECT_NE(hash_of({11, 22, 33, 44, 55, 55}), right);
}

}  // namespace
}  // namespace scalestudy
