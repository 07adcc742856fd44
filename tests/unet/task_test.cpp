#include "workloads/unet/task.hpp"

#include <set>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "comm/rendezvous.hpp"

#include "training/tensors/memory_format.hpp"

#include "tests/unet/specs.hpp"

namespace scalestudy::unet {
namespace {

RunSpec small_spec(const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all{"axes.ranks=[1]", "settings.size=[32,48]"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return runs_of("unet-nuclei", all).runs.front();
}

std::unique_ptr<TrainingTask> fresh_task(const RunSpec& spec) {
  torch::manual_seed(5);
  return make_task(spec, torch::kCPU);
}

TEST(UNetTask, PassesAreRealPermutationsOfTheRepeatedList) {
  const auto spec = small_spec({"settings.repeat_training_list=2"});
  const auto task = fresh_task(spec);
  HostBatch batch;
  std::multiset<double> pictures;
  for (std::int64_t first = 0; first < 168; first += 56) {
    task->make_batch({first, 56}, batch);
    EXPECT_EQ(batch.loss_weight, 56);
    const auto values = torch::from_blob(batch.arrays[0].values.data(), {56, 32 * 48});
    for (int i = 0; i < 56; ++i)
      pictures.insert(values[i].to(torch::kFloat64).square().sum().item<double>());
  }
  EXPECT_EQ(pictures.size(), 168U);
  for (const double picture : pictures) EXPECT_EQ(pictures.count(picture), 2U);
}

TEST(UNetTask, DeviceInputMakesTheSameBatches) {
  const auto spec = small_spec({"settings.repeat_training_list=2"});
  const auto host = fresh_task(spec);
  const auto device = fresh_task(spec);
  device->keep_samples_on_device();
  HostBatch batch;
  for (const std::int64_t first : {0, 166, 300}) {
    const Shard shard{first, 5};
    host->make_batch(shard, batch);
    host->set_batch(arrays_on_device(batch, c10::kCPU));
    EXPECT_EQ(device->make_batch_on_device(shard), batch.loss_weight);
    EXPECT_EQ(device->loss_sum().item<float>(), host->loss_sum().item<float>());
  }
}

TEST(UNetTask, LossOfAnEmptyBatchIsZeroWithZeroGradients) {
  const auto task = fresh_task(small_spec());
  HostBatch batch;
  task->make_batch({7, 0}, batch);
  EXPECT_EQ(batch.loss_weight, 0);
  task->set_batch(arrays_on_device(batch, c10::kCPU));
  const auto loss = task->loss_sum();
  EXPECT_EQ(loss.item<float>(), 0.0F);
  loss.backward();
  for (const auto& parameter : task->model().parameters())
    EXPECT_EQ(parameter.grad().abs().max().item<float>(), 0.0F);
}

/// The sum over a batch is the sum over its parts, batch norm aside.
TEST(UNetTask, LossIsASumOverSamples) {
  const auto task = fresh_task(small_spec());
  task->model().eval();
  const auto loss = [&](std::int64_t first, std::int64_t count) {
    HostBatch batch;
    task->make_batch({first, count}, batch);
    task->set_batch(arrays_on_device(batch, c10::kCPU));
    return task->loss_sum().item<double>();
  };
  EXPECT_NEAR(loss(0, 5), loss(0, 2) + loss(2, 3), 1e-5);
}

TEST(UNetTask, FinalEvaluationHasTrainingIouAndPanels) {
  const auto task = fresh_task(small_spec({"settings.panel_samples=2"}));
  task->model().eval();
  const torch::NoGradGuard no_grad;
  const auto comm = make_thread_ranks(WorldSize(1), Seconds(10)).front();
  FinalResults results;
  const auto evaluation = task->final_evaluation(
      comm, [] {}, results);
  EXPECT_GT(evaluation.training_iou, 0);
  EXPECT_NE(evaluation.training_iou, evaluation.iou);
  std::set<std::string> names;
  for (const auto& panel : results.panels) {
    names.insert(panel.name);
    EXPECT_EQ(panel.height_px, 32);
    EXPECT_EQ(panel.width_px, 48);
    for (const float value : panel.pixels) EXPECT_TRUE(value >= 0 && value <= 1);
  }
  EXPECT_EQ(names, (std::set<std::string>{"input-1", "mask-1", "prediction-1", "input-2", "mask-2",
                                          "prediction-2"}));
}

}  // namespace
}  // namespace scalestudy::unet
