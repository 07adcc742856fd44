#include "training/gradient_norms.hpp"

#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <optional>

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "training/trainer.hpp"

#include "tests/support/temporary_folder.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t features = 3;

/// Of a sample: the gradient of its loss, whatever the weights are.
std::array<double, features> features_of(std::int64_t sample) {
  const auto x = static_cast<double>(sample);
  return {1 + x / 8, 2 - x / 4, x * x / 64};
}

double square_norm_of_mean(const Shard& shard) {
  std::array<double, features> sum{};
  for (auto sample = shard.first; sample < shard.first + shard.count; ++sample) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += features_of(sample)[i];
  }
  double norm = 0;
  for (const double value : sum) norm += std::pow(value / static_cast<double>(shard.count), 2);
  return norm;
}

/// Its loss is linear in the weights.
class LinearTask final : public TrainingTask {
 public:
  torch::nn::Module& model() override { return *layer_; }
  void make_batch(const Shard& shard, HostBatch& batch) const override {
    batch.sample_count = shard.count;
    batch.loss_weight = static_cast<double>(shard.count);
    batch.arrays.resize(1);
    batch.arrays[0].resize({shard.count, features});
    auto* value = batch.arrays[0].values.data();
    for (auto sample = shard.first; sample < shard.first + shard.count; ++sample) {
      for (const double x : features_of(sample)) *value++ = static_cast<float>(x);
    }
  }
  void set_batch(const std::vector<torch::Tensor>& arrays) override { input_ = arrays[0].clone(); }
  torch::Tensor loss_sum() override { return layer_->forward(input_).sum(); }
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
  torch::nn::Linear layer_{torch::nn::LinearOptions(features, 1).bias(false)};
  torch::Tensor input_;
};

RunSpec spec_of(std::int64_t ranks, Reduction reduction) {
  RunSpec spec;
  spec.ranks = ranks;
  spec.reduction = reduction;
  spec.input = InputKind::sharded;
  spec.settings.evaluation_threads = 1;
  spec.settings.memory_format = MemoryFormat::contiguous;
  spec.plan.epochs = 1;
  spec.plan.steps_per_epoch = 14;
  spec.plan.learning_rate = 1e-3;
  spec.plan.global_batch_size = 5;  // not the same on each of two ranks
  spec.plan.samples_per_epoch = spec.plan.steps_per_epoch * spec.plan.global_batch_size;
  spec.plan.epoch_stride_samples = spec.plan.samples_per_epoch;
  return spec;
}

RunRecord trained(const RunSpec& spec) {
  const TemporaryFolder folder;
  const auto file = folder / "run.h5.part";
  on_ranks(spec.ranks, [&](const Communicator& comm) {
    std::optional<RunFileWriter> writer;
    if (comm.is_root()) {
      writer.emplace(file, RunHeader{.run_id = "test"}, spec.ranks);
      writer->write_settings("{}", "{}", "{}");
      writer->write_environment("{}");
    }
    Heartbeat heartbeat(heartbeat_file(folder.path(), comm.rank().value()));
    Log log(std::cerr, Verbosity::quiet);
    HostClock clock;
    RankServices services{spec,         make_rank_communicators(comm, spec),
                          clock,        writer ? &*writer : nullptr,
                          heartbeat,    log,
                          folder.path()};
    LinearTask task;
    static_cast<void>(train(services, c10::Device(c10::kCPU), task));
    if (writer) writer->flush();
  });
  return read_run_file(file);
}

void expect_norms(const RunSpec& spec) {
  const auto run = trained(spec);
  ASSERT_EQ(run.steps.steps(), spec.plan.steps_per_epoch);
  const auto layout = epoch_layout(spec.plan);
  for (std::int64_t step = 0; step < run.steps.steps(); ++step) {
    const auto all = shard_of(Rank(0), WorldSize(1), StepIndex(step), layout);
    for (std::int64_t rank = 0; rank < spec.ranks; ++rank) {
      const auto own = shard_of(Rank(rank), WorldSize(spec.ranks), StepIndex(step), layout);
      const auto used = spec.reduction == Reduction::none ? own : all;
      const double local = run.steps.at(&StepRow::local_gradient_square_norm, rank, step);
      const double global = run.steps.at(&StepRow::global_gradient_square_norm, rank, step);
      if (step % GradientNorms::every_steps != 0) {
        EXPECT_TRUE(std::isnan(local) && std::isnan(global)) << step;
        continue;
      }
      EXPECT_NEAR(local / square_norm_of_mean(own), 1, 1e-5) << rank << " in step " << step;
      EXPECT_NEAR(global / square_norm_of_mean(used), 1, 1e-5) << rank << " in step " << step;
    }
  }
}

TEST(GradientNorms, AreThoseOfOwnSamplesAndOfAll) {
  for (const auto reduction : {Reduction::bucketed_overlap, Reduction::flat_after_backward,
                               Reduction::packs, Reduction::fusion}) {
    expect_norms(spec_of(1, reduction));
    expect_norms(spec_of(2, reduction));
    expect_norms(spec_of(3, reduction));
  }
}

TEST(GradientNorms, WithoutCommunicationEachUpdatesWithItsOwn) {
  expect_norms(spec_of(2, Reduction::none));
}

torch::Tensor one(double value) {
  return torch::full({1}, value);
}

TEST(GradientNorms, LossScaleIsTakenOut) {
  GradientNorms norms;
  norms.begin_step(StepIndex(0));
  norms.add_local(torch::full({4}, 8.0));
  norms.add_local(torch::full({5}, 8.0));
  norms.finish_step(torch::full({9}, 24.0), 2, one(6), one(4));
  const auto found = norms.take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].local, 9);
  EXPECT_EQ(found[0].global, 9);
  EXPECT_TRUE(norms.take().empty());
}

TEST(GradientNorms, ManyNumbersAreSummedAsWellAsFew) {
  torch::manual_seed(1);
  const auto gradients = torch::randn({20'000'000});
  GradientNorms norms;
  norms.begin_step(StepIndex(0));
  for (const auto& part : gradients.split(3'000'001)) norms.add_local(part);
  norms.finish_step(gradients, 1, torch::ones({1}), torch::ones({1}));
  const auto found = norms.take().front();
  const double expected = gradients.to(torch::kFloat64).square().sum().item<double>();
  EXPECT_NEAR(found.local / expected, 1, 2e-6);
  EXPECT_NEAR(found.global / expected, 1, 2e-6);
}

TEST(GradientNorms, WhatOverflowedIsNotRecorded) {
  GradientNorms norms;
  norms.begin_step(StepIndex(0));
  norms.add_local(one(1));
  norms.finish_step(one(std::numeric_limits<double>::infinity()), 1, one(2), one(1));
  const auto found = norms.take().front();
  EXPECT_EQ(found.local, 1);
  EXPECT_TRUE(std::isnan(found.global));
}

}  // namespace
}  // namespace scalestudy
