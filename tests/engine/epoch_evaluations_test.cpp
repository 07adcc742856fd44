/// Evaluations within epochs: by samples, so that every number of ranks has the same chances.

#include <cmath>

#include <gmock/gmock.h>

#include "engine/epoch_loop.hpp"

#include "tests/engine/epochs.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Ge;

RunSpec spec_with_evaluations(std::int64_t epochs,
                              std::int64_t steps,
                              std::int64_t batch,
                              std::int64_t every_samples) {
  auto spec = spec_of_fake_training(1, epochs, steps, batch);
  spec.settings.evaluation.every_samples = every_samples;
  return spec;
}

TEST_F(Epochs, AreEvaluatedBySamplesWithinAndAcrossThem) {
  const auto outcome = run(spec_with_evaluations(2, 3, 4, 8), {.validation_losses = {3, 2, 2.5}});
  EXPECT_THAT(outcome.notes,
              ElementsAre("start 0", "steps", "unite 8", "evaluate", "best", "steps", "unite 4",
                          "checkpoint 1", "steps", "unite 4", "evaluate", "best", "steps",
                          "unite 8", "evaluate", "checkpoint 2", "finish"));
}

TEST_F(Epochs, EvaluationsSayHowManySamplesTheirWeightsHaveSeen) {
  const auto outcome = run(spec_with_evaluations(2, 3, 4, 8));
  const auto& evaluations = outcome.record.evaluations;
  EXPECT_THAT(values_of(evaluations, &EvaluationRow::samples_seen), ElementsAre(8, 16, 24, 24));
  EXPECT_THAT(values_of(evaluations, &EvaluationRow::epoch), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(values_of(evaluations, &EvaluationRow::weights),
              ElementsAre("current", "current", "current", "best"));
  for (std::size_t i = 1; i < evaluations.size(); ++i)
    EXPECT_GT(evaluations[i].end_s, evaluations[i - 1].end_s);
}

TEST_F(Epochs, AnEpochWhoseEndHasNoEvaluationHasNoValidationLoss) {
  const auto outcome = run(spec_with_evaluations(2, 3, 4, 8), {.validation_losses = {3, 2, 2.5}});
  ASSERT_EQ(outcome.record.epochs.size(), 2U);
  EXPECT_TRUE(std::isnan(outcome.record.epochs[0].validation_loss));
  EXPECT_EQ(outcome.record.epochs[1].validation_loss, 2.5);
}

TEST_F(Epochs, TheEndOfTrainingIsAlwaysEvaluated) {
  const auto outcome = run(spec_with_evaluations(1, 5, 4, 16));
  EXPECT_THAT(values_of(outcome.record.evaluations, &EvaluationRow::samples_seen),
              ElementsAre(16, 20, 20));
}

TEST_F(Epochs, ABatchThatPassesTwoPointsIsEvaluatedOnce) {
  const auto outcome = run(spec_with_evaluations(1, 3, 8, 4));
  EXPECT_THAT(values_of(outcome.record.evaluations, &EvaluationRow::samples_seen),
              ElementsAre(8, 16, 24, 24));
}

/// Twice the batch, half the steps: as if nothing had changed.
TEST_F(Epochs, LargerBatchesAreEvaluatedAtTheSameSamples) {
  const auto small = run(spec_with_evaluations(4, 6, 2, 8));
  const auto large = run(spec_with_evaluations(2, 6, 4, 8));
  EXPECT_EQ(values_of(small.record.evaluations, &EvaluationRow::samples_seen),
            values_of(large.record.evaluations, &EvaluationRow::samples_seen));
}

TEST_F(Epochs, WhatAnEvaluationWithinOneTakesStandsBeforeTheNextStep) {
  const auto outcome = run(spec_with_evaluations(1, 3, 4, 4),
                           {.unite_time = Seconds(0.02), .evaluate_time = Seconds(0.06)});
  const auto& times_s = outcome.record.steps.values(&StepRow::evaluation_s);
  EXPECT_EQ(times_s[0], 0);
  EXPECT_GE(times_s[1], 0.08);
  EXPECT_GE(times_s[2], 0.08);
  const auto& epoch = outcome.record.epochs.front();
  EXPECT_GE(epoch.evaluation_s, 3 * 0.06);
  EXPECT_GE(epoch.replica_check_s, 3 * 0.02);
  EXPECT_LE(epoch.epoch_s + epoch.evaluation_s + epoch.replica_check_s, epoch.end_s)
      << "no part of the epoch's steps";
}

/// From each checkpoint: the same evaluations after it, by the same samples.
TEST_F(Epochs, GoOnBetweenEvaluationsAsIfNothingHadHappened) {
  auto spec = spec_with_evaluations(2, 5, 4, 12);
  spec.settings.checkpoint.every_steps = 1;
  const auto whole = run(spec);
  const auto unites = [](const std::vector<std::string>& notes) {
    std::vector<std::string> found;
    for (const auto& note : notes)
      if (note.starts_with("unite")) found.push_back(note);
    return found;
  };
  const auto all = unites(whole.notes);
  ASSERT_EQ(all.size(), 5U) << "at 12, 20 (end of epoch), 24, 36 and 40 samples";
  for (const auto& from : whole.checkpoints) {
    if (!is_within_epoch(from, epoch_layout(spec.plan))) continue;
    const auto rest = unites(run(spec, {}, from).notes);
    ASSERT_LE(rest.size(), all.size());
    EXPECT_TRUE(std::equal(rest.rbegin(), rest.rend(), all.rbegin())) << from.steps_done;
  }
}

TEST_F(Epochs, RanksEvaluateTogether) {
  auto spec = spec_of_fake_training(2, 1, 4, 4);
  spec.settings.evaluation.every_samples = 8;
  const auto outcomes = run_on_ranks(spec);
  EXPECT_EQ(outcomes[0].error, "");
  EXPECT_EQ(outcomes[0].notes, outcomes[1].notes);
  EXPECT_EQ(std::ranges::count(outcomes[0].notes, "unite 4"), 2) << "each rank's own samples";
}

}  // namespace
}  // namespace scalestudy
