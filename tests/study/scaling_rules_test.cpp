#include "study/scaling_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/study/published_settings.hpp"

namespace scalestudy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Section 2.1 of the source works' protocols: oekosheri/tensorflow_unet_scaling; 1,792 samples per
// epoch.
CommonSettings unet() {
  return {.local_batch_size = 16,
          .epochs = 200,
          .steps_per_epoch = 112,
          .optimizer = {.base_learning_rate = 0.001}};
}

// Section 4.1: saturncloud/examples, 64 samples split over the GPUs.
CommonSettings saturn_batch() {
  return {.local_batch_size = 64,
          .epochs = 3,
          .steps_per_epoch = 640,
          .optimizer = {.base_learning_rate = 0.02}};
}

RulePlan plan_of(ScalingRule rule, const CommonSettings& settings, std::int64_t ranks) {
  return apply(rule, {settings, ranks});
}

TEST(ScalingRules, NamesAndOrder) {
  std::vector<std::string_view> names;
  for (const auto& rule : choices<ScalingRule>) {
    names.push_back(rule.name);
    EXPECT_FALSE(rule.summary.empty());
    EXPECT_FALSE(source_of(rule.value).empty());
  }
  EXPECT_THAT(names, ElementsAre("linear_fixed_samples", "linear_fixed_epochs", "linear_warmup",
                                 "sqrt_fixed_epochs", "batch_only", "strong"));
}

TEST(ScalingRules, OneRankIsTheIdentity) {
  for (const auto& rule : choices<ScalingRule>) {
    SCOPED_TRACE(rule.name);
    for (const auto& settings : {blog(), unet(), saturn_batch()}) {
      const auto plan = apply(rule.value, {settings, 1});
      EXPECT_THAT(plan.local_batch_sizes, ElementsAre(settings.local_batch_size));
      EXPECT_EQ(plan.global_batch_size, settings.local_batch_size);
      EXPECT_EQ(plan.learning_rate, settings.optimizer.base_learning_rate);
      EXPECT_EQ(plan.epochs, settings.epochs);
      EXPECT_EQ(plan.steps_per_epoch, settings.steps_per_epoch);
      EXPECT_EQ(plan.warmup_samples, 0);
      EXPECT_EQ(plan.patience_epochs, settings.schedule.patience_epochs);
      EXPECT_EQ(plan.samples, plan.requested_samples);
      EXPECT_EQ(plan.remainder, "");
      for (const auto& setting : plan.time_like) EXPECT_FALSE(setting.scaled) << setting.name;
    }
  }
}

TEST(ScalingRules, LinearFixedSamplesGivesThePublishedFourGpuArm) {
  const auto plan = plan_of(ScalingRule::linear_fixed_samples, blog(), 4);
  EXPECT_THAT(plan.local_batch_sizes, ElementsAre(16, 16, 16, 16));
  EXPECT_EQ(plan.global_batch_size, 64);
  EXPECT_DOUBLE_EQ(plan.learning_rate, 0.0016);
  EXPECT_EQ(plan.epochs, 50);
  EXPECT_EQ(plan.steps_per_epoch, 200);
  EXPECT_EQ(plan.epochs * plan.steps_per_epoch, 10'000);
  EXPECT_EQ(plan.samples, 640'000);
  EXPECT_EQ(plan.requested_samples, 640'000);
  EXPECT_EQ(plan.remainder, "");
}

TEST(ScalingRules, LinearFixedSamplesRoundsEpochsDownAndSaysSo) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> known{{3, 66}, {6, 33}, {7, 28}};
  for (const auto& [ranks, epochs] : known) {
    const auto plan = plan_of(ScalingRule::linear_fixed_samples, blog(), ranks);
    EXPECT_EQ(plan.epochs, epochs);
    EXPECT_LT(plan.samples, plan.requested_samples);
    EXPECT_GT(plan.samples, plan.requested_samples * 97 / 100);
    EXPECT_FALSE(plan.remainder.empty());
  }
  const auto text = plan_of(ScalingRule::linear_fixed_samples, blog(), 3).remainder;
  EXPECT_THAT(text, HasSubstr("200 epochs divided by 3 ranks give 66"));
  EXPECT_THAT(text, HasSubstr("6400 samples"));  // 2 epochs of 200 steps of 16
}

TEST(ScalingRules, LinearFixedEpochsGivesThePublishedSteps) {
  const std::vector<std::array<std::int64_t, 3>> known{
      {1, 112, 1792}, {2, 56, 1792},  {4, 28, 1792}, {6, 18, 1728},
      {8, 14, 1792},  {10, 11, 1760}, {12, 9, 1728}, {14, 8, 1792}};
  for (const auto& [ranks, steps, samples_per_epoch] : known) {
    const auto plan = plan_of(ScalingRule::linear_fixed_epochs, unet(), ranks);
    EXPECT_EQ(plan.steps_per_epoch, steps);
    EXPECT_EQ(plan.epochs, 200);
    EXPECT_EQ(plan.global_batch_size * plan.steps_per_epoch, samples_per_epoch);
    EXPECT_DOUBLE_EQ(plan.learning_rate, 0.001 * static_cast<double>(ranks));
    EXPECT_EQ(plan.remainder.empty(), samples_per_epoch == 1792);
  }
  EXPECT_THAT(plan_of(ScalingRule::linear_fixed_epochs, unet(), 6).remainder,
              HasSubstr("64 of 1792 samples of every epoch"));
}

TEST(ScalingRules, WarmUpCountsTheSamplesOfFiveOneRankEpochs) {
  const auto plan = plan_of(ScalingRule::linear_warmup, unet(), 8);
  EXPECT_EQ(plan.warmup_samples, 5 * 1792);
  EXPECT_DOUBLE_EQ(plan.learning_rate, 0.008);
  EXPECT_EQ(plan.steps_per_epoch, 14);
  auto brief = unet();
  brief.epochs = 3;
  EXPECT_EQ(plan_of(ScalingRule::linear_warmup, brief, 2).warmup_samples, 3 * 1792);
}

TEST(ScalingRules, SqrtScalesByTheRoot) {
  const auto plan = plan_of(ScalingRule::sqrt_fixed_epochs, unet(), 4);
  EXPECT_DOUBLE_EQ(plan.learning_rate, 0.002);
  EXPECT_EQ(plan.global_batch_size, 64);
  EXPECT_EQ(plan.epochs, 200);
  EXPECT_EQ(plan.steps_per_epoch, 28);
}

TEST(ScalingRules, BatchOnlyKeepsTheLearningRate) {
  const auto plan = plan_of(ScalingRule::batch_only, saturn_batch(), 4);
  EXPECT_EQ(plan.learning_rate, 0.02);
  EXPECT_EQ(plan.global_batch_size, 256);
  EXPECT_EQ(plan.steps_per_epoch, 160);
  EXPECT_EQ(plan.epochs, 3);
}

TEST(ScalingRules, StrongSplitsTheBatchAsRun) {
  const auto plan = plan_of(ScalingRule::strong, saturn_batch(), 4);
  EXPECT_THAT(plan.local_batch_sizes, ElementsAre(16, 16, 16, 16));
  EXPECT_EQ(plan.global_batch_size, 64);
  EXPECT_EQ(plan.learning_rate, 0.02);
  EXPECT_EQ(plan.steps_per_epoch, 640);
  EXPECT_EQ(plan.remainder, "");
}

TEST(ScalingRules, StrongIsUnevenWhenRanksDoNotDivideTheBatch) {
  auto settings = saturn_batch();
  settings.local_batch_size = 8;
  const auto three = plan_of(ScalingRule::strong, settings, 3);
  EXPECT_THAT(three.local_batch_sizes, ElementsAre(3, 3, 2));
  EXPECT_EQ(three.global_batch_size, 8);
  EXPECT_EQ(three.samples, three.requested_samples);
  EXPECT_THAT(three.remainder, HasSubstr("nothing is left out"));
  settings.local_batch_size = 3;
  EXPECT_THAT(plan_of(ScalingRule::strong, settings, 4).local_batch_sizes, ElementsAre(1, 1, 1, 0));
}

/// The RWTH settings with epochs that are passes over the data, as the scripts have it.
CommonSettings unet_by_passes() {
  auto settings = unet();
  settings.steps_per_epoch = 0;
  settings.last_batch = LastBatch::drop;
  return settings;
}

// protocols: steps per epoch and samples per epoch for N = 1, 2, 4, 6, 8, 10, 12, 14.
TEST(ScalingRules, PassesGiveThePublishedStepsAndSamplesOfUNet) {
  const auto settings = unet_by_passes();
  const std::vector<std::int64_t> ranks{1, 2, 4, 6, 8, 10, 12, 14};
  const std::vector<std::int64_t> steps{112, 56, 28, 18, 14, 11, 9, 8};
  const std::vector<std::int64_t> samples{1792, 1792, 1792, 1728, 1792, 1760, 1728, 1792};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto plan = apply(ScalingRule::linear_fixed_epochs, {settings, ranks[i], 1792});
    EXPECT_EQ(plan.steps_per_epoch, steps[i]) << ranks[i];
    EXPECT_EQ(plan.samples_per_epoch, samples[i]) << ranks[i];
    EXPECT_EQ(plan.epoch_stride_samples, 1792) << ranks[i];
    EXPECT_EQ(plan.samples, 200 * samples[i]) << ranks[i];
    EXPECT_EQ(plan.remainder.empty(), samples[i] == 1792) << ranks[i];
  }
}

TEST(ScalingRules, APartialLastBatchLeavesNothingOut) {
  auto settings = unet_by_passes();
  settings.last_batch = LastBatch::partial;
  for (const auto& rule : choices<ScalingRule>) {
    for (std::int64_t ranks = 1; ranks <= 14; ++ranks) {
      const auto plan = apply(rule.value, {settings, ranks, 1793});
      EXPECT_EQ(plan.samples_per_epoch % 1793, 0) << rule.name << " " << ranks;
      EXPECT_GE(plan.steps_per_epoch * plan.global_batch_size, plan.samples_per_epoch);
      EXPECT_LT((plan.steps_per_epoch - 1) * plan.global_batch_size, plan.samples_per_epoch);
    }
  }
}

TEST(ScalingRules, FixedSamplesKeepsTheStepsOfAPassAndSeesNTimesTheSamples) {
  auto settings = unet_by_passes();
  settings.last_batch = LastBatch::partial;
  const auto plan = apply(ScalingRule::linear_fixed_samples, {settings, 4, 1793});
  EXPECT_EQ(plan.steps_per_epoch, 113);
  EXPECT_EQ(plan.samples_per_epoch, 4 * 1793);
  EXPECT_EQ(plan.epochs, 50);
  EXPECT_EQ(plan.samples, plan.requested_samples);
}

TEST(ScalingRules, MilestonesStayInEpochsOrInSamples) {
  auto settings = unet();
  settings.schedule.milestones_epochs = {80, 120, 151};
  EXPECT_THAT(plan_of(ScalingRule::linear_fixed_samples, settings, 4).milestones_epochs,
              ElementsAre(80, 120, 151));
  settings.schedule.patience_rule = PatienceRule::samples;
  const auto plan = plan_of(ScalingRule::linear_fixed_samples, settings, 4);
  EXPECT_THAT(plan.milestones_epochs, ElementsAre(20, 30, 38));
  EXPECT_TRUE(time_like(plan, "schedule.milestones_epochs[0]").scaled);
}

TEST(ScalingRules, LearningRateIsNeverScaledWithoutTheBatch) {
  const auto settings = unet();
  for (const auto& rule : choices<ScalingRule>) {
    for (const std::int64_t ranks : {2, 3, 4, 8}) {
      const auto plan = apply(rule.value, {settings, ranks});
      if (plan.learning_rate == unet().optimizer.base_learning_rate) continue;
      EXPECT_EQ(plan.global_batch_size, ranks * unet().local_batch_size) << rule.name;
    }
  }
}

TEST(ScalingRules, GlobalBatchIsTheSumAndSamplesNeverGrow) {
  const auto settings = blog();
  for (const auto& rule : choices<ScalingRule>) {
    for (std::int64_t ranks = 1; ranks <= 14; ++ranks) {
      const auto plan = apply(rule.value, {settings, ranks});
      std::int64_t sum = 0;
      for (const auto size : plan.local_batch_sizes) sum += size;
      EXPECT_EQ(plan.global_batch_size, sum);
      EXPECT_EQ(static_cast<std::int64_t>(plan.local_batch_sizes.size()), ranks);
      EXPECT_LE(plan.samples, plan.requested_samples);
    }
  }
}

TEST(ScalingRules, PatienceStaysInEpochsAsTheOriginals) {
  const auto plan = plan_of(ScalingRule::linear_fixed_samples, blog(), 4);
  EXPECT_EQ(plan.patience_epochs, 10);  // 5 % of the training at N = 1, 20 % at N = 4
  EXPECT_FALSE(time_like(plan, "schedule.patience_epochs").scaled);
  EXPECT_THAT(time_like(plan, "schedule.patience_epochs").reason, HasSubstr("not scaled"));
}

TEST(ScalingRules, EpochsAtTheBaseRateAreNamedAsNotScaled) {
  auto settings = blog();
  settings.schedule.unscaled_epochs = 3;
  const auto plan = plan_of(ScalingRule::linear_fixed_samples, settings, 4);
  const auto& epochs = time_like(plan, "schedule.unscaled_epochs");
  EXPECT_FALSE(epochs.scaled);
  EXPECT_EQ(epochs.resolved, 3);
}

TEST(ScalingRules, PatienceInSamplesIsConstantInSamples) {
  auto settings = blog();
  settings.schedule.patience_rule = PatienceRule::samples;
  settings.schedule.patience_epochs = 20;
  settings.schedule.cooldown_epochs = 4;
  const auto plan = plan_of(ScalingRule::linear_fixed_samples, settings, 4);
  EXPECT_EQ(plan.patience_epochs, 5);
  EXPECT_EQ(plan.cooldown_epochs, 1);
  const auto& patience = time_like(plan, "schedule.patience_epochs");
  EXPECT_TRUE(patience.scaled);
  EXPECT_EQ(patience.requested, 20);
  EXPECT_EQ(patience.resolved, 5);
  EXPECT_EQ(plan_of(ScalingRule::linear_fixed_samples, settings, 100).patience_epochs, 1);
  EXPECT_EQ(plan_of(ScalingRule::linear_fixed_epochs, settings, 4).patience_epochs, 20);
}

TEST(ScalingRules, StepwiseSettingsAreListedAsUnscaled) {
  const auto plan = plan_of(ScalingRule::linear_fixed_samples, blog(), 4);
  for (const auto* name : {"optimizer.beta1", "optimizer.beta2", "batch_norm_momentum"}) {
    EXPECT_FALSE(time_like(plan, name).scaled);
    EXPECT_FALSE(time_like(plan, name).reason.empty());
  }
}

TEST(ScalingRules, NothingLeftToTrainIsRefused) {
  auto settings = blog();
  settings.epochs = 3;
  EXPECT_THROW(plan_of(ScalingRule::linear_fixed_samples, settings, 4), BadInput);
  settings.steps_per_epoch = 3;
  EXPECT_THROW(plan_of(ScalingRule::linear_fixed_epochs, settings, 4), BadInput);
  EXPECT_NO_THROW(plan_of(ScalingRule::strong, settings, 4));
}

}  // namespace
}  // namespace scalestudy
