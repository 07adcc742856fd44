/// Training that was stopped and goes on, against training that never was: bit for bit.

#include <iostream>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "core/error.hpp"

#include "comm/rendezvous.hpp"
#include "data/random.hpp"

#include "training/trainer.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t global_batch_size = 9;
constexpr std::int64_t steps_per_epoch = 3;
constexpr std::int64_t epochs = 5;

struct Regression final : torch::nn::Module {
  explicit Regression(double dropout_frac) : dropout(dropout_frac) {
    register_module("first", first);
    register_module("norm", norm);
    register_module("dropout", dropout);
    register_module("last", last);
    const torch::NoGradGuard no_grad;
    Random random(3);
    for (auto& parameter : parameters())
      for (std::int64_t i = 0; i < parameter.numel(); ++i)
        parameter.data_ptr<float>()[i] = static_cast<float>(0.3 * random.normal());
  }
  torch::Tensor forward(const torch::Tensor& x) {
    return last->forward(dropout->forward(torch::relu(norm->forward(first->forward(x)))));
  }
  torch::nn::Linear first{3, 6};
  torch::nn::BatchNorm1d norm{6};
  torch::nn::Dropout dropout;
  torch::nn::Linear last{6, 1};
};

struct Options {
  bool frozen_norm = false;  ///< then the number of ranks does not matter
  double dropout_frac = 0;
  std::int64_t stop_at_step = -1;  ///< the last rank fails there
  std::int64_t first_step = 0;     ///< of this attempt
};

/// Samples follow from their position alone.
class RegressionTask final : public TrainingTask {
 public:
  RegressionTask(const Options& options, Rank rank, WorldSize world)
      : options_(options),
        is_last_(rank.value() + 1 == world.value()),
        model_(std::make_shared<Regression>(options.dropout_frac)) {}

  torch::nn::Module& model() override { return *model_; }

  void make_batch(const Shard& shard, HostBatch& batch) const override {
    const auto values = inputs(shard.first, shard.count);
    batch.sample_count = shard.count;
    batch.loss_weight = static_cast<double>(shard.count);
    batch.arrays.resize(1);
    batch.arrays[0].resize({shard.count, 3});
    std::copy_n(values.data_ptr<float>(), values.numel(), batch.arrays[0].values.begin());
  }
  void set_batch(const std::vector<torch::Tensor>& arrays) override {
    // The first call looks at the order of gradients.
    const auto step = options_.first_step + calls_++ - 1;
    if (calls_ > 1 && is_last_ && step == options_.stop_at_step)
      throw RunFailed({"Stopped", "a test asked for it", "Look away"});
    input_ = arrays[0].clone();
  }
  torch::Tensor loss_sum() override {
    if (options_.frozen_norm) model_->norm->eval();
    return (model_->forward(input_) - input_.sum(1, true).sin()).square().sum();
  }

  Evaluation evaluate(const Communicator&, const HeartbeatCallback&) override {
    const auto x = inputs(1'000'000, 16);
    const auto loss = (model_->forward(x) - x.sum(1, true).sin()).square().mean();
    return {.loss = loss.item<double>(), .evaluation_set_hash = "hash"};
  }
  Evaluation final_evaluation(const Communicator& comm,
                              const HeartbeatCallback& heartbeat,
                              FinalResults&) override {
    return evaluate(comm, heartbeat);
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override { return {}; }

 private:
  static torch::Tensor inputs(std::int64_t first, std::int64_t count) {
    auto values = torch::empty({count, 3});
    for (std::int64_t sample = 0; sample < count; ++sample) {
      Random random(5, static_cast<std::uint64_t>(first + sample));
      for (std::int64_t i = 0; i < 3; ++i)
        values.data_ptr<float>()[3 * sample + i] = static_cast<float>(random.normal());
    }
    return values;
  }

  Options options_;
  bool is_last_;
  std::shared_ptr<Regression> model_;
  torch::Tensor input_;
  int calls_ = 0;
};

RunSpec spec_on(std::int64_t ranks) {
  RunSpec spec;
  spec.ranks = ranks;
  spec.reduction = Reduction::bucketed_overlap;
  spec.input = InputKind::sharded;
  spec.settings.evaluation_threads = 1;
  spec.settings.buckets = {32, 64};
  spec.settings.schedule.min_delta = 0.02;  // reduces after most epochs
  spec.plan.patience_epochs = 1;
  spec.plan.local_batch_sizes = even_split(global_batch_size, ranks);
  spec.plan.global_batch_size = global_batch_size;
  spec.plan.learning_rate = 2e-2;
  spec.plan.warmup_samples = 2 * global_batch_size;
  spec.plan.epochs = epochs;
  spec.plan.steps_per_epoch = steps_per_epoch;
  spec.plan.samples_per_epoch = steps_per_epoch * global_batch_size;
  spec.plan.epoch_stride_samples = spec.plan.samples_per_epoch;
  return spec;
}

class Resume : public ::testing::Test {
 protected:
  struct Weights {
    std::string last, best;
    bool operator==(const Weights&) const = default;
  };

  /// Trains in `folder`, from the checkpoint there if there is one; all ranks are threads.
  void train_in(const fs::path& folder, const RunSpec& spec, const Options& options) const {
    fs::create_directories(folder);
    torch::manual_seed(7);
    std::vector<std::thread> ranks;
    for (const auto& comm : make_thread_ranks(WorldSize(spec.ranks), Seconds(60)))
      ranks.emplace_back([&, comm] { run_rank(folder, spec, options, comm); });
    for (auto& rank : ranks) rank.join();
  }

  void train_in(const fs::path& folder, std::int64_t ranks, const Options& options) const {
    train_in(folder, spec_on(ranks), options);
  }

  fs::path folder(const std::string& name) const { return folder_.path() / name; }

  static Weights weights_in(const fs::path& folder) {
    return {content_of(folder / "weights_last.pt"), content_of(folder / "weights_best.pt")};
  }

  static void go_on_alone(const fs::path& folder, const Checkpoint& checkpoint) {
    const auto spec = spec_on(1);
    RegressionTask task({}, Rank(0), WorldSize(1));
    Heartbeat heartbeat(heartbeat_file(folder, 0));
    Log log(std::cerr, Verbosity::quiet);
    HostClock clock;
    const auto comm = make_thread_ranks(WorldSize(1), Seconds(60)).front();
    RankServices services{
        spec, make_rank_communicators(comm, spec), clock, nullptr, heartbeat, log, folder};
    static_cast<void>(train(services, c10::Device(c10::kCPU), task, &checkpoint));
  }

  static NamedTensors last_weights_in(const fs::path& folder) {
    return read_state_dict(folder / "weights_last.pt");
  }

 private:
  static void run_rank(const fs::path& folder,
                       const RunSpec& spec,
                       const Options& options,
                       const Communicator& comm) {
    const auto checkpoint = read_checkpoint(comm, folder / checkpoint_file_name);
    auto own_options = options;
    if (checkpoint) own_options.first_step = checkpoint->progress.steps_done;
    RegressionTask task(own_options, comm.rank(), comm.world_size());
    Heartbeat heartbeat(heartbeat_file(folder, comm.rank().value()));
    Log log(std::cerr, Verbosity::quiet);
    HostClock clock;
    RankServices services{
        spec, make_rank_communicators(comm, spec), clock, nullptr, heartbeat, log, folder};
    try {
      static_cast<void>(
          train(services, c10::Device(c10::kCPU), task, checkpoint ? &*checkpoint : nullptr));
      EXPECT_LT(options.stop_at_step, 0);
    } catch (const RunFailed&) {
      EXPECT_GE(options.stop_at_step, 0);
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Resume, EqualsUninterruptedTrainingBitForBit) {
  for (const std::int64_t ranks : {1, 2, 3}) {
    const auto whole = folder(cat("whole-", ranks));
    train_in(whole, ranks, {});
    for (const std::int64_t stop_at_step : {1, 3, 7, 14}) {
      const auto parts = folder(cat("parts-", ranks, "-", stop_at_step));
      Options options;
      options.stop_at_step = stop_at_step;
      train_in(parts, ranks, options);
      EXPECT_FALSE(fs::exists(parts / "weights_last.pt"));
      EXPECT_EQ(fs::exists(parts / checkpoint_file_name), stop_at_step >= steps_per_epoch);
      train_in(parts, ranks, {});
      EXPECT_TRUE(weights_in(parts) == weights_in(whole))
          << ranks << " ranks, stopped at step " << stop_at_step;
    }
  }
}

/// Each rank has statistics of batch norm of its own then.
TEST_F(Resume, WithinAnEpochEqualsUninterruptedTrainingBitForBit) {
  for (const std::int64_t ranks : {1, 2, 3}) {
    const auto whole = folder(cat("whole-", ranks));
    train_in(whole, ranks, {});
    auto spec = spec_on(ranks);
    spec.settings.checkpoint = {.every_epochs = 0, .every_steps = 2};
    for (const std::int64_t stop_at_step : {2, 5, 9, 14}) {
      const auto parts = folder(cat("parts-", ranks, "-", stop_at_step));
      Options options;
      options.stop_at_step = stop_at_step;
      train_in(parts, spec, options);
      const auto checkpoint = read_checkpoint(parts / checkpoint_file_name);
      EXPECT_EQ(checkpoint.progress.steps_done, stop_at_step - stop_at_step % 2);
      EXPECT_FALSE(checkpoint.rank_state.empty());
      train_in(parts, spec, {});
      EXPECT_TRUE(weights_in(parts) == weights_in(whole))
          << ranks << " ranks, stopped at step " << stop_at_step;
    }
  }
}

TEST_F(Resume, EveryOptimiserGoesOnBitForBit) {
  for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::lars}) {
    auto spec = spec_on(2);
    spec.settings.optimizer.name = optimizer;
    spec.settings.optimizer.weight_decay = 1e-3;
    const auto whole = folder(cat("whole-", optimizer)), parts = folder(cat("parts-", optimizer));
    train_in(whole, spec, {});
    Options options;
    options.stop_at_step = 8;
    train_in(parts, spec, options);
    train_in(parts, spec, {});
    EXPECT_TRUE(weights_in(parts) == weights_in(whole)) << optimizer;
  }
}

/// Where no rank has the optimiser's whole state, or only one has any.
TEST_F(Resume, EveryUpdatingGoesOnBitForBitFromTheSameCheckpoint) {
  Options options;
  options.stop_at_step = 8;
  const auto moments = [&](const fs::path& folder) {
    return read_checkpoint(folder / checkpoint_file_name).moments;
  };
  train_in(folder("everywhere"), spec_on(3), options);
  const auto expected = moments(folder("everywhere"));
  ASSERT_EQ(expected.size(), 2U);
  for (const auto reduction : {Reduction::tower, Reduction::sharded_optimizer}) {
    auto spec = spec_on(3);
    spec.reduction = reduction;
    const auto whole = folder(cat("whole-", reduction)), parts = folder(cat("parts-", reduction));
    train_in(whole, spec, {});
    train_in(parts, spec, options);
    for (const auto& [moment, tensors] : moments(parts))
      for (std::size_t i = 0; i < tensors.size(); ++i)
        EXPECT_TRUE(torch::allclose(tensors[i].tensor, expected.at(moment)[i].tensor))
            << reduction << ": " << moment << " of " << tensors[i].name;
    train_in(parts, spec, {});
    EXPECT_TRUE(weights_in(parts) == weights_in(whole)) << reduction;
  }
}

TEST_F(Resume, WithinAnEpochEveryRankHasItsOwnStatistics) {
  auto spec = spec_on(2);
  spec.settings.checkpoint = {.every_epochs = 0, .every_steps = 2};
  Options options;
  options.stop_at_step = 2;
  train_in(folder("parts"), spec, options);
  const auto checkpoint = read_checkpoint(folder("parts") / checkpoint_file_name);
  const auto of = [&](const std::string& name) {
    for (const auto& each : checkpoint.rank_state)
      if (each.name == name) return each.tensor;
    return torch::Tensor();
  };
  const auto means = of("buffers/norm.running_mean");
  ASSERT_TRUE(means.defined());
  EXPECT_FALSE(torch::equal(means[0], means[1]));
  EXPECT_TRUE(torch::equal(of("loss_weight"), torch::tensor({10.0, 8.0}, torch::kFloat64)));
}

TEST_F(Resume, WithinAnEpochOtherRanksAreRefused) {
  auto spec = spec_on(2);
  spec.settings.checkpoint = {.every_epochs = 0, .every_steps = 2};
  Options options;
  options.stop_at_step = 2;
  train_in(folder("stopped"), spec, options);
  const auto checkpoint = read_checkpoint(folder("stopped") / checkpoint_file_name);
  EXPECT_THAT(message_of<BadInput>([&] { go_on_alone(folder("stopped"), checkpoint); }),
              testing::HasSubstr("made within an epoch by 2 ranks, this run has 1"));
}

TEST_F(Resume, AfterManyStopsAndWithRareCheckpoints) {
  auto spec = spec_on(2);
  spec.settings.checkpoint.every_epochs = 2;
  train_in(folder("whole"), spec, {});
  for (const std::int64_t stop_at_step : {4, 8, 10, 13}) {
    Options options;
    options.stop_at_step = stop_at_step;
    train_in(folder("parts"), spec, options);
  }
  EXPECT_EQ(read_checkpoint(folder("parts") / checkpoint_file_name).progress.epochs_done, 4);
  train_in(folder("parts"), spec, {});
  EXPECT_TRUE(weights_in(folder("parts")) == weights_in(folder("whole")));
  spec.settings.checkpoint.every_epochs = 0;
  train_in(folder("never"), spec, {});
  EXPECT_FALSE(fs::exists(folder("never") / checkpoint_file_name));
}

TEST_F(Resume, DropoutGoesOnWhereItStopped) {
  Options options;
  options.dropout_frac = 0.4;
  train_in(folder("whole"), 1, options);
  options.stop_at_step = 8;
  train_in(folder("parts"), 1, options);
  options.stop_at_step = -1;
  train_in(folder("parts"), 1, options);
  EXPECT_TRUE(weights_in(folder("parts")) == weights_in(folder("whole")));
}

TEST_F(Resume, AfterTheLastEpochOnlyTheEndIsDoneAgain) {
  train_in(folder("whole"), 2, {});
  const auto before = weights_in(folder("whole"));
  fs::remove(folder("whole") / "weights_last.pt");
  fs::remove(folder("whole") / "weights_best.pt");
  // One checkpoint, any number of ranks: the same model.
  for (const std::int64_t ranks : {2, 1, 3, 4}) {
    const auto copy = folder(cat("copy-", ranks));
    fs::create_directories(copy);
    fs::copy(folder("whole") / checkpoint_file_name, copy / checkpoint_file_name);
    train_in(copy, ranks, {});
    EXPECT_TRUE(weights_in(copy) == before) << ranks;
  }
}

TEST_F(Resume, GoesOnWithAnyNumberOfRanks) {
  Options options;
  options.frozen_norm = true;
  train_in(folder("whole"), 2, options);
  const auto expected = last_weights_in(folder("whole"));
  options.stop_at_step = 7;
  train_in(folder("stopped"), 2, options);
  options.stop_at_step = -1;
  for (const std::int64_t ranks : {1, 3, 4}) {
    const auto copy = folder(cat("copy-", ranks));
    fs::create_directories(copy);
    fs::copy(folder("stopped") / checkpoint_file_name, copy / checkpoint_file_name);
    train_in(copy, ranks, options);
    const auto weights = last_weights_in(copy);
    ASSERT_EQ(weights.size(), expected.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      EXPECT_TRUE(torch::allclose(weights[i].tensor, expected[i].tensor, 1e-3, 1e-5))
          << ranks << " ranks: " << weights[i].name;
  }
}

TEST_F(Resume, RefusesTheCheckpointOfAnotherModel) {
  Options options;
  options.stop_at_step = 7;
  train_in(folder("stopped"), 1, options);
  const auto file = folder("stopped") / checkpoint_file_name;
  auto checkpoint = read_checkpoint(file);
  checkpoint.moments.erase("second_moment");
  const auto go_on = [&] { go_on_alone(folder("stopped"), checkpoint); };
  EXPECT_THROW(go_on(), BadInput);
  checkpoint = read_checkpoint(file);
  checkpoint.model.pop_back();
  EXPECT_THROW(go_on(), BadInput);
}

}  // namespace
}  // namespace scalestudy
