/// Gradients on a device, summed by the back-end nccl on stand-in GPUs: what is summed, in which
/// order, and where a step's time goes. No figure comes from a stand-in: its time is virtual.

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/hierarchical_communicator.hpp"

#include "engine/device_step_clock.hpp"
#include "engine/reduction/exchange.hpp"
#include "engine/run_recorder.hpp"
#include "engine/step_loop.hpp"

#include "conformance/stand_in_ranks.hpp"
#include "tests/engine/reducing_rank.hpp"
#include "tests/record/sample_run.hpp"
#include "tests/support/virtual_time.hpp"

namespace scalestudy {
namespace {

using testing::Each;
using testing::IsEmpty;

constexpr Seconds ample{60.0};

/// A rank whose gradients lie on its GPU, which computes on a stream.
class DeviceRank {
 public:
  DeviceRank(const NcclRank& rank, const StrategyCase& strategy)
      : rank_(rank),
        computing_(rank.device),
        clock_(make_device_step_clock(rank.device, computing_.get())),
        flat_(rank.device->allocate(bytes_of(total + 1))),
        reduction_(
            make_reduction(strategy.reduction,
                           {gradients(strategy), counts, flat(), *clock_, strategy.settings})) {}

  [[nodiscard]] CudaStream stream() const { return computing_.get(); }
  [[nodiscard]] StepClock& clock() { return *clock_; }
  [[nodiscard]] ReductionStrategy& reduction() { return *reduction_; }
  [[nodiscard]] BufferView parameters() const { return part_of(flat(), 0, total); }

  /// In the stream that computes, whose end nobody waits for. `values` lives until read_all().
  void compute(const std::vector<float>& values) {
    copy(flat_.get(), values.data(), values.size());
  }
  [[nodiscard]] std::vector<float> read_all() {
    std::vector<float> values(total + 1);
    copy(values.data(), flat_.get(), values.size());
    static_cast<void>(clock_->seconds(clock_->mark()));
    return values;
  }

 private:
  [[nodiscard]] Communicator gradients(const StrategyCase& strategy) const {
    Communicator flat_one(rank_.nccl);
    if (strategy.reduction != Reduction::hierarchical) return flat_one;
    const auto on_host = std::min<std::int64_t>(flat_one.world_size().value(), 2);
    return hierarchical(flat_one, {.ranks_per_host = on_host, .deadline = ample});
  }
  static ByteCount bytes_of(std::size_t elements) {
    return ByteCount(static_cast<std::int64_t>(elements * sizeof(float)));
  }
  [[nodiscard]] BufferView flat() const {
    return {flat_.get(), ElementCount(total + 1), DataType::float32, rank_.device->index()};
  }
  void copy(void* into, const void* from, std::size_t elements) {
    const auto bytes = static_cast<std::size_t>(bytes_of(elements).value());
    rank_.device->check(
        rank_.device->api().copy_async(into, from, bytes, cuda_memcpy_default, stream()),
        "cudaMemcpyAsync");
  }

  const NcclRank& rank_;
  DeviceStream computing_;
  std::unique_ptr<StepClock> clock_;
  std::shared_ptr<std::byte> flat_;
  std::unique_ptr<ReductionStrategy> reduction_;
};

/// The passes of a step: the device is busy for so long before each gradient, and the host is
/// ahead.
class DeviceWork final : public StepWork {
 public:
  /// Without times none passes.
  DeviceWork(DeviceRank& rank, StandInGpus& gpus, Seconds forward = {}, Seconds per_gradient = {})
      : rank_(rank), gpus_(gpus), forward_(forward), per_gradient_(per_gradient) {}

  void prepare_batch(const StepPlan& /*plan*/) override {}
  void move_batch_to_device() override {}
  void forward() override { gpus_.work(rank_.stream(), forward_); }
  void spoil_loss() override {}
  void backward() override {
    rank_.compute(values);
    for (std::size_t tensor = 0; tensor < counts.size(); ++tensor) {
      gpus_.work(rank_.stream(), per_gradient_);
      rank_.reduction().gradient_ready(tensor);
    }
  }
  void update() override { inner.add(rank_.reduction().share(rank_.parameters()), rank_.clock()); }
  [[nodiscard]] double loss_weight() const override { return 1; }

  std::vector<float> values = std::vector<float>(total + 1, 1.0F);
  InnerCollectives inner;

 private:
  DeviceRank& rank_;
  StandInGpus& gpus_;
  Seconds forward_;
  Seconds per_gradient_;
};

std::vector<StrategyCase> strategies() {
  std::vector<StrategyCase> all;
  for (const auto& row : choices<Reduction>)
    if (!row.is_of_pytorch) all.push_back({row.value});
  auto packs = small_settings();
  packs.packs = {4};
  all.push_back({Reduction::packs, packs, "packs_4"});
  return all;
}

float value_of(std::int64_t rank, std::size_t i, int step) {
  return static_cast<float>((rank * 7 + static_cast<std::int64_t>(i) * 3 + step) % 13);
}

class OnStreams : public testing::TestWithParam<StrategyCase> {};

TEST_P(OnStreams, NRanksSumAsOneWouldAndNothingIsTouchedTooEarly) {
  for (const int world : {1, 2, 4, 8}) {
    StandInGpus gpus(world);
    std::vector<std::vector<float>> results(static_cast<std::size_t>(world));
    const auto reports =
        run_stand_in(gpus, WorldSize(world), ample, [&](const NcclRank& nccl) -> std::string {
          const auto me = nccl.nccl->rank();
          DeviceRank rank(nccl, GetParam());
          DeviceWork work(rank, gpus);
          PhaseTimeline timeline(rank.clock(), nullptr, &work.inner);
          for (int step = 0; step < 3; ++step) {
            for (std::size_t i = 0; i <= total; ++i) work.values[i] = value_of(me.value(), i, step);
            StepLoop(work, rank.reduction(), timeline).run({StepIndex(step), {}, 0.1});
            results[me.index()] = rank.read_all();
          }
          return "";
        });
    EXPECT_THAT(reports, Each("")) << world;
    EXPECT_THAT(gpus.hazards(), IsEmpty()) << world;
    if (!properties_of(GetParam().reduction).averages_gradients) continue;
    for (std::size_t i = 0; i <= total; ++i) {
      float sum = 0;
      for (int rank = 0; rank < world; ++rank) sum += value_of(rank, i, 2);
      for (const auto& result : results) EXPECT_EQ(result[i], sum) << world << ", element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, OnStreams, testing::ValuesIn(strategies()), [](const auto& test) {
  return test.param.name;
});

/// The device goes on after an abort: without asking, the step would look like a finished one.
TEST(StreamFailure, WhoWaitsForTheDeviceGoesOnAndLearnsWhy) {
  StandInGpus gpus(2);
  gpus.break_after(1, 1);
  const auto reports =
      run_stand_in(gpus, WorldSize(2), ample, [&](const NcclRank& nccl) -> std::string {
        DeviceRank rank(nccl, {Reduction::flat_after_backward});
        DeviceWork work(rank, gpus);
        PhaseTimeline timeline(rank.clock(), nullptr, &work.inner);
        try {
          for (int step = 0; step < 3; ++step) {
            StepLoop(work, rank.reduction(), timeline).run({StepIndex(step), {}, 0.1});
            static_cast<void>(rank.read_all());
            nccl.nccl->throw_if_aborted();
          }
          return "it ended as if nothing had happened";
        } catch (const RunFailed& error) {
          return error.what();
        }
      });
  EXPECT_THAT(reports, Each(testing::HasSubstr("remote process exited")));
}

/// NCCL may sum what it gets, and nothing hangs.
TEST(StreamFailure, BucketsOfDifferentSizesAreFoundWhenTheyAreRecorded) {
  StandInGpus gpus(2);
  gpus.let_different_counts_pass();
  const auto reports =
      run_stand_in(gpus, WorldSize(2), ample, [&](const NcclRank& nccl) -> std::string {
        const Communicator comm(nccl.nccl);
        DeviceRank rank(nccl, {Reduction::flat_after_backward});
        const auto part = part_of(rank.parameters(), 0, comm.is_root() ? 4 : 5);
        BucketMarks marks{.size_bytes = part.bytes().value(), .ready = rank.clock().mark()};
        carry_out(comm, rank.clock(), marks,
                  [&](CudaEvent after) { return comm.start(all_reduce_of(part), after); });
        RunRecorder recorder(comm.host(), nullptr, rank.clock());
        recorder.add_step({&marks, 1});
        recorder.resolve_buckets();
        try {
          recorder.flush({StepTimes()}, {StepFacts()});
          return "recorded as if nothing had happened";
        } catch (const RunFailed& error) {
          return error.what();
        }
      });
  EXPECT_THAT(reports, Each(testing::HasSubstr("buckets of different sizes")));
}

/// What is planted in a study of two ranks, in seconds.
struct Planted {
  double collective_s[2] = {0, 0};        ///< that each of the GPU's collectives takes longer
  double gradient_s[2] = {0.002, 0.002};  ///< that each of the five gradients takes
};

constexpr Seconds forward_time{0.003};

/// What a run's file says of its second step.
class StepOnStreams : public testing::Test {
 protected:
  void record(const StrategyCase& strategy, const Planted& planted) {
    StandInGpus gpus(2);
    for (const int gpu : {0, 1}) gpus.delay_collectives(gpu, Seconds(planted.collective_s[gpu]));
    const TemporaryFolder folder;
    RunFileWriter writer(folder / "run.h5.part", sample_header(), 2);
    const auto reports =
        run_stand_in(gpus, WorldSize(2), ample, [&](const NcclRank& nccl) -> std::string {
          const auto me = nccl.nccl->rank();
          DeviceRank rank(nccl, strategy);
          DeviceWork work(rank, gpus, forward_time, Seconds(planted.gradient_s[me.index()]));
          PhaseTimeline timeline(rank.clock(), nullptr, &work.inner);
          const auto control = Communicator(nccl.nccl).host();
          RunRecorder recorder(control, me == Rank(0) ? &writer : nullptr, rank.clock());
          const auto zero = control.barrier().all_arrived.time_since_epoch();
          rank.clock().advance(rank.clock().origin_s() - Seconds(zero).count());
          for (int step = 0; step < 2; ++step) {
            StepLoop(work, rank.reduction(), timeline).run({StepIndex(step), {}, 0.1});
            recorder.add_step(rank.reduction().bucket_marks());
          }
          recorder.resolve_buckets();
          recorder.flush(timeline.take_finished(), {StepFacts(), StepFacts()});
          return "";
        });
    EXPECT_THAT(reports, Each(""));
    run_ = read_run_file(folder / "run.h5.part");
  }

  [[nodiscard]] StepRow step_of(std::int64_t rank) const { return run_.steps.row(rank, 1); }
  [[nodiscard]] std::vector<BucketRow> buckets_of(std::int64_t rank) const {
    std::vector<BucketRow> rows;
    for (const auto& row : run_.buckets)
      if (row.rank == rank && row.step == 1) rows.push_back(row);
    return rows;
  }

 private:
  const test::VirtualTime time_;
  RunRecord run_;
};

constexpr double near_s = 1e-6;  ///< events are told in float32 of milliseconds

TEST_F(StepOnStreams, WithNothingPlantedNobodyWaitsAndNothingIsExposed) {
  record({Reduction::flat_after_backward}, {});
  for (const auto rank : {0, 1}) {
    EXPECT_NEAR(step_of(rank).forward_s, forward_time.count(), near_s);
    EXPECT_NEAR(step_of(rank).backward_s, 0.010, near_s);
    EXPECT_NEAR(step_of(rank).peer_wait_s, 0, near_s);
    EXPECT_NEAR(step_of(rank).exposed_transfer_s, 0, near_s);
  }
}

TEST_F(StepOnStreams, SlowCollectivesAreTransferAndNoBackwardPass) {
  record({Reduction::flat_after_backward}, {.collective_s = {0.020, 0.020}});
  for (const auto rank : {0, 1}) {
    EXPECT_NEAR(step_of(rank).exposed_transfer_s, 0.020, near_s);
    EXPECT_NEAR(step_of(rank).backward_s, 0.010, near_s);
    EXPECT_NEAR(step_of(rank).peer_wait_s, 0, near_s);
  }
}

TEST_F(StepOnStreams, SlowComputingIsBackwardPassAndNoTransfer) {
  record({Reduction::flat_after_backward}, {.gradient_s = {0.006, 0.006}});
  for (const auto rank : {0, 1}) {
    EXPECT_NEAR(step_of(rank).backward_s, 0.030, near_s);
    EXPECT_NEAR(step_of(rank).exposed_transfer_s, 0, near_s);
  }
}

TEST_F(StepOnStreams, ALateRankIsWaitedForByTheOther) {
  record({Reduction::flat_after_backward}, {.gradient_s = {0.002, 0.006}});
  EXPECT_NEAR(step_of(0).peer_wait_s, 0.020, near_s);
  EXPECT_NEAR(step_of(0).exposed_transfer_s, 0, near_s);
  EXPECT_NEAR(step_of(1).peer_wait_s, 0, near_s);
  const auto bucket = buckets_of(0).at(0);
  EXPECT_NEAR(bucket.all_arrived_s - bucket.entered_s, 0.020, near_s);
  EXPECT_NEAR(bucket.left_s - bucket.all_arrived_s, 0, near_s);
}

/// The slow link of one GPU holds up both, and looks from the other like a rank that comes late.
TEST_F(StepOnStreams, OneSlowLinkIsTransferOfBoth) {
  record({Reduction::flat_after_backward}, {.collective_s = {0, 0.020}});
  for (const auto rank : {0, 1}) {
    EXPECT_NEAR(step_of(rank).exposed_transfer_s, 0.020, near_s);
    EXPECT_NEAR(step_of(rank).peer_wait_s, 0, near_s);
  }
}

/// Three buckets of 5 ms each, ready after 2, 6 and 10 ms: the last ones begin after 7 and 12 ms.
TEST_F(StepOnStreams, WhatOverlapsTheBackwardPassIsHidden) {
  record({Reduction::bucketed_overlap}, {.collective_s = {0.005, 0.005}});
  for (const auto rank : {0, 1}) {
    EXPECT_NEAR(step_of(rank).backward_s, 0.010, near_s);
    EXPECT_NEAR(step_of(rank).exposed_transfer_s, 0.007, near_s);
    const auto buckets = buckets_of(rank);
    ASSERT_EQ(buckets.size(), 3U);
    for (const auto& bucket : buckets) EXPECT_NEAR(bucket.left_s - bucket.entered_s, 0.005, near_s);
    EXPECT_NEAR(buckets[2].entered_s - buckets[2].ready_s, 0.002, near_s);
  }
}

TEST_F(StepOnStreams, ParametersThatComeFromOthersAreTakenOutOfTheUpdate) {
  record({Reduction::sharded_optimizer}, {.collective_s = {0.005, 0.005}});
  for (const auto rank : {0, 1}) {
    EXPECT_NEAR(step_of(rank).phase_transfer_s, 0.005, near_s);
    EXPECT_NEAR(step_of(rank).phase_wait_s, 0, near_s);
    EXPECT_NEAR(step_of(rank).optimizer_s, 0, near_s);
    EXPECT_NEAR(step_of(rank).exposed_transfer_s, 0.010, near_s);
  }
}

}  // namespace
}  // namespace scalestudy
