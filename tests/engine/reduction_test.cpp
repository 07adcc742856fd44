#include "engine/reduction.hpp"

#include <atomic>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/observed_communicator.hpp"
#include "comm/rendezvous.hpp"

namespace scalestudy {
namespace {

constexpr std::array<std::int64_t, 5> counts{3, 1, 4, 1, 5};
constexpr std::size_t total = 14;

/// Small limits, so that five parameters make three buckets.
std::vector<Bucket> small_buckets() {
  return plan_buckets(counts, 4, {ByteCount(12), ByteCount(20)});
}

/// One rank: fills its gradients with numbers that name rank and place, reduces, returns the
/// result.
std::vector<float> reduce_one_rank(Reduction strategy, const Communicator& comm, int steps) {
  std::vector<float> flat(total + 1);
  HostClock clock;
  auto reduction =
      make_reduction(strategy, {comm, small_buckets(), view_of(std::span(flat)), clock});
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < flat.size(); ++i)
      flat[i] =
          static_cast<float>(100 * (comm.rank().value() + 1) + static_cast<std::int64_t>(i) + step);
    reduction->begin_step();
    for (std::size_t parameter = 0; parameter < counts.size(); ++parameter)
      reduction->gradient_ready(parameter);
    reduction->finish();
  }
  return flat;
}

std::vector<std::vector<float>> reduce(Reduction strategy, std::int64_t ranks, int steps = 3) {
  const auto comms = make_thread_ranks(WorldSize(ranks), Seconds(30));
  std::vector<std::vector<float>> results(comms.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < comms.size(); ++rank)
    threads.emplace_back(
        [&, rank] { results[rank] = reduce_one_rank(strategy, comms[rank], steps); });
  for (auto& thread : threads) thread.join();
  return results;
}

class EveryStrategy : public ::testing::TestWithParam<Reduction> {};

TEST_P(EveryStrategy, SumsIntegersExactlyAndCoversEveryElementWithTheWeight) {
  for (const std::int64_t ranks : {1, 2, 3, 4}) {
    for (const auto& flat : reduce(GetParam(), ranks))
      for (std::size_t i = 0; i < flat.size(); ++i) {
        const auto naive =
            100 * ranks * (ranks + 1) / 2 + ranks * (static_cast<std::int64_t>(i) + 2);
        if (averages_gradients(GetParam())) {
          EXPECT_EQ(flat[i], static_cast<float>(naive)) << ranks << " ranks, element " << i;
        }
      }
  }
}

TEST_P(EveryStrategy, RecordsTimesInOrderForTheBytesItReduced) {
  const auto comms = make_thread_ranks(WorldSize(1), Seconds(30));
  std::vector<float> flat(total + 1);
  HostClock clock;
  auto reduction =
      make_reduction(GetParam(), {comms[0], small_buckets(), view_of(std::span(flat)), clock});
  reduction->begin_step();
  for (std::size_t parameter = 0; parameter < counts.size(); ++parameter)
    reduction->gradient_ready(parameter);
  reduction->finish();
  std::int64_t bytes = 0;
  for (const auto& marks : reduction->bucket_marks()) {
    EXPECT_LE(marks.ready, marks.entered);
    EXPECT_LE(marks.entered, marks.left);
    bytes += marks.size_bytes;
  }
  const auto expected = averages_gradients(GetParam())          ? (total + 1) * sizeof(float)
                        : GetParam() == Reduction::barrier_only ? sizeof(double)
                                                                : 0;
  EXPECT_EQ(bytes, static_cast<std::int64_t>(expected));
}

INSTANTIATE_TEST_SUITE_P(Reduction,
                         EveryStrategy,
                         ::testing::ValuesIn([] {
                           std::vector<Reduction> all;
                           for (const auto& row : choices<Reduction>) all.push_back(row.value);
                           return all;
                         }()),
                         [](const auto& strategy) { return cat(strategy.param); });

TEST(Reduction, ThoseOfControlArmsLeaveEveryRanksGradientsAlone) {
  for (const auto reduction : {Reduction::none, Reduction::barrier_only}) {
    const auto results = reduce(reduction, 2, 1);
    EXPECT_EQ(results[0][0], 100.0F);
    EXPECT_EQ(results[1][0], 200.0F);
  }
}

TEST(Reduction, ABarrierHoldsTheFasterRankUntilTheSlowerComes) {
  const auto comms = make_thread_ranks(WorldSize(2), Seconds(30));
  std::vector<Mark> ready(2), left(2);
  HostClock clock;
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      std::vector<float> flat(total + 1);
      auto reduction = make_reduction(
          Reduction::barrier_only, {comms[rank], small_buckets(), view_of(std::span(flat)), clock});
      reduction->begin_step();
      if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      reduction->finish();
      ready[rank] = reduction->bucket_marks()[0].ready;
      left[rank] = reduction->bucket_marks()[0].left;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_GE(left[0], ready[1]);
}

TEST(Reduction, OverlapLaunchesABucketBeforeTheLastGradientIsReady) {
  std::atomic<int> reduced = 0;
  const auto comm = observed(make_thread_ranks(WorldSize(1), Seconds(30))[0], [&](auto times) {
    ++reduced;
    return times;
  });
  std::vector<float> flat(total + 1);
  HostClock clock;
  auto reduction = make_reduction(Reduction::bucketed_overlap,
                                  {comm, small_buckets(), view_of(std::span(flat)), clock});
  reduction->begin_step();
  reduction->gradient_ready(0);  // fills the first bucket
  for (const Stopwatch watch; reduced == 0 && watch.elapsed_s() < 20;) std::this_thread::yield();
  const auto before_last = clock.mark();
  for (std::size_t parameter = 1; parameter < counts.size(); ++parameter)
    reduction->gradient_ready(parameter);
  reduction->finish();
  EXPECT_LT(reduction->bucket_marks().front().entered, before_last);
}

TEST(Reduction, GradientsReadyOutOfOrderStillGoOutInBucketOrder) {
  const auto comms = make_thread_ranks(WorldSize(1), Seconds(30));
  std::vector<float> flat(total + 1);
  HostClock clock;
  auto reduction = make_reduction(Reduction::bucketed_overlap,
                                  {comms[0], small_buckets(), view_of(std::span(flat)), clock});
  reduction->begin_step();
  for (std::size_t parameter = counts.size(); parameter-- > 0;)
    reduction->gradient_ready(parameter);
  reduction->finish();
  const auto marks = reduction->bucket_marks();
  for (std::size_t b = 1; b < marks.size(); ++b) EXPECT_LE(marks[b - 1].left, marks[b].entered);
}

TEST(Reduction, AGradientThatNeverComesIsABugNotAHang) {
  const auto comms = make_thread_ranks(WorldSize(1), Seconds(30));
  std::vector<float> flat(total + 1);
  HostClock clock;
  auto reduction = make_reduction(Reduction::bucketed_overlap,
                                  {comms[0], small_buckets(), view_of(std::span(flat)), clock});
  reduction->begin_step();
  reduction->gradient_ready(0);
  EXPECT_THROW(reduction->finish(), InternalError);
}

TEST(Reduction, AFailureOnTheCommunicationThreadReachesTheCaller) {
  const auto comms = make_thread_ranks(WorldSize(2), Seconds(30));
  std::vector<float> flat(total + 1);
  HostClock clock;
  auto reduction = make_reduction(Reduction::bucketed_overlap,
                                  {comms[0], small_buckets(), view_of(std::span(flat)), clock});
  comms[1].abort("planted");
  reduction->begin_step();
  for (std::size_t parameter = 0; parameter < counts.size(); ++parameter)
    reduction->gradient_ready(parameter);
  EXPECT_THROW(reduction->finish(), RunFailed);
}

}  // namespace
}  // namespace scalestudy
