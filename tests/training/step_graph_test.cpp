/// Training with a device graph against training without, and when a graph is recorded.

#include "training/step_graph.hpp"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "data/random.hpp"

#include "tests/support/one_rank_training.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using testing::Each;
using testing::Eq;
using testing::Gt;

/// Records as a device does: the work is seen once, and a replay is known to the device only.
class Recorder final : public DeviceGraph {
 public:
  void record(const std::function<void()>& work) override {
    ++records;
    work();
  }
  void replay() override { ++replays; }
  int records = 0, replays = 0;
};

struct Recording {
  Recorder* graph = nullptr;
  std::unique_ptr<StepGraph> steps;
};

Recording make_recording() {
  Recording made;
  auto graph = std::make_unique<Recorder>();
  made.graph = graph.get();
  made.steps = std::make_unique<StepGraph>(std::move(graph),
                                           [](const auto& arrays) { return arrays[0].sum(); });
  return made;
}

StepGraph::Arrays batch(std::int64_t samples) {
  return {torch::ones({samples, 2})};
}

TEST(StepGraph, IsRecordedOnceAfterThreeBatchesOfOneShape) {
  const auto made = make_recording();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(made.steps->take(batch(4)));
  EXPECT_EQ(made.graph->records, 0);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(made.steps->take(batch(4)));
    EXPECT_EQ(made.steps->run().item<float>(), 8);
  }
  EXPECT_EQ(made.graph->records, 1);
  EXPECT_EQ(made.graph->replays, 5);
}

TEST(StepGraph, BatchesOfAnotherShapeAreNotTaken) {
  const auto made = make_recording();
  for (int pass = 0; pass < 3; ++pass) {
    EXPECT_FALSE(made.steps->take(batch(4)));
    EXPECT_FALSE(made.steps->take(batch(2)));
  }
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_TRUE(made.steps->take(batch(4)));
    EXPECT_FALSE(made.steps->take(batch(2)));
  }
}

/// The recorded work reads the same memory for ever: each batch is brought there.
TEST(StepGraph, EachBatchIsBroughtToWhereTheRecordedWorkReads) {
  torch::Tensor read;
  StepGraph steps(std::make_unique<Recorder>(), [&](const auto& arrays) {
    read = arrays[0];
    return arrays[0].sum();
  });
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(steps.take(batch(4)));
  ASSERT_TRUE(steps.take(batch(4)));
  static_cast<void>(steps.run());
  const auto* const place = read.const_data_ptr();
  ASSERT_TRUE(steps.take({torch::full({4, 2}, 3)}));
  EXPECT_EQ(read.const_data_ptr(), place);
  EXPECT_EQ(read.sum().item<float>(), 24);
}

/// A regression whose samples follow from their position.
class SlopeTask final : public TrainingTask {
 public:
  SlopeTask() {
    const torch::NoGradGuard no_grad;
    layer_->weight.fill_(0.5);
    layer_->bias.fill_(0.1);
  }
  torch::nn::Module& model() override { return *layer_; }
  void make_batch(const Shard& shard, HostBatch& batch) const override {
    batch.arrays.resize(1);
    batch.arrays[0].resize({shard.count, 3});
    Random random(5, static_cast<std::uint64_t>(shard.first));
    for (auto& value : batch.arrays[0].values) value = static_cast<float>(random.normal());
    batch.loss_weight = static_cast<double>(shard.count);
  }
  void set_batch(const std::vector<torch::Tensor>& arrays) override { batch_ = arrays[0]; }
  torch::Tensor loss_sum() override {
    return (layer_->forward(batch_) - batch_.sum(1, /*keepdim=*/true)).square().sum();
  }
  Evaluation evaluate(const Communicator&, const HeartbeatCallback&) override {
    return {.loss = 1, .evaluation_set_hash = "hash"};
  }
  Evaluation final_evaluation(const Communicator&,
                              const HeartbeatCallback&,
                              FinalResults&) override {
    return {.loss = 1, .evaluation_set_hash = "hash"};
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override { return {}; }

 private:
  torch::nn::Linear layer_{3, 1};
  torch::Tensor batch_;
};

struct Trained {
  std::vector<double> weights;
  RunRecord record;
};

/// Two epochs of 18 samples in batches of 4: the last batch of each has 2.
RunSpec spec_with(Reduction reduction, bool cuda_graph) {
  RunSpec spec;
  spec.ranks = 1;
  spec.reduction = reduction;
  spec.settings.cuda_graph = cuda_graph;
  spec.settings.evaluation_threads = 1;
  spec.plan.epochs = 2;
  spec.plan.steps_per_epoch = 5;
  spec.plan.learning_rate = 1e-2;
  spec.plan.local_batch_sizes = {4};
  spec.plan.global_batch_size = 4;
  spec.plan.samples_per_epoch = 18;
  spec.plan.epoch_stride_samples = 18;
  return spec;
}

Trained train_slope(const RunSpec& spec) {
  const TemporaryFolder folder;
  SlopeTask task;
  Trained trained;
  trained.record = train_on_one_rank(spec, c10::Device(c10::kCPU), task, folder.path());
  for (const auto& parameter : task.model().parameters()) {
    const auto values = parameter.detach().to(torch::kFloat64).flatten();
    trained.weights.insert(trained.weights.end(), values.const_data_ptr<double>(),
                           values.const_data_ptr<double>() + values.numel());
  }
  return trained;
}

class StepGraphTraining : public ::testing::TestWithParam<Reduction> {};

TEST_P(StepGraphTraining, GivesTheSameWeightsAndLossesBitForBit) {
  const auto plain = train_slope(spec_with(GetParam(), false));
  const auto graph = train_slope(spec_with(GetParam(), true));
  EXPECT_EQ(graph.weights, plain.weights);
  EXPECT_EQ(graph.record.steps.global_loss(), plain.record.steps.global_loss());
}

TEST_P(StepGraphTraining, WhatIsReplayedIsOnePhase) {
  const auto steps = train_slope(spec_with(GetParam(), true)).record.steps;
  ASSERT_EQ(steps.steps(), 10);
  for (std::int64_t step = 0; step < 10; ++step) {
    const auto row = steps.row(0, step);
    const bool is_replayed = step == 3 || (step > 4 && step < 9);  // 4 and 9 have two samples
    EXPECT_EQ(row.device_step_s > 0, is_replayed) << step;
    EXPECT_EQ(row.forward_s > 0, !is_replayed) << step;
    EXPECT_EQ(row.backward_s > 0, !is_replayed) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         StepGraphTraining,
                         ::testing::Values(Reduction::bucketed_overlap,
                                           Reduction::flat_after_backward,
                                           Reduction::packs,
                                           Reduction::fusion,
                                           Reduction::none),
                         [](const auto& reduction) {
                           return std::string(to_string(reduction.param));
                         });

TEST(DeviceGraph, WithoutCudasPartThereIsNoneForGpus) {
  if (find_cuda_devices().problem.empty()) GTEST_SKIP() << "LibTorch has its CUDA part here";
  EXPECT_NE(problem_with_cuda_graphs(), "");
}

}  // namespace
}  // namespace scalestudy
