#include "engine/input_pipeline.hpp"

#include <atomic>
#include <set>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"

#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

/// 22 samples in batches of 9: the last batch of an epoch holds 4.
constexpr EpochLayout layout{9, 3, 22, 22};
constexpr std::int64_t pipeline_steps = 6;

/// A batch that is its positions.
void make_positions(const Shard& shard, HostBatch& batch) {
  batch.sample_count = shard.count;
  batch.loss_weight = static_cast<double>(shard.count);
  batch.arrays.resize(2);
  batch.arrays[0].resize({shard.count, 2});
  batch.arrays[1].resize({shard.count});
  for (std::int64_t i = 0; i < shard.count; ++i) {
    const auto position = static_cast<float>(shard.first + i);
    batch.arrays[0].values[static_cast<std::size_t>(2 * i)] = position;
    batch.arrays[0].values[static_cast<std::size_t>(2 * i + 1)] = -position;
    batch.arrays[1].values[static_cast<std::size_t>(i)] = position;
  }
}

struct Case {
  InputKind input;
  std::int64_t worker_threads = 0;
  std::int64_t prefetch_batches = 2;
};

InputContext pipeline_context(const Case& run, const Communicator& comm, BatchMaker make) {
  InputContext context{.make = std::move(make),
                       .layout = layout,
                       .rank = comm.rank(),
                       .world_size = comm.world_size(),
                       .first = StepIndex(0),
                       .end = StepIndex(pipeline_steps),
                       .settings = {},
                       .comm = comm};
  context.settings.worker_threads = run.worker_threads;
  context.settings.prefetch_batches = run.prefetch_batches;
  return context;
}

/// The positions all ranks got, step by step, in rank order.
std::vector<float> positions_taken(const Case& run, std::int64_t ranks) {
  std::vector<std::vector<std::vector<float>>> taken(
      pipeline_steps, std::vector<std::vector<float>>(static_cast<std::size_t>(ranks)));
  on_ranks(ranks, [&](const Communicator& comm) {
    const auto input = make_input(run.input, pipeline_context(run, comm, make_positions));
    for (std::int64_t step = 0; step < pipeline_steps; ++step) {
      const auto& batch = input->take(StepIndex(step));
      EXPECT_EQ(batch.loss_weight, static_cast<double>(batch.arrays[1].values.size()));
      EXPECT_THAT(batch.arrays[0].shape, ElementsAre(batch.sample_count, 2));
      taken[static_cast<std::size_t>(step)][comm.rank().index()] = batch.arrays[1].values;
    }
  });
  std::vector<float> all;
  for (const auto& step : taken)
    for (const auto& part : step) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(InputPipeline, EveryPipelineGivesTheSameGlobalOrderAtAnyNumberOfRanks) {
  std::vector<float> expected(44);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<float>(i);
  const std::vector<Case> cases{{InputKind::sharded, 0, 1}, {InputKind::sharded, 1, 1},
                                {InputKind::sharded, 3, 1}, {InputKind::sharded, 2, 5},
                                {InputKind::serial, 0, 1},  {InputKind::serial, 0, 4}};
  for (const auto& run : cases)
    for (const std::int64_t ranks : {1, 2, 3, 4, 8, 11})  // 11: empty shards
      EXPECT_EQ(positions_taken(run, ranks), expected)
          << run.input << ", " << run.worker_threads << " workers, " << ranks << " ranks";
}

TEST(InputPipeline, SyntheticRepeatsTheFirstBatch) {
  const auto taken = positions_taken({InputKind::synthetic}, 1);
  ASSERT_EQ(taken.size(), 54U);
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], static_cast<float>(i % 9));
}

/// Each batch is taken when all are made that may be.
TEST(InputPipeline, WorkersStayWithinThePrefetchDepth) {
  std::atomic<std::int64_t> asked = 0, made = 0, too_early = 0;
  const auto comm = make_thread_ranks(WorldSize(1), Seconds(30)).front();
  const auto input = make_input(
      InputKind::sharded,
      pipeline_context({InputKind::sharded, 4, 2}, comm, [&](const Shard& shard, HostBatch& batch) {
        make_positions(shard, batch);
        if (made++ > asked + 2) ++too_early;
        made.notify_one();
      }));
  for (std::int64_t step = 0; step < pipeline_steps; ++step) {
    const auto most = std::min(asked + 3, pipeline_steps);
    for (auto now = made.load(); now < most; now = made.load()) made.wait(now);
    EXPECT_EQ(made, most);
    asked = step;
    (void)input->take(StepIndex(step));
  }
  EXPECT_EQ(too_early, 0);
}

TEST(InputPipeline, ABatchThatCannotBeMadeIsTheErrorOfItsStep) {
  for (const Case& run :
       {Case{InputKind::sharded, 0}, Case{InputKind::sharded, 2}, Case{InputKind::serial}}) {
    const auto comm = make_thread_ranks(WorldSize(1), Seconds(30)).front();
    const auto make = [](const Shard& shard, HostBatch& batch) {
      if (shard.first == 9)
        throw BadInput({"'b.png' is truncated", "it cannot be decoded", "Remove it"});
      make_positions(shard, batch);
    };
    const auto input = make_input(run.input, pipeline_context(run, comm, make));
    EXPECT_EQ(input->take(StepIndex(0)).sample_count, 9);
    EXPECT_THROW((void)input->take(StepIndex(1)), BadInput) << run.input;
  }
}

TEST(InputPipeline, SerialMakesEveryBatchOnRankZeroOneAfterTheOther) {
  std::atomic<int> at_work{0}, most{0}, elsewhere{0};
  on_ranks(3, [&](const Communicator& comm) {
    const auto make = [&](const Shard& shard, HostBatch& batch) {
      if (!comm.is_root()) ++elsewhere;
      most = std::max(most.load(), ++at_work);
      make_positions(shard, batch);
      --at_work;
    };
    const auto input =
        make_input(InputKind::serial, pipeline_context({InputKind::serial}, comm, make));
    for (std::int64_t step = 0; step < pipeline_steps; ++step) (void)input->take(StepIndex(step));
  });
  EXPECT_EQ(most, 1);
  EXPECT_EQ(elsewhere, 0);
}

TEST(InputPipeline, RanksMayStopBeforeTheEndTogether) {
  on_ranks(3, [&](const Communicator& comm) {
    const auto input = make_input(
        InputKind::serial, pipeline_context({InputKind::serial, 0, 1}, comm, make_positions));
    for (std::int64_t step = 0; step < 2; ++step) (void)input->take(StepIndex(step));
  });
}

TEST(InputPipeline, SampleCostIsALeastTime) {
  const auto comm = make_thread_ranks(WorldSize(1), Seconds(30)).front();
  auto context = pipeline_context({InputKind::sharded}, comm, make_positions);
  context.settings.sample_cost_s = 0.002;
  const auto input = make_input(InputKind::sharded, std::move(context));
  const Stopwatch watch;
  (void)input->take(StepIndex(0));
  EXPECT_GE(watch.elapsed_s(), 9 * 0.002);
}

}  // namespace
}  // namespace scalestudy
