#include "data/sampling.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(Sampling, PermutationHoldsEveryIndexOnceAndDependsOnSeedAndPass) {
  const auto order = permutation(97, 5, 0);
  EXPECT_EQ(std::set<std::int64_t>(order.begin(), order.end()).size(), 97U);
  EXPECT_EQ(order, permutation(97, 5, 0));
  EXPECT_NE(order, permutation(97, 5, 1));
  EXPECT_NE(order, permutation(97, 6, 0));
}

TEST(Sampling, PermutationIsUnbiased) {
  // 6 orders of 3 items, 6000 draws: χ² with 5 degrees of freedom, 0.1 % limit 20.5.
  std::map<std::vector<std::int64_t>, int> counts;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) ++counts[permutation(3, seed, 0)];
  double chi_squared = 0;
  for (const auto& [order, count] : counts)
    chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_EQ(counts.size(), 6U);
  EXPECT_LT(chi_squared, 20.5);
}

TEST(Sampling, SequenceWrapsAcrossPassesWithoutReplacement) {
  const SampleSequence sequence(SampleCount(5), 1);
  const auto draws = sequence.range(0, 15);
  for (int pass = 0; pass < 3; ++pass) {
    std::vector<std::int64_t> part(draws.begin() + 5 * pass, draws.begin() + 5 * pass + 5);
    std::sort(part.begin(), part.end());
    EXPECT_EQ(part, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  }
  EXPECT_EQ(sequence.range(3, 7), std::vector<std::int64_t>(draws.begin() + 3, draws.begin() + 10));
}

std::vector<std::int64_t> positions_of_epochs(const EpochLayout& layout, std::int64_t ranks) {
  std::vector<std::int64_t> positions;
  for (std::int64_t step = 0; step < 2 * layout.steps_per_epoch; ++step)
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const auto shard = shard_of(Rank(rank), WorldSize(ranks), StepIndex(step), layout);
      for (std::int64_t i = 0; i < shard.count; ++i) positions.push_back(shard.first + i);
    }
  return positions;
}

TEST(Sampling, AnEpochIsAPermutationWhateverTheRanksAndTheLastBatch) {
  const SampleSequence sequence(SampleCount(22), 3);
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 8}) {
    const auto positions = positions_of_epochs({9, 3, 22, 22}, ranks);  // the last batch holds 4
    ASSERT_EQ(positions.size(), 44U) << ranks << " ranks";
    for (std::size_t i = 0; i < positions.size(); ++i)
      ASSERT_EQ(positions[i], static_cast<std::int64_t>(i)) << ranks << " ranks";
    for (const std::int64_t first : {0, 22}) {
      auto epoch = sequence.range(first, 22);
      std::sort(epoch.begin(), epoch.end());
      for (std::int64_t i = 0; i < 22; ++i) EXPECT_EQ(epoch[static_cast<std::size_t>(i)], i);
    }
  }
}

TEST(Sampling, DroppedSamplesAreThoseAtTheEndOfEachPass) {
  const auto positions = positions_of_epochs({9, 2, 18, 22}, 4);
  ASSERT_EQ(positions.size(), 36U);
  EXPECT_EQ(positions[17], 17);
  EXPECT_EQ(positions[18], 22);
}

TEST(Sampling, EvenSplitPutsLargerPartsFirst) {
  EXPECT_EQ(even_split(9, 4), (std::vector<std::int64_t>{3, 2, 2, 2}));
  EXPECT_EQ(even_split(3, 4), (std::vector<std::int64_t>{1, 1, 1, 0}));
}

}  // namespace
}  // namespace scalestudy
