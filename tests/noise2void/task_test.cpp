/// Baselines that the task records, against what its own evaluation says of such predictions.

#include "workloads/noise2void/task.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/text.hpp"

#include "training/device.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/thread_ranks.hpp"
#include "workloads/noise2void/model.hpp"

namespace scalestudy::noise2void {
namespace {

RunSpec small_spec(const std::string& loss) {
  RunSpec spec;
  spec.workload = "noise2void";
  spec.data.path = test::in_sources("workloads/noise2void/data/chromosomes.tif");
  spec.plan.global_batch_size = 1;
  spec.settings.evaluation_batch_size = 4;
  spec.workload_settings =
      cat(R"({"patch": [8, 32, 32], "mask_count_rule": "nominal", "first_filters": 2, "loss": ")",
          loss, "\"}");
  return spec;
}

/// The task's model predicts `value` for every voxel.
void predict_everywhere(TrainingTask& task, double value) {
  const torch::NoGradGuard no_grad;
  auto& head = dynamic_cast<UNet&>(task.model()).head;
  head->weight.zero_();
  head->bias.fill_(value);
}

Evaluation evaluate(const RunSpec& spec, double value, std::int64_t ranks = 1) {
  std::vector<std::unique_ptr<TrainingTask>> tasks;
  std::vector<Evaluation> evaluations(static_cast<std::size_t>(ranks));
  for (std::int64_t r = 0; r < ranks; ++r) {
    tasks.push_back(make_task(spec, torch::kCPU, [] {}, {}));
    tasks.back()->model().eval();
    predict_everywhere(*tasks.back(), value);
  }
  on_ranks(ranks, [&](const Communicator& comm) {
    const torch::NoGradGuard no_grad;
    const ThreadCount one(1);
    const auto r = comm.rank().index();
    evaluations[r] = tasks[r]->evaluate(comm, [] {});
  });
  for (const auto& each : evaluations) EXPECT_EQ(each.constant_loss, evaluations[0].constant_loss);
  return evaluations[0];
}

TEST(Noise2VoidTask, AReferenceThatIsTheNoisyVolumeIsRefused) {
  auto spec = small_spec("mse");
  spec.data.reference_path = spec.data.path;
  const auto make = [&] { return make_task(spec, torch::kCPU, [] {}, {}); };
  EXPECT_THAT(message_of(make), testing::HasSubstr("voxel by voxel"));
  spec.data.added_noise_std = 1;
  EXPECT_EQ(message_of(make), "accepted");
}

TEST(Noise2VoidTask, EvaluatedPatchesWithoutAnyMaskedVoxelAreRefused) {
  auto spec = small_spec("mse");
  spec.workload_settings = R"({"patch": [8, 32, 32], "masked_frac": 1e-6, "first_filters": 2})";
  EXPECT_THAT(message_of([&] { return make_task(spec, torch::kCPU, [] {}, {}); }),
              testing::HasSubstr("no validation patch has a masked voxel"));
}

/// The loss of predicting c is variance + (mean − c)²: two losses give both.
TEST(Noise2VoidTask, SquaredConstantLossIsTheLowestThatAnyConstantReaches) {
  const auto spec = small_spec("mse");
  const auto at_zero = evaluate(spec, 0);
  const double mean = (1 - (evaluate(spec, 1).loss - at_zero.loss)) / 2;
  EXPECT_NEAR(at_zero.constant_loss, at_zero.loss - mean * mean, 1e-6);
  EXPECT_NEAR(evaluate(spec, mean).loss, at_zero.constant_loss, 1e-6);
  EXPECT_GT(std::abs(mean), 1e-3) << "zero would be as good";
}

TEST(Noise2VoidTask, AbsoluteConstantLossIsTheLowestThatAnyConstantReaches) {
  const auto spec = small_spec("mae");
  double lowest = INFINITY;
  for (int i = -30; i <= 30; ++i) lowest = std::min(lowest, evaluate(spec, 0.02 * i).loss);
  const double recorded = evaluate(spec, 0).constant_loss;
  EXPECT_LE(recorded, lowest + 1e-6);
  EXPECT_NEAR(recorded, lowest, 1e-3);
}

TEST(Noise2VoidTask, ConstantLossIsBitEqualAtEveryNumberOfRanks) {
  const auto spec = small_spec("mse");
  const auto alone = evaluate(spec, 0);
  for (const std::int64_t ranks : {2, 3})
    EXPECT_EQ(evaluate(spec, 0, ranks).constant_loss, alone.constant_loss);
}

}  // namespace
}  // namespace scalestudy::noise2void
