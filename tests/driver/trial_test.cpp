#include "driver/run/trial.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

RunSpec spec_with(std::int64_t epochs, std::int64_t steps_per_epoch) {
  RunSpec spec;
  spec.plan.local_batch_sizes = {2, 2};
  spec.plan.global_batch_size = 4;
  spec.plan.epochs = epochs;
  spec.plan.steps_per_epoch = steps_per_epoch;
  spec.plan.samples_per_epoch = 4 * steps_per_epoch - 1;  // the last batch lacks one
  spec.plan.epoch_stride_samples = spec.plan.samples_per_epoch;
  spec.plan.samples = epochs * spec.plan.samples_per_epoch;
  return spec;
}

TEST(Trial, TrainsTheFirstStepsOfOneEpoch) {
  const auto trial = shortened(spec_with(100, 400));
  EXPECT_EQ(trial.plan.epochs, 1);
  EXPECT_EQ(trial.plan.steps_per_epoch, 5);
  EXPECT_EQ(trial.plan.samples_per_epoch, 20);
  EXPECT_EQ(trial.plan.samples, 20);
  EXPECT_EQ(trial.plan.epoch_stride_samples, 1599) << "the same samples in the same order";
}

TEST(Trial, TheErrorThatIsTheReasonIsNoNewsInTheLog) {
  const std::string log = "rank 0: starting\nrank 0: error: no memory (of 4 GB). Take less.";
  EXPECT_EQ(news_in_log(log, "rank 0 exited: no memory (of 4 GB). Take less."), "");
  EXPECT_EQ(news_in_log(log, "rank 0 was killed"), log);
  EXPECT_EQ(news_in_log("Segmentation fault", "rank 0 was killed"), "Segmentation fault");
  EXPECT_EQ(news_in_log("", "rank 0 was killed"), "");
}

TEST(Trial, IsNeverLongerThanTheRun) {
  const auto trial = shortened(spec_with(1, 3));
  EXPECT_EQ(trial.plan.steps_per_epoch, 3);
  EXPECT_EQ(trial.plan.samples_per_epoch, 11);
}

TEST(Trial, IsAsSlowAsTheRunButLeavesItWhatHappensOnce) {
  auto spec = spec_with(1, 30);
  spec.injections = injections_from({"nan@step=2", "slow-rank=0:2x", "kill@step=3"}, "");
  EXPECT_EQ(texts_of(shortened(spec).injections), std::vector<std::string>{"slow-rank=0:2x"});
}

RunRecord record_with(const std::vector<double>& steps_s) {
  RunRecord record;
  record.steps = StepTable(1, static_cast<std::int64_t>(steps_s.size()));
  record.steps.values(&StepRow::step_s) = steps_s;
  return record;
}

TEST(Trial, TakesTheMedianOfTheStepsAfterTheColdOnes) {
  auto record = record_with({9, 4, 0.3, 0.1, 0.2});
  record.epochs = {{.evaluation_s = 0.5, .checkpoint_s = 0.25, .replica_check_s = 0.125}};
  const auto times = times_of(spec_with(1, 5), record, 17);
  EXPECT_EQ(times.step_s, 0.2);
  EXPECT_EQ(times.epoch_end_s, 0.875);
  EXPECT_EQ(times.launch_wall_time_s, 17);
}

TEST(Trial, HasATypicalStepWhereSomeAreNotCold) {
  EXPECT_EQ(typical_step_s(record_with({9, 4, 0.3})), 0.3);
  EXPECT_EQ(typical_step_s(record_with({9, 4})), std::nullopt);
  EXPECT_EQ(typical_step_s(record_with({})), std::nullopt);
}

TEST(Trial, OfASingleStepIsThatStep) {
  EXPECT_EQ(times_of(spec_with(1, 1), record_with({4}), 5).step_s, 4);
}

TEST(Trial, EvaluatesOnceAndCountsAllEvaluationsOfTheRun) {
  auto spec = spec_with(2, 10);  // 78 samples
  spec.settings.evaluation.every_samples = 20;
  const auto trial = shortened(spec);
  EXPECT_EQ(trial.settings.evaluation.every_samples, 0);
  const TrialTimes times{trial, 10, 0, 3};
  EXPECT_DOUBLE_EQ(estimate_s(times, spec), 10 + 3 * 3) << "after 20, 40, 60 and all samples";
  spec.settings.evaluation.every_samples = 0;
  EXPECT_DOUBLE_EQ(estimate_s(times, spec), 10 + 3) << "after each of two epochs";
}

}  // namespace
}  // namespace scalestudy
