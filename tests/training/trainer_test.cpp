#include "training/trainer.hpp"

#include <cmath>
#include <iostream>
#include <numeric>
#include <thread>

#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"

#include "training/batch_norm.hpp"
#include "training/replicas.hpp"

#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// One linear layer that learns y = 0, with a loss that can be spoilt at a step.
class LineTask final : public TrainingTask {
 public:
  torch::nn::Module& model() override { return *layer_; }
  void make_batch(const Shard& shard, HostBatch& batch) const override {
    batch.arrays.resize(1);
    batch.arrays[0].resize({shard.count, 3});
    batch.loss_weight = static_cast<double>(shard.count);
  }
  void set_batch(const std::vector<torch::Tensor>& arrays) override {
    counts.push_back(arrays[0].size(0));
  }
  torch::Tensor loss_sum() override {
    casts.push_back(at::autocast::is_autocast_enabled(c10::kCPU));
    if (static_cast<std::int64_t>(counts.size()) == broken_call) layer_->forward(torch::ones({2}));
    const auto loss = layer_->forward(torch::ones({counts.back(), 3})).square().sum();
    return static_cast<std::int64_t>(counts.size()) == spoilt_call ? loss * std::nan("") : loss;
  }
  Evaluation evaluate(const Communicator&, const HeartbeatCallback& heartbeat) override {
    heartbeat();
    std::this_thread::sleep_for(evaluation_time);
    return {.loss = validation_loss / static_cast<double>(++evaluations),
            .evaluation_set_hash = "hash"};
  }
  Evaluation final_evaluation(const Communicator&,
                              const HeartbeatCallback&,
                              FinalResults&) override {
    return {.loss = 1, .evaluation_set_hash = "hash"};
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override { return {}; }

  std::vector<std::int64_t>
      counts;  ///< samples per batch; the first one is the trainer's look at the ready order
  std::vector<bool> casts;  ///< whether precision was reduced in a forward pass
  std::int64_t spoilt_call = -1;
  std::int64_t broken_call = -1;  ///< LibTorch refuses its shapes
  int evaluations = 0;
  Seconds evaluation_time{0};
  double validation_loss = 1;

 private:
  torch::nn::Linear layer_{3, 1};
};

class TrainerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / cat("scalestudy-trainer-", ::getpid());
    fs::create_directories(folder_);
    spec_.reduction = Reduction::bucketed_overlap;
    spec_.input = InputKind::sharded;
    spec_.settings.evaluation_threads = 1;
    spec_.plan.epochs = 2;
    spec_.plan.steps_per_epoch = 3;
    spec_.plan.learning_rate = 1e-2;
    set_batches({4});
  }
  void TearDown() override { fs::remove_all(folder_); }

  void set_batches(const std::vector<std::int64_t>& sizes) {
    spec_.ranks = static_cast<std::int64_t>(sizes.size());
    spec_.plan.local_batch_sizes = sizes;
    spec_.plan.global_batch_size = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    spec_.plan.samples_per_epoch = spec_.plan.steps_per_epoch * spec_.plan.global_batch_size;
    spec_.plan.epoch_stride_samples = spec_.plan.samples_per_epoch;
  }

  TrainingOutcome run(TrainingTask& task, const Communicator& comm, RunFileWriter* writer) {
    Heartbeat heartbeat(heartbeat_file(folder_, comm.rank().value()));
    HostClock clock;
    RankServices services{
        spec_, make_rank_communicators(comm, spec_), clock, writer, heartbeat, log_, folder_};
    return train(services, c10::Device(c10::kCPU), task);
  }

  RunRecord run_on_one_rank(LineTask& task, TrainingOutcome& outcome) {
    const auto file = folder_ / "run.h5.part";
    {
      RunFileWriter writer(file, RunHeader{.run_id = "test"}, 1);
      writer.write_settings("{}", "{}", "{}");
      writer.write_environment("{}");
      outcome = run(task, make_thread_ranks(WorldSize(1), Seconds(30)).front(), &writer);
      writer.flush();
    }
    return read_run_file(file);
  }

  fs::path folder_;
  RunSpec spec_;
  Log log_{std::cerr, Verbosity::quiet};
};

TEST_F(TrainerTest, RecordsEveryStepAndEpochAndSavesWeights) {
  LineTask task;
  TrainingOutcome outcome;
  const auto record = run_on_one_rank(task, outcome);
  EXPECT_FALSE(outcome.diverged);
  EXPECT_EQ(record.steps.steps(), 6);
  ASSERT_EQ(record.epochs.size(), 2U);
  EXPECT_EQ(record.evaluations.size(), 3U);  // one per epoch and the final one
  EXPECT_EQ(record.epochs[0].samples_seen, 12);
  EXPECT_EQ(record.epochs[1].samples_seen, 24);
  EXPECT_LT(record.steps.global_loss().back(), record.steps.global_loss().front());
  EXPECT_TRUE(fs::exists(folder_ / "weights_best.pt"));
  EXPECT_TRUE(fs::exists(folder_ / "weights_last.pt"));
}

/// Each value is told from those of the same type beside it.
TEST_F(TrainerTest, EveryValueOfAnEpochStandsInItsOwnColumn) {
  LineTask task;
  task.evaluation_time = Seconds(0.02);
  spec_.settings.schedule.name = ScheduleKind::constant;
  TrainingOutcome outcome;
  const auto record = run_on_one_rank(task, outcome);
  ASSERT_EQ(record.epochs.size(), 2U);
  const auto losses = record.steps.global_loss();
  double end_s = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& epoch = record.epochs[i];
    EXPECT_GE(epoch.evaluation_s, 0.02);
    for (const double other_s : {epoch.epoch_s, epoch.checkpoint_s, epoch.replica_check_s})
      EXPECT_GT(other_s, 0);
    double step_sum_s = 0;
    for (std::int64_t step = 0; step < 3; ++step)
      step_sum_s += record.steps.row(0, 3 * static_cast<std::int64_t>(i) + step).step_s;
    EXPECT_GE(epoch.epoch_s, step_sum_s);
    EXPECT_NEAR(epoch.training_loss, (losses[3 * i] + losses[3 * i + 1] + losses[3 * i + 2]) / 3,
                1e-9);
    EXPECT_EQ(epoch.validation_loss, 1.0 / static_cast<double>(i + 1));
    EXPECT_EQ(epoch.learning_rate, spec_.plan.learning_rate);
    EXPECT_GE(epoch.end_s, end_s + epoch.epoch_s + epoch.evaluation_s + epoch.checkpoint_s +
                               epoch.replica_check_s);
    end_s = epoch.end_s;
  }
}

TEST_F(TrainerTest, AValidationLossThatIsNoNumberIsAnEvent) {
  LineTask task;
  task.validation_loss = std::nan("");
  TrainingOutcome outcome;
  const auto record = run_on_one_rank(task, outcome);
  ASSERT_EQ(record.events.size(), 2U);
  EXPECT_EQ(record.events[1].code, "nonfinite_validation_loss");
  EXPECT_THAT(record.events[1].message, testing::HasSubstr("epoch 1"));
  EXPECT_EQ(record.events[1].rank, 0);
  EXPECT_EQ(record.events[1].step, -1);
  EXPECT_GT(record.events[1].time_s, record.events[0].time_s);
}

TEST_F(TrainerTest, EvaluationsAreRecordedWithTheirEpochs) {
  LineTask task;
  TrainingOutcome outcome;
  const auto record = run_on_one_rank(task, outcome);
  ASSERT_EQ(record.evaluations.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(record.evaluations[i].epoch, std::vector<std::int64_t>({0, 1, 1})[i]);
    EXPECT_EQ(record.evaluations[i].evaluation_set, "validation");
    EXPECT_EQ(record.evaluations[i].evaluation_set_hash, "hash");
  }
}

TEST_F(TrainerTest, ANonFiniteLossEndsTrainingAndSaysWhere) {
  LineTask task;
  task.spoilt_call = 6;  // the fifth step: epoch 1
  TrainingOutcome outcome;
  const auto record = run_on_one_rank(task, outcome);
  EXPECT_TRUE(outcome.diverged);
  EXPECT_THAT(outcome.reason, testing::HasSubstr("epoch 1"));
  EXPECT_EQ(record.epochs.size(), 1U);
  EXPECT_GE(record.steps.steps(), 5);  // the spoilt step is kept
}

TEST_F(TrainerTest, WhatLibTorchThrowsInAStepIsToldInOurWords) {
  LineTask task;
  task.broken_call = 3;
  const auto comm = make_thread_ranks(WorldSize(1), Seconds(30)).front();
  EXPECT_THROW(static_cast<void>(run(task, comm, nullptr)), InternalError);
  const auto heartbeat = read_heartbeat(heartbeat_file(folder_, 0));
  ASSERT_TRUE(heartbeat.has_value());
  EXPECT_THAT(heartbeat->error, testing::StartsWith("LibTorch failed: "));
  EXPECT_THAT(heartbeat->error, testing::Not(testing::HasSubstr("Exception raised from")));
}

/// The trainer's look at the ready order too: another precision may have another graph.
TEST_F(TrainerTest, EveryPassHasThePrecisionOfTheRun) {
  for (const auto precision : {Precision::fp32, Precision::bf16}) {
    spec_.settings.precision = precision;
    LineTask task;
    const auto comm = make_thread_ranks(WorldSize(1), Seconds(30)).front();
    static_cast<void>(run(task, comm, nullptr));
    EXPECT_THAT(task.casts,
                testing::ElementsAreArray(std::vector<bool>(1 + 6, precision == Precision::bf16)));
  }
}

TEST_F(TrainerTest, WarmUpRampsTheRateInSamples) {
  spec_.settings.schedule.name = ScheduleKind::constant;
  spec_.settings.optimizer.base_learning_rate = 1e-3;
  spec_.plan.learning_rate = 5e-3;
  spec_.plan.warmup_samples = 8;  // two steps of four
  LineTask task;
  TrainingOutcome outcome;
  const auto record = run_on_one_rank(task, outcome);
  EXPECT_THAT(record.steps.values(&StepRow::learning_rate),
              testing::ElementsAre(1e-3, 3e-3, 5e-3, 5e-3, 5e-3, 5e-3));
}

TEST_F(TrainerTest, ARankWithoutSamplesTakesPartInEveryCollective) {
  set_batches({2, 1, 0});
  const auto comms = make_thread_ranks(WorldSize(3), Seconds(30));
  std::vector<LineTask> tasks(3);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 3; ++rank)
    ranks.emplace_back(
        [&, rank] { EXPECT_NO_THROW((void)run(tasks[rank], comms[rank], nullptr)); });
  for (auto& rank : ranks) rank.join();
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(tasks[2].model().parameters()[i].equal(tasks[0].model().parameters()[i]));
}

TEST_F(TrainerTest, ReplicasThatDifferAreNamed) {
  const auto comms = make_thread_ranks(WorldSize(2), Seconds(30));
  std::vector<std::string> messages(2);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 2; ++rank)
    ranks.emplace_back([&, rank] {
      torch::nn::Linear layer(2, 2);
      const torch::NoGradGuard no_grad;
      for (auto& parameter : layer->parameters()) parameter.fill_(static_cast<double>(rank));
      FlatParameters flat(layer->parameters(), {0, 1});
      try {
        expect_equal_replicas(comms[rank], flat);
      } catch (const RunFailed& error) {
        messages[rank] = error.what();
      }
    });
  for (auto& rank : ranks) rank.join();
  for (const auto& message : messages) EXPECT_THAT(message, testing::HasSubstr("rank(s) 1 differ"));
}

TEST_F(TrainerTest, BatchNormStatisticsAreAveragedByTheRanksSamples) {
  const auto comms = make_thread_ranks(WorldSize(3), Seconds(30));
  std::vector<double> means(3);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 3; ++rank)
    ranks.emplace_back([&, rank] {
      torch::nn::BatchNorm1d norm(1);
      norm->running_mean.fill_(static_cast<double>(rank) * 2);
      const std::int64_t sample_counts[] = {48, 16, 0};
      average_batch_norm_statistics(comms[rank], *norm, sample_counts[rank]);
      means[rank] = norm->running_mean.item<double>();
    });
  for (auto& rank : ranks) rank.join();
  EXPECT_THAT(means, testing::Each(0.5));  // (48 · 0 + 16 · 2 + 0 · 4) / 64
}

}  // namespace
}  // namespace scalestudy
