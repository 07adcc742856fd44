#include "workloads/resnet50/task.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "training/device.hpp"
#include "training/tensors/memory_format.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy::resnet50 {
namespace {

/// 17 training, 4 validation and 13 test pictures of seven classes: no number of ranks from 2 to 8
/// divides 13.
class Task : public ::testing::Test {
 protected:
  Task() {
    for (int i = 0; i < 34; ++i) {
      const auto* split = i < 17 ? "train" : (i < 21 ? "valid" : "test");
      test::write_png(folder_.path() / split / cat("class", i % 7) / cat(i, ".png"),
                      test::pattern(32, 33 + i, 3));
    }
    spec_.data.path = folder_.path();
    spec_.settings.evaluation_batch_size = 2;
    spec_.workload_settings = R"({"variant": "v1.5", "size": [40, 40],
        "augmentation": "crop_flip", "normalisation": "imagenet"})";
  }

  [[nodiscard]] std::unique_ptr<TrainingTask> task() const {
    torch::manual_seed(3);
    return make_task(spec_, c10::Device(c10::kCPU));
  }

  TemporaryFolder folder_;
  RunSpec spec_;
  const ThreadCount one_thread_{1};
};

struct Evaluated {
  Evaluation evaluation;
  FinalResults final;
};

/// Each rank with a task (and equal weights) of its own; their results.
std::vector<Evaluated> evaluate_on(std::span<const std::unique_ptr<TrainingTask>> tasks) {
  std::vector<Evaluated> results(tasks.size());
  on_ranks(std::ssize(tasks), [&](const Communicator& comm) {
    const torch::NoGradGuard no_grad;
    const ThreadCount one_thread(1);
    auto& task = *tasks[comm.rank().index()];
    auto& result = results[comm.rank().index()];
    task.model().eval();
    result.evaluation = task.final_evaluation(
        comm, [] {}, result.final);
  });
  return results;
}

TEST_F(Task, EvaluationIsTheSameAtEveryNumberOfRanks) {
  std::vector<std::unique_ptr<TrainingTask>> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(task());
  const auto one = evaluate_on(std::span(tasks).first(1)).front();
  EXPECT_EQ(one.evaluation.evaluation_set, "test");
  EXPECT_EQ(one.evaluation.sample_count, 13);
  EXPECT_EQ(one.evaluation.weight_sum, 13);
  EXPECT_LE(one.evaluation.top1_frac, one.evaluation.top5_frac);
  ASSERT_EQ(one.final.panels.size(), 1U);
  const auto& confusion = one.final.panels.front();
  EXPECT_EQ(confusion.name, "confusion");
  EXPECT_EQ(std::accumulate(confusion.pixels.begin(), confusion.pixels.end(), 0.0F), 13.0F);
  for (const std::size_t ranks : {2U, 3U, 4U, 5U, 8U})
    for (const auto& result : evaluate_on(std::span(tasks).first(ranks))) {
      EXPECT_EQ(result.evaluation.loss, one.evaluation.loss) << ranks;
      EXPECT_EQ(result.evaluation.top1_frac, one.evaluation.top1_frac) << ranks;
      EXPECT_EQ(result.evaluation.top5_frac, one.evaluation.top5_frac) << ranks;
      EXPECT_EQ(result.evaluation.sample_count, 13) << ranks;
      EXPECT_EQ(result.evaluation.evaluation_set_hash, one.evaluation.evaluation_set_hash) << ranks;
      EXPECT_EQ(result.final.panels.front().pixels, confusion.pixels) << ranks;
    }
}

TEST_F(Task, TopFiveNeedsMoreThanFiveClasses) {
  const auto result = [&] {
    std::vector<std::unique_ptr<TrainingTask>> tasks;
    tasks.push_back(task());
    return evaluate_on(tasks).front().evaluation;
  };
  EXPECT_TRUE(std::isfinite(result().top5_frac));
  std::filesystem::remove_all(folder_.path() / "test");
  for (const auto* split : {"train", "valid"})
    for (const auto* name : {"class5", "class6"})
      std::filesystem::remove_all(folder_.path() / split / name);
  const auto few = result();
  EXPECT_TRUE(std::isnan(few.top5_frac));
  EXPECT_EQ(few.evaluation_set, "validation");
}

/// The loss of the same weights on the same positions, by way of the host and on the device.
TEST_F(Task, InputDeviceEqualsTheHostPathBitForBit) {
  for (
      const auto* own :
      {R"({"variant": "v1", "size": [36, 40], "augmentation": "crop_flip", "normalisation": "imagenet"})",
       R"({"variant": "v1", "size": [36, 40], "augmentation": "none", "normalisation": "raw"})"}) {
    spec_.workload_settings = own;
    const auto task = this->task();
    task->model().eval();
    task->keep_samples_on_device();
    for (const Shard shard : {Shard{0, 5}, Shard{15, 4}, Shard{40, 0}}) {
      HostBatch batch;
      task->make_batch(shard, batch);
      task->set_batch(arrays_on_device(batch, c10::kCPU));
      const auto by_host = task->loss_sum().item<float>();
      EXPECT_EQ(task->make_batch_on_device(shard), batch.loss_weight);
      EXPECT_EQ(task->loss_sum().item<float>(), by_host) << own;
    }
  }
}

TEST_F(Task, ABatchDependsOnItsPositionsOnly) {
  const auto task = this->task();
  HostBatch whole, part;
  task->make_batch({3, 6}, whole);
  task->make_batch({5, 2}, part);
  const auto size = part.arrays[0].values.size();
  EXPECT_TRUE(std::equal(part.arrays[0].values.begin(), part.arrays[0].values.end(),
                         whole.arrays[0].values.begin() + static_cast<std::ptrdiff_t>(size)));
  EXPECT_TRUE(std::equal(part.arrays[1].values.begin(), part.arrays[1].values.end(),
                         whole.arrays[1].values.begin() + 2));
}

TEST_F(Task, SaysWhatItFound) {
  using Value = EffectiveSettings::Value;
  const auto effective = task()->effective_settings();
  EXPECT_EQ(effective.settings().at("/workload_settings/classes"), Value(std::int64_t{7}));
  EXPECT_EQ(effective.settings().at("/workload_settings/variant"), Value("v1.5"));
  EXPECT_EQ(effective.settings().at("/workload_settings/size"),
            Value(std::vector<std::int64_t>{40, 40}));
  const auto& facts = effective.facts();
  EXPECT_EQ(facts.at("training_sample_count").value, Value(std::int64_t{17}));
  EXPECT_EQ(facts.at("validation_source").value, Value("valid"));
  EXPECT_EQ(facts.at("evaluation_overlap_count").value, Value(std::int64_t{0}));
  const auto names = std::get<std::vector<std::string>>(facts.at("class_names").value);
  EXPECT_EQ(names.at(1), "class1");
  for (const auto& [name, fact] : facts) {
    EXPECT_FALSE(fact.unit.empty()) << name;
    EXPECT_FALSE(fact.description.empty()) << name;
  }
}

TEST_F(Task, AnUnreadablePictureIsNamed) {
  test::write_bytes(folder_.path() / "train/class0/broken.png", "no picture");
  EXPECT_THAT(message_of([&] { return task(); }), testing::HasSubstr("broken.png"));
}

}  // namespace
}  // namespace scalestudy::resnet50
