/// What input pipelines tell of how a batch came about.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <semaphore>
#include <thread>

#include <gmock/gmock.h>

#include "comm/observed_communicator.hpp"

#include "engine/input_pipeline.hpp"

#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

constexpr Seconds making{0.01};

void make_slowly(const Shard& shard, HostBatch& batch) {
  std::this_thread::sleep_for(making);
  batch.sample_count = shard.count;
}

constexpr std::int64_t timed_steps = 6;

InputContext timed_input(const Communicator& comm, BatchMaker make) {
  const auto ranks = comm.world_size().value();
  return {.make = std::move(make),
          .layout = {2 * ranks, timed_steps, 2 * ranks * timed_steps, 2 * ranks * timed_steps},
          .rank = comm.rank(),
          .world_size = comm.world_size(),
          .first = StepIndex(0),
          .end = StepIndex(timed_steps),
          .settings = {},
          .comm = comm};
}

InputContext timed_input(BatchMaker make) {
  return timed_input(make_thread_ranks(WorldSize(1), Seconds(30)).front(), std::move(make));
}

TEST(BatchTimes, InTheStepNothingIsThereBeforeItIsAskedFor) {
  const auto input = make_input(InputKind::sharded, timed_input(make_slowly));
  (void)input->take(StepIndex(0));
  EXPECT_GE(input->times().make_s, making.count());
  EXPECT_EQ(input->times().ready_count, 0);
  EXPECT_TRUE(std::isnan(input->times().hand_over_s));
}

/// The only worker begins a batch when those before it are there.
TEST(BatchTimes, AFastProducerIsAhead) {
  std::binary_semaphore has_begun_third(0), may_end(0);
  auto context = timed_input([&](const Shard& shard, HostBatch& batch) {
    if (shard.first == 4) {
      has_begun_third.release();
      may_end.acquire();
    }
    make_slowly(shard, batch);
  });
  context.settings.worker_threads = 1;
  context.settings.prefetch_batches = 2;
  const auto input = make_input(InputKind::sharded, std::move(context));
  has_begun_third.acquire();
  (void)input->take(StepIndex(0));
  EXPECT_EQ(input->times().ready_count, 2);
  EXPECT_GE(input->times().make_s, making.count());
  (void)input->take(StepIndex(1));
  EXPECT_EQ(input->times().ready_count, 1);
  may_end.release();
}

/// A batch is held until the next one is begun, which is not before it is asked for.
TEST(BatchTimes, ASlowProducerIsNot) {
  std::atomic<std::int64_t> begun = 0;
  auto context = timed_input([&](const Shard& shard, HostBatch& batch) {
    ++begun;
    begun.notify_all();
    const auto enough = std::min(shard.first / 2 + 2, timed_steps);
    for (auto count = begun.load(); count < enough; count = begun.load()) begun.wait(count);
    make_slowly(shard, batch);
  });
  context.settings.worker_threads = 2;
  context.settings.prefetch_batches = 1;
  const auto input = make_input(InputKind::sharded, std::move(context));
  for (std::int64_t step = 0; step < timed_steps; ++step) {
    (void)input->take(StepIndex(step));
    if (step == 0 || step == timed_steps - 1) continue;
    EXPECT_EQ(input->times().ready_count, 0);
    EXPECT_GE(input->times().make_s, making.count());
  }
}

/// A broadcast whose ranks waited for an hour and that took 20 ms.
CollectiveTimes known_times(CollectiveTimes times) {
  times.entered = times.all_arrived - std::chrono::hours(1);
  times.left = times.all_arrived + std::chrono::milliseconds(20);
  return times;
}

TEST(BatchTimes, OneProducerMakesThoseOfAllRanks) {
  std::vector<BatchTimes> times(3);
  on_ranks(3, [&](const Communicator& comm) {
    const auto input =
        make_input(InputKind::serial, timed_input(observed(comm, known_times), make_slowly));
    for (std::int64_t step = 0; step < timed_steps; ++step) (void)input->take(StepIndex(step));
    times[comm.rank().index()] = input->times();
  });
  EXPECT_GE(times[0].make_s, 3 * making.count());
  EXPECT_TRUE(std::isnan(times[1].make_s) && std::isnan(times[2].make_s));
  for (const auto& each : times)
    EXPECT_NEAR(each.hand_over_s, 2 * 0.02, 1e-9) << "of size and data, without waiting";
}

TEST(BatchTimes, SyntheticInputIsAlwaysThere) {
  const auto input = make_input(InputKind::synthetic, timed_input(make_slowly));
  (void)input->take(StepIndex(0));
  const auto times = input->times();
  EXPECT_EQ(times.make_s, 0);
  EXPECT_EQ(times.ready_count, 1);
}

}  // namespace
}  // namespace scalestudy
