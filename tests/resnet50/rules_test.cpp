/// The arguments of the published notebook's function, as rules: protocol and table in
/// workloads/resnet50/README.md.

#include <gtest/gtest.h>

#include "study/scaling_rules.hpp"

namespace scalestudy {
namespace {

/// Batch 64, Adam at 0.02, 3 epochs; one pass over `training_samples`.
RulePlan notebook(ScalingRule rule, std::int64_t training_samples, std::int64_t ranks) {
  CommonSettings settings;
  settings.local_batch_size = 64;
  settings.optimizer.base_learning_rate = 0.02;
  settings.epochs = 3;
  settings.steps_per_epoch = 0;
  return apply(rule, {settings, ranks, training_samples});
}

/// Pictures of 285 classes as the text counts them, and a made-up count for the subset of 61.
constexpr std::int64_t all_birds = 40930;
constexpr std::int64_t fewer_birds = 8791;

TEST(NotebookRules, NeitherArgumentSplitsTheBatch) {
  for (const auto samples : {all_birds, fewer_birds}) {
    const auto plan = notebook(ScalingRule::strong, samples, 4);
    EXPECT_EQ(plan.local_batch_sizes, (std::vector<std::int64_t>{16, 16, 16, 16}));
    EXPECT_EQ(plan.global_batch_size, 64);
    EXPECT_EQ(plan.learning_rate, 0.02);
    EXPECT_EQ(plan.epochs, 3);
    EXPECT_EQ(plan.samples_per_epoch, samples);
    EXPECT_EQ(plan.steps_per_epoch, (samples + 63) / 64);
  }
  EXPECT_EQ(notebook(ScalingRule::strong, all_birds, 4).steps_per_epoch, 640);
}

TEST(NotebookRules, ScaleBatchAloneLeavesTheRate) {
  for (const auto samples : {all_birds, fewer_birds}) {
    const auto plan = notebook(ScalingRule::batch_only, samples, 4);
    EXPECT_EQ(plan.local_batch_sizes, (std::vector<std::int64_t>{64, 64, 64, 64}));
    EXPECT_EQ(plan.learning_rate, 0.02);
    EXPECT_EQ(plan.epochs, 3);
    EXPECT_EQ(plan.steps_per_epoch, (samples + 255) / 256);
    EXPECT_EQ(plan.samples_per_epoch, samples);
  }
}

TEST(NotebookRules, BothArgumentsScaleBatchAndRate) {
  for (const auto samples : {all_birds, fewer_birds}) {
    const auto plan = notebook(ScalingRule::linear_fixed_epochs, samples, 4);
    EXPECT_EQ(plan.global_batch_size, 256);
    EXPECT_EQ(plan.learning_rate, 0.08);
    EXPECT_EQ(plan.epochs, 3);
    EXPECT_EQ(plan.steps_per_epoch, (samples + 255) / 256);
  }
}

TEST(NotebookRules, NoRuleScalesTheRateAlone) {
  for (const auto& rule : choices<ScalingRule>) {
    CommonSettings settings;
    settings.local_batch_size = 64;
    settings.epochs = 4;  // some rules divide them
    settings.steps_per_epoch = 0;
    const auto plan = apply(rule.value, {settings, 4, all_birds});
    const bool scales_rate = plan.learning_rate != settings.optimizer.base_learning_rate;
    EXPECT_EQ(plan.global_batch_size, rule.value == ScalingRule::strong ? 64 : 256) << rule.name;
    EXPECT_FALSE(scales_rate && plan.global_batch_size == 64) << rule.name;
  }
}

}  // namespace
}  // namespace scalestudy
