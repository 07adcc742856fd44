#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/study/published_settings.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// protocols 2.4: Adam 0.001, 200 epochs of 1,792 samples in batches of 16, halved at 80, 120, 150.
CommonSettings rwth() {
  return {.local_batch_size = 16,
          .epochs = 200,
          .steps_per_epoch = 0,
          .last_batch = LastBatch::drop,
          .optimizer = {.base_learning_rate = 0.001},
          .schedule = {.name = ScheduleKind::step, .milestones_epochs = {80, 120, 150}}};
}

/// protocols 4.1: batch 64, Adam 0.02, 3 epochs.
CommonSettings saturn() {
  return {.local_batch_size = 64,
          .epochs = 3,
          .steps_per_epoch = 0,
          .last_batch = LastBatch::partial,
          .optimizer = {.base_learning_rate = 0.02}};
}

// protocols 2.1: what drop_remainder leaves out of 1,792 at N = 6, 10, 12.
TEST(PublishedNumbers, TheRemaindersOfRwthAreNamed) {
  const std::vector<std::array<std::int64_t, 3>> known{{6, 18, 64}, {10, 11, 32}, {12, 9, 64}};
  for (const auto& [ranks, steps, left] : known) {
    const auto plan = apply(ScalingRule::linear_fixed_epochs, {rwth(), ranks, 1792});
    EXPECT_EQ(plan.remainder, "1792 training samples in batches of " + std::to_string(16 * ranks) +
                                  " give " + std::to_string(steps) + " steps; " +
                                  std::to_string(left) + " samples of every epoch are left out");
  }
}

TEST(PublishedNumbers, MilestonesInSamplesFollowTheEpochsLength) {
  auto settings = rwth();
  settings.schedule.patience_rule = PatienceRule::samples;
  const auto eight = apply(ScalingRule::linear_fixed_epochs, {settings, 8, 1792});
  EXPECT_THAT(eight.milestones_epochs, ElementsAre(80, 120, 150)) << "an epoch is as long at 8";
  const auto six = apply(ScalingRule::linear_fixed_epochs, {settings, 6, 1792});
  EXPECT_THAT(six.milestones_epochs, ElementsAre(83, 124, 156)) << "1,728 of 1,792 samples";
  EXPECT_TRUE(time_like(six, "schedule.milestones_epochs[2]").scaled);
  EXPECT_EQ(time_like(six, "schedule.milestones_epochs[2]").requested, 150);
  EXPECT_EQ(time_like(six, "schedule.milestones_epochs[2]").resolved, 156);
  EXPECT_FALSE(time_like(eight, "schedule.milestones_epochs[2]").scaled);
}

// protocols 4.1: the tutorial keeps batch 64 and rate 0.02 whatever the number of GPUs.
TEST(PublishedNumbers, TheTutorialSplitsItsBatchOverFourGpus) {
  const auto plan = apply(ScalingRule::strong, {saturn(), 4, 10'000});
  EXPECT_THAT(plan.local_batch_sizes, ElementsAre(16, 16, 16, 16));
  EXPECT_EQ(plan.learning_rate, 0.02);
  EXPECT_EQ(plan.epochs, 3);
  EXPECT_EQ(plan.steps_per_epoch, 157);  // 156.25 batches of 64
  EXPECT_EQ(plan.samples, 30'000);
}

// protocols 4.1, comparison variant: batch × replicas, scale_lr off by default, so 0.02.
TEST(PublishedNumbers, TheComparisonVariantScalesTheBatchOnly) {
  const auto plan = apply(ScalingRule::batch_only, {saturn(), 8, 10'000});
  EXPECT_EQ(plan.global_batch_size, 512);
  EXPECT_EQ(plan.learning_rate, 0.02);
  EXPECT_EQ(plan.steps_per_epoch, 20);  // 19.53 batches of 512
  EXPECT_EQ(plan.samples, 30'000) << "a partial batch leaves nothing out";
}

// Goyal et al. 2017, section 2.2: k = 32 workers of 256 images, rate 0.1 × k, 5 epochs of warm-up.
TEST(PublishedNumbers, GoyalsLargestMinibatchOfImageNet) {
  const CommonSettings settings{.local_batch_size = 256,
                                .epochs = 90,
                                .steps_per_epoch = 0,
                                .last_batch = LastBatch::drop,
                                .optimizer = {.base_learning_rate = 0.1}};
  const auto plan = apply(ScalingRule::linear_warmup, {settings, 32, 1'281'167});
  EXPECT_EQ(plan.global_batch_size, 8192);
  EXPECT_DOUBLE_EQ(plan.learning_rate, 3.2);
  EXPECT_EQ(plan.steps_per_epoch, 156);
  // Five one-rank epochs of 5,004 batches of 256.
  EXPECT_EQ(plan.warmup_samples, 5 * 5004 * 256);
}

TEST(ScalingRules, WarmUpIsNeverLongerThanTheTraining) {
  auto settings = blog();
  settings.epochs = 2;
  for (const std::int64_t ranks : {2, 4, 7}) {
    const auto plan = apply(ScalingRule::linear_warmup, {settings, ranks});
    EXPECT_EQ(plan.warmup_samples, plan.samples) << ranks;
  }
}

TEST(ScalingRules, ADataSetSmallerThanABatchTrainsOnlyWhenPartialBatchesCount) {
  auto settings = saturn();
  const auto plan = apply(ScalingRule::batch_only, {settings, 2, 100});
  EXPECT_EQ(plan.steps_per_epoch, 1);
  EXPECT_EQ(plan.samples_per_epoch, 100);
  settings.last_batch = LastBatch::drop;
  const auto refused = [&] { return apply(ScalingRule::batch_only, {settings, 2, 100}); };
  EXPECT_THAT(message_of(refused),
              HasSubstr("rule batch_only leaves 0 steps per epoch for 2 ranks"));
}

TEST(ScalingRules, MomentumIsTheTimeLikeSettingOfSgd) {
  auto settings = blog();
  settings.optimizer.name = OptimizerKind::sgd;
  const auto plan = apply(ScalingRule::linear_fixed_samples, {settings, 4});
  EXPECT_EQ(time_like(plan, "optimizer.momentum").requested, 0.9);
  EXPECT_EQ(time_like(plan, "optimizer.momentum").resolved, 0.9);
  EXPECT_THROW(static_cast<void>(time_like(plan, "optimizer.beta1")), std::out_of_range);
}

}  // namespace
}  // namespace scalestudy
