#include <atomic>
#include <mutex>
#include <set>

#include <gmock/gmock.h>

#include "core/error.hpp"

#include "engine/input_pipeline.hpp"

#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

/// A batch that names its positions, with arrays whose number and shape change from step to step.
void make_growing(const Shard& shard, HostBatch& batch) {
  batch.sample_count = shard.count;
  batch.loss_weight = 0.5 * static_cast<double>(shard.first);
  batch.arrays.resize(static_cast<std::size_t>(1 + shard.first % 3));
  for (auto& array : batch.arrays) {
    array.resize({shard.count, 1 + shard.first % 2});
    for (auto& value : array.values) value = static_cast<float>(shard.first);
  }
}

InputContext context_of(const Communicator& comm, BatchMaker make, std::int64_t steps = 5) {
  return {.make = std::move(make),
          .layout = {4, steps, 4 * steps, 4 * steps},
          .rank = comm.rank(),
          .world_size = comm.world_size(),
          .first = StepIndex(0),
          .end = StepIndex(steps),
          .settings = {},
          .comm = comm};
}

Communicator alone() {
  return make_thread_ranks(WorldSize(1), Seconds(30)).front();
}

/// Serial with its queue, sharded in the step and with workers.
std::vector<std::pair<InputKind, std::int64_t>> pipelines() {
  return {{InputKind::serial, 0}, {InputKind::sharded, 0}, {InputKind::sharded, 2}};
}

TEST(InputEdges, BatchesOfChangingShapesArriveWhole) {
  for (const auto& [kind, workers] : pipelines()) {
    on_ranks(2, [kind = kind, workers = workers](const Communicator& comm) {
      auto context = context_of(comm, make_growing);
      context.settings.worker_threads = workers;
      const auto layout = context.layout;
      const auto input = make_input(kind, std::move(context));
      for (StepIndex step; step < StepIndex(5); ++step) {
        const auto shard = shard_of(comm.rank(), WorldSize(2), step, layout);
        HostBatch expected;
        make_growing(shard, expected);
        const auto& batch = input->take(step);
        EXPECT_EQ(batch.sample_count, shard.count);
        EXPECT_EQ(batch.loss_weight, expected.loss_weight);
        ASSERT_EQ(batch.arrays.size(), expected.arrays.size()) << kind;
        for (std::size_t i = 0; i < batch.arrays.size(); ++i) {
          EXPECT_EQ(batch.arrays[i].shape, expected.arrays[i].shape);
          EXPECT_EQ(batch.arrays[i].values, expected.arrays[i].values);
        }
      }
    });
  }
}

TEST(InputEdges, AResumedAttemptStartsAtItsFirstStep) {
  for (const auto& [kind, workers] : pipelines()) {
    std::mutex mutex;
    std::set<std::int64_t> made;
    const auto comm = alone();
    auto context = context_of(comm, [&](const Shard& shard, HostBatch& batch) {
      make_growing(shard, batch);
      const std::scoped_lock lock(mutex);
      made.insert(shard.first);
    });
    context.first = StepIndex(3);
    context.settings.worker_threads = workers;
    const auto input = make_input(kind, std::move(context));
    EXPECT_EQ(input->take(StepIndex(3)).loss_weight, 6);
    EXPECT_EQ(input->take(StepIndex(4)).loss_weight, 8);
    const std::scoped_lock lock(mutex);
    EXPECT_THAT(made, ElementsAre(12, 16)) << kind << ", " << workers << " workers";
  }
}

TEST(InputEdges, NothingIsMadeBeyondTheLastStep) {
  for (const auto& [kind, workers] : pipelines()) {
    std::atomic<std::int64_t> latest{0};
    const auto comm = alone();
    auto context = context_of(
        comm,
        [&](const Shard& shard, HostBatch& batch) {
          make_growing(shard, batch);
          if (shard.first > latest) latest = shard.first;
        },
        2);
    context.settings.prefetch_batches = 100;
    context.settings.worker_threads = workers;
    const auto input = make_input(kind, std::move(context));
    for (StepIndex step; step < StepIndex(2); ++step) (void)input->take(step);
    EXPECT_EQ(latest, 4) << kind;
  }
}

TEST(InputEdges, APipelineThatNobodyTakesFromEnds) {
  for (const auto& [kind, workers] : pipelines()) {
    const auto comm = alone();
    auto context = context_of(comm, make_growing, 1000);
    context.settings.worker_threads = workers;
    EXPECT_NE(make_input(kind, std::move(context)), nullptr);
  }
}

TEST(InputEdges, TheFailureOfASerialStepComesBehindTheBatchesBeforeIt) {
  const auto comm = alone();
  auto context = context_of(comm, [](const Shard& shard, HostBatch& batch) {
    if (shard.first == 8) throw BadInput({"x is damaged", "it is read", "Remove it"});
    make_growing(shard, batch);
  });
  context.settings.prefetch_batches = 4;
  const auto input = make_input(InputKind::serial, std::move(context));
  EXPECT_EQ(input->take(StepIndex(0)).sample_count, 4);
  EXPECT_EQ(input->take(StepIndex(1)).sample_count, 4);
  EXPECT_THROW((void)input->take(StepIndex(2)), BadInput);
  EXPECT_THROW((void)input->take(StepIndex(3)), BadInput) << "and it stays";
}

TEST(InputEdges, SerialOnSeveralRanksNeedsACommunicator) {
  const auto comm = alone();
  auto context = context_of(comm, make_growing);
  context.world_size = WorldSize(2);
  context.comm.reset();
  EXPECT_THROW((void)make_input(InputKind::serial, std::move(context)), InternalError);
}

TEST(InputEdges, SerialOnOneRankNeedsNone) {
  const auto comm = alone();
  auto context = context_of(comm, make_growing);
  context.comm.reset();
  const auto input = make_input(InputKind::serial, std::move(context));
  EXPECT_EQ(input->take(StepIndex(0)).sample_count, 4);
}

TEST(InputEdges, ForTheDeviceThereIsNoPipeline) {
  EXPECT_EQ(make_input(InputKind::device, context_of(alone(), make_growing)), nullptr);
}

TEST(InputEdges, SyntheticMakesOneBatchOnly) {
  int made = 0;
  const auto input =
      make_input(InputKind::synthetic, context_of(alone(), [&](const Shard& shard, HostBatch& b) {
                   ++made;
                   make_growing(shard, b);
                 }));
  for (StepIndex step; step < StepIndex(5); ++step)
    EXPECT_EQ(input->take(step).arrays.at(0).values.at(0), 0);
  EXPECT_EQ(made, 1);
}

TEST(InputEdges, AnEmptyShardIsABatchWithoutSamples) {
  on_ranks(6, [](const Communicator& comm) {
    const auto input = make_input(InputKind::serial, context_of(comm, make_growing));
    const auto& batch = input->take(StepIndex(0));
    EXPECT_EQ(batch.sample_count, comm.rank() < Rank(4) ? 1 : 0);
    EXPECT_EQ(batch.arrays.at(0).values.empty(), batch.sample_count == 0);
  });
}

}  // namespace
}  // namespace scalestudy
