#include "engine/reduction.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"
#include "data/random.hpp"

#include "tests/engine/reducing_rank.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/support/watched_communicator.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

StrategyCase compressed(Reduction reduction, Compression compression) {
  StrategyCase strategy{reduction};
  strategy.settings.compression = compression;
  strategy.name = cat(reduction, "_", compression);
  return strategy;
}

std::vector<StrategyCase> all_cases() {
  std::vector<StrategyCase> all;
  for (const auto& row : choices<Reduction>)
    if (!row.is_of_pytorch) all.push_back({row.value});
  for (const auto compression : {Compression::fp16, Compression::bf16})
    for (const auto& row : choices<Reduction>)
      if (row.can_compress) all.push_back(compressed(row.value, compression));
  for (const std::int64_t packs : {0, 4, 1000}) {
    auto settings = small_settings();
    settings.packs = {packs};
    all.push_back({Reduction::packs, settings, cat("packs_", packs)});
  }
  auto unfused = small_settings();
  unfused.fusion.threshold_bytes = 1;
  auto late = small_settings();
  late.gradients.updated_early = false;
  all.push_back({Reduction::bucketed_overlap, late, "bucketed_overlap_updated_at_the_end"});
  all.push_back({Reduction::fusion, unfused, "fusion_of_nothing"});
  return all;
}

/// What element `i` of a rank has before it is reduced: integers whose sums are exact.
using Element = std::function<float(std::int64_t rank, std::int64_t i, int step)>;

float small_integer(std::int64_t rank, std::int64_t i, int step) {
  return static_cast<float>((rank * 7 + i * 3 + step) % 13);
}

/// What every rank has after the last of three steps.
std::vector<std::vector<float>> reduce(const StrategyCase& strategy,
                                       std::int64_t ranks,
                                       const Element& element,
                                       int steps = 3) {
  std::vector<std::vector<float>> results(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](const Communicator& comm) {
    RankAtWork rank(strategy, comm);
    for (int step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < rank.flat.size(); ++i)
        rank.flat[i] = element(comm.rank().value(), static_cast<std::int64_t>(i), step);
      rank.step();
    }
    results[comm.rank().index()] = rank.flat;
  });
  return results;
}

class EveryStrategy : public ::testing::TestWithParam<StrategyCase> {
 protected:
  static bool averages() { return properties_of(GetParam().reduction).averages_gradients; }
};

TEST_P(EveryStrategy, SumsIntegersExactlyAndCoversEveryElementWithTheWeight) {
  for (const std::int64_t ranks : {1, 2, 3, 4, 8}) {
    const auto results = reduce(GetParam(), ranks, small_integer);
    for (const auto& flat : results)
      for (std::size_t i = 0; averages() && i < flat.size(); ++i) {
        float naive = 0;
        for (std::int64_t rank = 0; rank < ranks; ++rank)
          naive += small_integer(rank, static_cast<std::int64_t>(i), 2);
        EXPECT_EQ(flat[i], naive) << ranks << " ranks, element " << i;
      }
  }
}

float any_number(std::int64_t rank, std::int64_t i, int step) {
  Random random(static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(100 * step + i));
  return static_cast<float>(random.normal());
}

/// What a sum over ranks may be wrong by: `size` is the sum of the element's magnitudes, `largest`
/// the sum of the ranks' largest (engine/reduction/compression.hpp).
double bound(const StrategyCase& strategy, std::int64_t ranks, double size, double largest) {
  const auto n = static_cast<double>(ranks);
  const auto of_16_bits = [&](double u) {
    return (std::pow(1 + u, n) - 1) * size + n * 0x1p-39 * largest;
  };
  switch (strategy.settings.compression) {
    case Compression::none:
      break;
    case Compression::fp16:
      return of_16_bits(0x1p-11);
    case Compression::bf16:
      return of_16_bits(0x1p-8);
  }
  return n * 0x1p-24 * size;
}

TEST_P(EveryStrategy, SumsOfFractionsAreNearAndBitEqualOnAllRanks) {
  if (!averages()) return;
  for (const std::int64_t ranks : {1, 2, 3, 4, 8}) {
    const auto results = reduce(GetParam(), ranks, any_number);
    for (const auto& flat : results) EXPECT_EQ(flat, results[0]);
    std::vector<double> sums(total + 1), sizes(total + 1);
    double largest = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      double largest_here = 0;
      for (std::size_t i = 0; i <= total; ++i) {
        const double value = any_number(rank, static_cast<std::int64_t>(i), 2);
        sums[i] += value;
        sizes[i] += std::abs(value);
        largest_here = std::max(largest_here, std::abs(value));
      }
      largest += largest_here;
    }
    for (std::size_t i = 0; i <= total; ++i)
      EXPECT_NEAR(results[0][i], sums[i], bound(GetParam(), ranks, sizes[i], largest)) << i;
  }
}

/// Whole numbers, by rank and element, as they are before anything is shared.
std::vector<std::vector<float>> sums_before_sharing(const StrategyCase& strategy,
                                                    std::vector<std::vector<Piece>>& owned) {
  std::vector<std::vector<float>> flats(owned.size());
  on_ranks(static_cast<std::int64_t>(owned.size()), [&](const Communicator& comm) {
    RankAtWork rank(strategy, comm);
    for (std::size_t i = 0; i < rank.flat.size(); ++i)
      rank.flat[i] = small_integer(comm.rank().value(), static_cast<std::int64_t>(i), 0);
    rank.reduction->begin_step();
    rank.make_all_ready();
    rank.reduction->finish();
    flats[comm.rank().index()] = rank.flat;
    owned[comm.rank().index()] = rank.reduction->owned(total);
  });
  return flats;
}

TEST_P(EveryStrategy, WhoOwnsGradientsHasTheirSumsAndEveryGradientHasAnOwner) {
  if (!averages()) return;
  for (const std::size_t ranks : {1, 3, 8, 20}) {
    std::vector<std::vector<Piece>> owned(ranks);
    const auto flats = sums_before_sharing(GetParam(), owned);
    std::vector<int> owners(total);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (const auto& piece : owned[rank])
        for (auto i = piece.first; i < piece.first + piece.count; ++i) {
          ++owners[static_cast<std::size_t>(i)];
          float naive = 0;
          for (std::size_t peer = 0; peer < ranks; ++peer)
            naive += small_integer(static_cast<std::int64_t>(peer), i, 0);
          EXPECT_EQ(flats[rank][static_cast<std::size_t>(i)], naive) << "element " << i;
        }
    EXPECT_THAT(owners, testing::Each(testing::Ge(1))) << ranks << " ranks";
    float weight = 0;
    for (std::size_t peer = 0; peer < ranks; ++peer)
      weight += small_integer(static_cast<std::int64_t>(peer), total, 0);
    for (const auto& flat : flats) EXPECT_EQ(flat.back(), weight) << "the loss weight";
  }
}

TEST_P(EveryStrategy, SumsTheLossWeightOnceWhereTensorsAreEmpty) {
  for (const auto& tensors : {std::vector<std::int64_t>{3, 0, 0}, {0, 3}, {0, 0}})
    on_ranks(2, [&](const Communicator& comm) {
      RankAtWork rank(GetParam(), comm, std::nullopt, tensors);
      std::ranges::fill(rank.flat, 1.0F);
      rank.step();
      EXPECT_THAT(rank.flat, testing::Each(averages() ? 2.0F : 1.0F));
    });
}

TEST_P(EveryStrategy, RecordsTimesInOrderForTheBytesItReduced) {
  RankAtWork rank(GetParam(), make_thread_ranks(WorldSize(1), Seconds(30))[0]);
  const auto bytes = [&] {
    std::int64_t sum = 0;
    for (const auto& marks : rank.reduction->bucket_marks()) sum += marks.size_bytes;
    return sum;
  };
  const auto expected = averages() ? (total + 1) * sizeof(float)
                        : GetParam().reduction == Reduction::barrier_only ? sizeof(double)
                                                                          : 0;
  EXPECT_EQ(bytes(), static_cast<std::int64_t>(expected)) << "before the first step";
  rank.step();
  EXPECT_EQ(bytes(), static_cast<std::int64_t>(expected));
  for (const auto& marks : rank.reduction->bucket_marks()) {
    EXPECT_LE(marks.ready, marks.entered);
    EXPECT_LE(marks.entered, marks.left);
  }
}

INSTANTIATE_TEST_SUITE_P(Reduction,
                         EveryStrategy,
                         ::testing::ValuesIn(all_cases()),
                         [](const auto& strategy) { return strategy.param.name; });

/// Those whose thread works beside the backward pass.
class EveryOverlap : public ::testing::TestWithParam<StrategyCase> {};

TEST_P(EveryOverlap, LaunchesABucketBeforeTheLastGradientIsReady) {
  std::atomic<int> reduced = 0;
  const auto comm = watched(make_thread_ranks(WorldSize(1), Seconds(30))[0], [&](const auto& view) {
    if (view.type == DataType::float32) ++reduced;
  });
  RankAtWork rank(GetParam(), comm);
  rank.reduction->begin_step();
  rank.reduction->gradient_ready(0);  // fills the first bucket
  for (const Stopwatch watch; reduced == 0 && watch.elapsed_s() < 20;) std::this_thread::yield();
  const auto before_last = rank.clock.mark();
  for (std::size_t parameter = 1; parameter < counts.size(); ++parameter)
    rank.reduction->gradient_ready(parameter);
  rank.reduction->finish();
  EXPECT_LT(rank.reduction->bucket_marks().front().entered, before_last);
}

TEST_P(EveryOverlap, GradientsReadyOutOfOrderStillGoOutInBucketOrder) {
  RankAtWork rank(GetParam(), make_thread_ranks(WorldSize(1), Seconds(30))[0]);
  rank.reduction->begin_step();
  for (std::size_t parameter = counts.size(); parameter-- > 0;)
    rank.reduction->gradient_ready(parameter);
  rank.reduction->finish();
  const auto marks = rank.reduction->bucket_marks();
  for (std::size_t b = 1; b < marks.size(); ++b) EXPECT_LE(marks[b - 1].left, marks[b].entered);
}

TEST_P(EveryOverlap, AGradientThatNeverComesIsABugNotAHang) {
  RankAtWork rank(GetParam(), make_thread_ranks(WorldSize(1), Seconds(30))[0]);
  rank.reduction->begin_step();
  rank.reduction->gradient_ready(0);
  EXPECT_THROW(rank.reduction->finish(), InternalError);
}

TEST_P(EveryOverlap, AFailureOnTheThreadReachesTheCaller) {
  const auto comms = make_thread_ranks(WorldSize(2), Seconds(30));
  RankAtWork rank(GetParam(), comms[0]);
  comms[1].abort("planted");
  rank.reduction->begin_step();
  rank.make_all_ready();
  EXPECT_THROW(rank.reduction->finish(), RunFailed);
}

INSTANTIATE_TEST_SUITE_P(Reduction,
                         EveryOverlap,
                         ::testing::ValuesIn([] {
                           auto overlapping = all_cases();
                           std::erase_if(overlapping, [](const StrategyCase& strategy) {
                             return !properties_of(strategy.reduction).overlaps;
                           });
                           return overlapping;
                         }()),
                         [](const auto& strategy) { return strategy.param.name; });

TEST(Reduction, ThoseOfControlArmsLeaveEveryRanksGradientsAlone) {
  for (const auto reduction : {Reduction::none, Reduction::barrier_only}) {
    const auto results = reduce({reduction}, 2, small_integer, 1);
    EXPECT_EQ(results[0][0], small_integer(0, 0, 0));
    EXPECT_EQ(results[1][0], small_integer(1, 0, 0));
  }
}

TEST(Reduction, PacksAreEqualWhateverTheTensorsAndTheLastTakesTheRemainder) {
  const auto sizes_bytes = [](std::int64_t packs) {
    auto settings = small_settings();
    settings.packs = {packs};
    RankAtWork rank({Reduction::packs, settings}, make_thread_ranks(WorldSize(1), Seconds(30))[0]);
    return values_of(rank.reduction->bucket_marks(), &BucketMarks::size_bytes);
  };
  // 14 gradients in tensors of 3, 1, 4, 1 and 5; the loss weight behind the last one.
  EXPECT_THAT(sizes_bytes(1), ElementsAre(15 * 4));
  EXPECT_THAT(sizes_bytes(4), ElementsAre(3 * 4, 3 * 4, 3 * 4, 6 * 4));
  EXPECT_THAT(sizes_bytes(0), ElementsAre(3 * 4, 1 * 4, 4 * 4, 1 * 4, 6 * 4));
  const auto alone = sizes_bytes(1000);
  ASSERT_EQ(alone.size(), total);
  EXPECT_EQ(alone.front(), 4);
  EXPECT_EQ(alone.back(), 2 * 4);
}

/// All gradients are ready long before a cycle is over.
StrategyCase fusion_in_one_cycle(std::int64_t threshold_bytes) {
  StrategyCase fusion{Reduction::fusion};
  fusion.settings.fusion = {.cycle_time_s = 0.5, .threshold_bytes = threshold_bytes};
  return fusion;
}

/// (first, count) of all pieces.
std::vector<std::pair<std::int64_t, std::int64_t>> pieces_of(Reduction reduction,
                                                             std::int64_t ranks,
                                                             std::int64_t asked) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  on_ranks(ranks, [&](const Communicator& comm) {
    RankAtWork rank({reduction}, comm);
    if (comm.rank() != Rank(asked)) return;
    for (const auto& piece : rank.reduction->owned(total))
      pieces.emplace_back(piece.first, piece.count);
  });
  return pieces;
}

TEST(Reduction, ShardsAreEqualAndAllRanksOwnTheRest) {
  using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(pieces_of(Reduction::sharded_optimizer, 1, 0), (Pieces{{0, 14}}));
  EXPECT_EQ(pieces_of(Reduction::sharded_optimizer, 2, 1), (Pieces{{7, 7}, {14, 0}}));
  EXPECT_EQ(pieces_of(Reduction::sharded_optimizer, 4, 2), (Pieces{{6, 3}, {12, 2}}));
  EXPECT_EQ(pieces_of(Reduction::sharded_optimizer, 20, 3), (Pieces{{0, 14}}));
  EXPECT_EQ(pieces_of(Reduction::bucketed_overlap, 2, 1), (Pieces{{0, 3}, {3, 5}, {8, 6}}));
  EXPECT_EQ(pieces_of(Reduction::tower, 3, 0), (Pieces{{0, 14}}));
  EXPECT_EQ(pieces_of(Reduction::tower, 3, 1), (Pieces{{0, 0}}));
}

TEST(Reduction, FusionSendsTensorsTogetherUpToTheThreshold) {
  const auto sizes_bytes = [](std::int64_t threshold_bytes) {
    RankAtWork rank(fusion_in_one_cycle(threshold_bytes),
                    make_thread_ranks(WorldSize(1), Seconds(30))[0]);
    const auto before = values_of(rank.reduction->bucket_marks(), &BucketMarks::size_bytes);
    rank.step();
    auto sizes = values_of(rank.reduction->bucket_marks(), &BucketMarks::size_bytes);
    EXPECT_EQ(before, sizes) << "the probe tries other sizes than are sent";
    return sizes;
  };
  // Tensors of 3, 1, 4, 1 and 5 gradients of 4 bytes; the loss weight behind the last one.
  EXPECT_THAT(sizes_bytes(1), ElementsAre(3 * 4, 1 * 4, 4 * 4, 1 * 4, 6 * 4));
  EXPECT_THAT(sizes_bytes(20), ElementsAre(4 * 4, 5 * 4, 6 * 4));
  EXPECT_THAT(sizes_bytes(1000), ElementsAre(15 * 4));
}

TEST(Reduction, FusionSendsWhatAllRanksHaveAndLeavesTheRestForALaterCycle) {
  std::vector<std::vector<std::int64_t>> sizes_bytes(3);
  on_ranks(3, [&](const Communicator& comm) {
    std::atomic<int> sums = 0;
    RankAtWork rank({Reduction::fusion}, watched(comm, [&](const auto& view) {
                      if (view.type == DataType::float32) ++sums;
                    }));
    rank.reduction->begin_step();
    // One rank has two tensors only until they have been sent; the others had all at once.
    const bool is_slow = comm.rank() == Rank(1);
    for (std::size_t parameter = 0; parameter < counts.size(); ++parameter) {
      if (is_slow && parameter == 2)
        for (const Stopwatch watch; sums == 0 && watch.elapsed_s() < 20;) std::this_thread::yield();
      rank.reduction->gradient_ready(parameter);
    }
    rank.reduction->finish();
    sizes_bytes[comm.rank().index()] =
        values_of(rank.reduction->bucket_marks(), &BucketMarks::size_bytes);
  });
  EXPECT_THAT(sizes_bytes[0].front(), testing::Le(4 * 4));
  EXPECT_GE(sizes_bytes[0].size(), 2U);
  EXPECT_THAT(sizes_bytes, testing::Each(sizes_bytes[0]));
}

TEST(Reduction, FusionNeedsATensorsTurn) {
  RankAtWork rank(fusion_in_one_cycle(1), make_thread_ranks(WorldSize(1), Seconds(30))[0]);
  rank.reduction->begin_step();
  for (std::size_t parameter = counts.size(); parameter-- > 0;)
    rank.reduction->gradient_ready(parameter);
  const auto all_ready = rank.clock.mark();
  rank.reduction->finish();
  for (const auto& marks : rank.reduction->bucket_marks()) {
    EXPECT_LE(marks.ready, all_ready);
    EXPECT_EQ(marks.ready, rank.reduction->bucket_marks()[0].ready) << "the first came last";
  }
}

TEST(Reduction, ABarrierHoldsTheFasterRankUntilTheSlowerComes) {
  std::vector<Clock::time_point> came(2), left(2);
  on_ranks(2, [&](const Communicator& comm) {
    RankAtWork rank({Reduction::barrier_only}, comm);
    rank.reduction->begin_step();
    if (comm.rank() == Rank(1)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    came[comm.rank().index()] = Clock::now();
    rank.reduction->finish();
    left[comm.rank().index()] = Clock::now();
  });
  EXPECT_GE(left[0], came[1]);
}

}  // namespace
}  // namespace scalestudy
