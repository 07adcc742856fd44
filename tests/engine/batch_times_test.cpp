/// What input pipelines tell of how a batch came about.

#include <algorithm>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>

#include "engine/input_pipeline.hpp"

#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

constexpr Seconds making{0.01};

void make_slowly(const Shard& shard, HostBatch& batch) {
  std::this_thread::sleep_for(making);
  batch.sample_count = shard.count;
}

struct Case {
  InputKind input;
  std::int64_t worker_threads = 0;
  std::int64_t prefetch_batches = 2;
  Seconds step{0};  ///< between two batches
};

/// Of the last of a few steps; one for each rank.
std::vector<BatchTimes> last_times(const Case& run, std::int64_t ranks) {
  std::vector<BatchTimes> times(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](const Communicator& comm) {
    constexpr std::int64_t steps = 6;
    InputContext context{.make = make_slowly,
                         .layout = {2 * ranks, steps, 2 * ranks * steps, 2 * ranks * steps},
                         .rank = comm.rank(),
                         .world_size = comm.world_size(),
                         .first = StepIndex(0),
                         .end = StepIndex(steps),
                         .settings = {},
                         .comm = comm};
    context.settings.worker_threads = run.worker_threads;
    context.settings.prefetch_batches = run.prefetch_batches;
    const auto input = make_input(run.input, std::move(context));
    for (std::int64_t step = 0; step < steps - 2; ++step) {
      (void)input->take(StepIndex(step));
      times[comm.rank().index()] = input->times();
      std::this_thread::sleep_for(run.step);
    }
  });
  return times;
}

/// Whether it ever holds: a loaded machine may let any thread wait, but not each time.
template <class Property>
bool holds_at_last(const Case& run, std::int64_t ranks, const Property& property) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (property(last_times(run, ranks))) return true;
  }
  return false;
}

TEST(BatchTimes, InTheStepNothingIsThereBeforeItIsAskedFor) {
  const auto times = last_times({InputKind::sharded}, 1).front();
  EXPECT_GE(times.make_s, making.count());
  EXPECT_EQ(times.ready_count, 0);
  EXPECT_TRUE(std::isnan(times.hand_over_s));
}

TEST(BatchTimes, AFastProducerIsAhead) {
  const Case run{InputKind::sharded, 2, 2, Seconds(0.05)};
  EXPECT_TRUE(holds_at_last(run, 1, [](const auto& times) { return times[0].ready_count >= 1; }));
  EXPECT_GE(last_times(run, 1)[0].make_s, making.count());
}

TEST(BatchTimes, ASlowProducerIsNot) {
  const Case run{InputKind::sharded, 1, 1};
  EXPECT_TRUE(holds_at_last(run, 1, [](const auto& times) { return times[0].ready_count == 0; }));
  EXPECT_GE(last_times(run, 1)[0].make_s, making.count());
}

TEST(BatchTimes, OneProducerMakesThoseOfAllRanks) {
  const Case run{InputKind::serial, 0, 1};
  const auto times = last_times(run, 3);
  EXPECT_GE(times[0].make_s, 3 * making.count());
  EXPECT_TRUE(std::isnan(times[1].make_s) && std::isnan(times[2].make_s));
  const auto only_moved = [](const BatchTimes& one) {
    return one.hand_over_s >= 0 && one.hand_over_s < making.count() && one.ready_count == 0;
  };
  EXPECT_TRUE(holds_at_last(run, 3, [&](const auto& all) {
    return std::ranges::all_of(all, only_moved);
  })) << "waiting for the producer is no hand-over";
}

TEST(BatchTimes, SyntheticInputIsAlwaysThere) {
  const auto times = last_times({InputKind::synthetic}, 1).front();
  EXPECT_EQ(times.make_s, 0);
  EXPECT_EQ(times.ready_count, 1);
}

}  // namespace
}  // namespace scalestudy
