#include <thread>

#include <gmock/gmock.h>

#include "comm/rendezvous.hpp"

#include "tests/engine/reducing_rank.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

/// A rank alone, whose buckets are of 3, 5 and 6 gradients.
TEST(Reduction, BucketsThatAreUpdatedEarlyFollowTheLossWeight) {
  RankAtWork rank({Reduction::bucketed_overlap}, make_thread_ranks(WorldSize(1), Seconds(30))[0]);
  const auto sizes = [&] {
    return values_of(rank.reduction->bucket_marks(), &BucketMarks::size_bytes);
  };
  EXPECT_THAT(sizes(), ElementsAre(4, 3 * 4, 5 * 4, 6 * 4));
  rank.reduction->begin_step();
  EXPECT_EQ(rank.reduction->summed_count(), 0);
  for (std::size_t parameter = 0; parameter < 4; ++parameter)
    rank.reduction->gradient_ready(parameter);
  for (const Stopwatch watch; rank.reduction->summed_count() < 8 && watch.elapsed_s() < 20;)
    std::this_thread::yield();
  EXPECT_EQ(rank.reduction->summed_count(), 8) << "two buckets are full";
  rank.reduction->gradient_ready(4);
  rank.reduction->finish();
  EXPECT_EQ(rank.reduction->summed_count(), 14);
  EXPECT_THAT(sizes(), ElementsAre(4, 3 * 4, 5 * 4, 6 * 4));
  rank.reduction->begin_step();
  EXPECT_EQ(rank.reduction->summed_count(), 0) << "of the step before";
}

TEST(Reduction, BucketsThatAreUpdatedAtTheEndTakeTheLossWeightAlong) {
  StrategyCase late{Reduction::bucketed_overlap};
  late.settings.gradients.updated_early = false;
  RankAtWork rank(late, make_thread_ranks(WorldSize(1), Seconds(30))[0]);
  rank.step();
  EXPECT_THAT(values_of(rank.reduction->bucket_marks(), &BucketMarks::size_bytes),
              ElementsAre(3 * 4, 5 * 4, 7 * 4));
  EXPECT_EQ(rank.reduction->summed_count(), 0);
  EXPECT_EQ(rank.reduction->owned(14).size(), 1U);
}

}  // namespace
}  // namespace scalestudy
