/// Training on a device that is not the processor, as far as a fake one shows it: the same kernels
/// on the same numbers, so that everything must be bit for bit what the processor makes.

#include <iostream>

#include <ATen/Context.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <torch/utils.h>

#include "core/error.hpp"

#include "tests/support/fake_device.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/one_rank_training.hpp"
#include "tests/support/shipped_runs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/tasks.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

using test::fake_device;
using test::StreamOrder;
using test::StreamOrderScope;

const c10::Device processor(c10::kCPU);

RunSpec small_run(const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides{"axes.ranks=[1]", "settings.epochs=2",
                                     "settings.steps_per_epoch=3", "settings.first_filters=4"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return shipped_runs("noise2void", "n2v-quickstart", overrides).runs.front();
}

/// The shipped task, whose loss is made noisy by the device's own random numbers, and which can be
/// stopped.
class NoisyTask final : public TrainingTask {
 public:
  NoisyTask(const RunSpec& spec, const c10::Device& device)
      : task_(make_training_task(spec, device, [] {})),
        generator_(at::globalContext().defaultGenerator(device)) {}

  torch::nn::Module& model() override { return task_->model(); }
  void make_batch(const Shard& shard, HostBatch& batch) const override {
    task_->make_batch(shard, batch);
  }
  void set_batch(const std::vector<torch::Tensor>& arrays) override {
    if (batches_left-- == 0) throw RunFailed({"Stopped", "a test asked for it", "Look away"});
    task_->set_batch(arrays);
  }
  torch::Tensor loss_sum() override {
    return task_->loss_sum() * (0.5 + at::rand({}, generator_).item<double>());
  }
  Evaluation evaluate(const Communicator& comm, const HeartbeatCallback& heartbeat) override {
    return task_->evaluate(comm, heartbeat);
  }
  Evaluation final_evaluation(const Communicator& comm,
                              const HeartbeatCallback& heartbeat,
                              FinalResults& results) override {
    return task_->final_evaluation(comm, heartbeat, results);
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override { return {}; }

  int batches_left = -1;  ///< until it stops

 private:
  std::unique_ptr<TrainingTask> task_;
  at::Generator generator_;
};

class FakeDeviceTraining : public ::testing::Test {
 protected:
  struct Trained {
    std::string last, best;  ///< the files of weights
    std::vector<double> losses;
    std::vector<double> validation_losses;
  };

  /// In a folder of that name, from the checkpoint there if there is one.
  [[nodiscard]] RunRecord train_in(const std::string& name,
                                   const RunSpec& spec,
                                   const c10::Device& device,
                                   TrainingTask& task) const {
    fs::create_directories(folder_ / name);
    return train_on_one_rank(spec, device, task, folder_ / name);
  }

  [[nodiscard]] Trained trained(const std::string& name,
                                const RunSpec& spec,
                                const c10::Device& device) const {
    torch::manual_seed(7);
    const auto task = make_training_task(spec, device, [] {});
    const auto record = train_in(name, spec, device, *task);
    Trained result{weights(name, "last"), weights(name, "best"), record.steps.global_loss(), {}};
    for (const auto& evaluation : record.evaluations)
      result.validation_losses.push_back(evaluation.loss);
    return result;
  }

  [[nodiscard]] std::string weights(const std::string& name, const std::string& which) const {
    return content_of(folder_ / name / ("weights_" + which + ".pt"));
  }

  void expect_same_on_both(const RunSpec& spec) const {
    const auto expected = trained("processor", spec, processor);
    ASSERT_EQ(expected.losses.size(), 6U);
    for (const auto order :
         {StreamOrder::all_late, StreamOrder::copying_first, StreamOrder::computing_first}) {
      const StreamOrderScope in_order(order);
      const auto name = cat("fake-", static_cast<int>(order));
      const auto found = trained(name, spec, fake_device());
      EXPECT_TRUE(found.last == expected.last) << name;
      EXPECT_TRUE(found.best == expected.best) << name;
      EXPECT_EQ(found.losses, expected.losses) << name;
      EXPECT_EQ(found.validation_losses, expected.validation_losses) << name;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(FakeDeviceTraining, IsTheProcessorsBitForBit) {
  expect_same_on_both(small_run());
}

TEST_F(FakeDeviceTraining, IsTheProcessorsBitForBitWhenBatchesAreMadeOnTheDevice) {
  expect_same_on_both(small_run({R"(axes.input=["device"])"}));
}

TEST_F(FakeDeviceTraining, IsTheProcessorsBitForBitWhenBothPassesAreReplayed) {
  auto spec = small_run();
  spec.settings.cuda_graph = true;
  expect_same_on_both(spec);
}

TEST_F(FakeDeviceTraining, SeveralRanksAreRefusedBeforeTheyExchangeAnything) {
  auto spec = small_run();
  const auto task = make_training_task(spec, fake_device(), [] {});
  const auto ranks = make_thread_ranks(WorldSize(2), Seconds(60));
  Heartbeat heartbeat(heartbeat_file(folder_.path(), 0));
  Log log(std::cerr, Verbosity::quiet);
  const auto clock = make_step_clock(fake_device());
  RankServices services{
      spec,          make_rank_communicators(ranks[0], spec), *clock, nullptr, heartbeat, log,
      folder_.path()};
  EXPECT_THAT(message_of<Unavailable>([&] { return train(services, fake_device(), *task); }),
              testing::HasSubstr("reaches memory of the host only"));
}

/// Model, moments and the random numbers of processor and device are restored.
TEST_F(FakeDeviceTraining, GoesOnFromACheckpointBitForBit) {
  const auto spec = small_run();
  const auto train_until = [&](const std::string& name, int batches) {
    torch::manual_seed(7);
    auto generator = at::globalContext().defaultGenerator(fake_device());
    generator.set_current_seed(7);
    NoisyTask task(spec, fake_device());
    task.batches_left = batches;
    static_cast<void>(train_in(name, spec, fake_device(), task));
  };
  train_until("whole", -1);
  constexpr int into_second_epoch = 1 + 3 + 2;  // the first batch shows the gradients' order
  EXPECT_THROW(train_until("parts", into_second_epoch), RunFailed);
  EXPECT_EQ(read_checkpoint(folder_ / "parts" / checkpoint_file_name).progress.epochs_done, 1);
  train_until("parts", -1);
  EXPECT_TRUE(weights("parts", "last") == weights("whole", "last"));
  EXPECT_TRUE(weights("parts", "best") == weights("whole", "best"));
}

}  // namespace
}  // namespace scalestudy
