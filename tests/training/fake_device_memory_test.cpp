/// What is said of a device's memory, and what happens when there is too little of it.

#include <iostream>
#include <regex>

#include <ATen/ops/empty.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>

#include "core/error.hpp"

#include "comm/rendezvous.hpp"

#include "training/device.hpp"
#include "training/memory_advice.hpp"
#include "training/trainer.hpp"

#include "tests/support/fake_device.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/one_rank_training.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using test::fake_device;
using test::MemoryLimitScope;
using testing::HasSubstr;

constexpr std::int64_t kibibyte = 1024;
constexpr std::int64_t mebibyte = 1024 * kibibyte;

TEST(FakeDeviceMemory, NowAndAtMostAreTold) {
  const auto before = device_memory_use(fake_device()).current_bytes;
  c10::getDeviceAllocator(fake_device().type())->resetPeakStats(0);
  {
    const auto large = at::empty({256 * kibibyte}, fake_device());  // float32
    EXPECT_EQ(device_memory_use(fake_device()).current_bytes, before + mebibyte);
  }
  EXPECT_EQ(device_memory_use(fake_device()).current_bytes, before);
  EXPECT_EQ(device_memory_use(fake_device()).peak_bytes, before + mebibyte);
}

/// Layers of one size that learn y = 0.
class LayersTask final : public TrainingTask {
 public:
  LayersTask(std::int64_t layers, std::int64_t width) : width_(width) {
    for (std::int64_t i = 0; i < layers; ++i)
      layers_->push_back(torch::nn::Linear(torch::nn::LinearOptions(width, width).bias(false)));
    layers_->to(fake_device());
  }

  torch::nn::Module& model() override { return *layers_; }
  void make_batch(const Shard& shard, HostBatch& batch) const override {
    batch.arrays.resize(1);
    batch.arrays[0].resize({shard.count, width_});
    std::fill(batch.arrays[0].values.begin(), batch.arrays[0].values.end(), 1.0F);
    batch.loss_weight = static_cast<double>(shard.count);
  }
  void set_batch(const std::vector<torch::Tensor>& arrays) override { input_ = arrays[0].clone(); }
  torch::Tensor loss_sum() override {
    auto output = input_;
    for (const auto& layer : *layers_) output = layer->as<torch::nn::Linear>()->forward(output);
    return output.square().sum();
  }
  Evaluation evaluate(const Communicator&, const HeartbeatCallback&) override {
    return {.loss = 1, .evaluation_set_hash = "hash"};
  }
  Evaluation final_evaluation(const Communicator& comm,
                              const HeartbeatCallback& heartbeat,
                              FinalResults&) override {
    return evaluate(comm, heartbeat);
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override { return {}; }

 private:
  std::int64_t width_;
  torch::nn::ModuleList layers_;
  torch::Tensor input_;
};

RunSpec spec_of_batch(std::int64_t samples) {
  RunSpec spec;
  spec.communicator = CommunicatorKind::local;
  spec.reduction = Reduction::bucketed_overlap;
  spec.input = InputKind::sharded;
  spec.settings.evaluation_threads = 1;
  spec.plan.local_batch_sizes = {samples};
  spec.plan.global_batch_size = samples;
  spec.plan.learning_rate = 1e-3;
  spec.plan.epochs = 1;
  spec.plan.steps_per_epoch = 3;
  spec.plan.samples_per_epoch = spec.plan.epoch_stride_samples = 3 * samples;
  return spec;
}

void train_layers(std::int64_t layers, std::int64_t width, std::int64_t samples) {
  const TemporaryFolder folder;
  LayersTask task(layers, width);
  static_cast<void>(train_on_one_rank(spec_of_batch(samples), fake_device(), task, folder.path()));
}

/// What is advised when `samples` do not fit, 0 when not even one fits.
std::int64_t advised_batch(std::int64_t layers, std::int64_t width, std::int64_t samples) {
  const auto message =
      message_of<RunFailed>([&] { return train_layers(layers, width, samples), 0; });
  EXPECT_THAT(message, HasSubstr(cat("hpu:0 does not suffice for a batch of ", samples)));
  std::smatch found;
  if (std::regex_search(message, found, std::regex("local_batch_size=([0-9]+), which should fit")))
    return std::stoll(found[1]);
  EXPECT_THAT(message, HasSubstr("not one of these fits"));
  return 0;
}

void expect_good_advice(std::int64_t layers, std::int64_t width, std::int64_t samples) {
  const auto advised = advised_batch(layers, width, samples);
  ASSERT_GT(advised, 0);
  ASSERT_LT(advised, samples);
  EXPECT_NO_THROW(train_layers(layers, width, advised)) << advised;
  EXPECT_THROW(train_layers(layers, width, advised + advised / 4), RunFailed) << advised;
}

TEST(FakeDeviceMemory, WhenItRunsOutABatchThatFitsIsNamed) {
  const MemoryLimitScope limit(16 * mebibyte);
  expect_good_advice(/*layers=*/1, /*width=*/128, /*samples=*/100'000);
}

TEST(FakeDeviceMemory, GradientsAreNoPartOfWhatASampleTakes) {
  const MemoryLimitScope limit(64 * mebibyte);
  expect_good_advice(/*layers=*/16, /*width=*/128, /*samples=*/100'000);
}

TEST(FakeDeviceMemory, WhenNotOneSampleFitsItIsSaid) {
  const MemoryLimitScope limit(256 * kibibyte);
  EXPECT_EQ(advised_batch(/*layers=*/2, /*width=*/128, /*samples=*/100), 0);
}

/// Whatever the passes that were tried say of it.
TEST(FakeDeviceMemory, ABatchThatDidNotFitIsNotNamed) {
  LayersTask task(/*layers=*/1, /*width=*/128);
  const auto run_out = [] { TORCH_CHECK_WITH(OutOfMemoryError, false, "a test asked for it"); };
  const auto message = message_of<RunFailed>([&] {
    with_memory_advice(spec_of_batch(5), fake_device(), task, run_out);
    return 0;
  });
  EXPECT_THAT(message, HasSubstr("--set settings.local_batch_size=4, which should fit"));
}

/// In the first pass, when the optimiser is made, in a step, in autograd's own thread.
TEST(FakeDeviceMemory, WhereverItRunsOutItIsTheRunsFailureAndAllIsGivenBack) {
  constexpr std::int64_t layers = 4, width = 64, samples = 64;
  const auto before_bytes = device_memory_use(fake_device()).current_bytes;
  int failures = 0, successes = 0;
  for (std::int64_t limit = 80 * kibibyte; successes == 0; limit += 8 * kibibyte) {
    const MemoryLimitScope limited(static_cast<std::size_t>(limit));
    try {
      train_layers(layers, width, samples);
      ++successes;
    } catch (const RunFailed& error) {
      EXPECT_THAT(error.what(), HasSubstr("does not suffice for a batch of 64")) << limit;
      EXPECT_EQ(error.exit_code(), ExitCode::run_failed);
      ++failures;
    }
    EXPECT_EQ(device_memory_use(fake_device()).current_bytes, before_bytes) << limit;
  }
  EXPECT_GT(failures, 20);
}

}  // namespace
}  // namespace scalestudy
