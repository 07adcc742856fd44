/// Checkpoints within epochs: at steps, and when somebody asks for one.

#include <thread>

#include <gmock/gmock.h>

#include "engine/epoch_loop.hpp"

#include "tests/engine/epochs.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Epochs, CheckpointsWithinThemStandAtTheStepsAskedFor) {
  auto spec = spec_of_fake_training(1, 2, 5, 4);
  spec.settings.checkpoint = {.every_epochs = 0, .every_steps = 2};
  const auto outcome = run(spec);
  EXPECT_THAT(values_of(outcome.checkpoints, &RunProgress::steps_done),
              ElementsAre(2, 4, 6, 8, 10));
  EXPECT_THAT(values_of(outcome.checkpoints, &RunProgress::epochs_done),
              ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(values_of(outcome.checkpoints, &RunProgress::samples_seen),
              ElementsAre(8, 16, 24, 32, 40));
  EXPECT_EQ(outcome.checkpoints[1].epoch_loss.weight, 16);
  EXPECT_EQ(outcome.checkpoints[2].epoch_loss.weight, 4);
}

/// From each of them: the same steps, and the same losses to the last bit.
TEST_F(Epochs, GoOnWithinOneAsIfNothingHadHappened) {
  auto spec = spec_of_fake_training(1, 2, 5, 4);
  spec.settings.checkpoint.every_steps = 1;
  const auto whole = run(spec);
  ASSERT_EQ(whole.checkpoints.size(), 12U);
  for (const auto& from : whole.checkpoints) {
    const auto rest = run(spec, {}, from);
    const auto done = static_cast<std::size_t>(from.steps_done);
    ASSERT_EQ(rest.plans.size(), 10 - done);
    for (std::size_t i = 0; i < rest.plans.size(); ++i)
      EXPECT_EQ(rest.plans[i].shard.first, whole.plans[done + i].shard.first);
    for (std::size_t i = 0; i < rest.record.epochs.size(); ++i)
      EXPECT_EQ(rest.record.epochs[i].training_loss,
                whole.record.epochs[static_cast<std::size_t>(from.epochs_done) + i].training_loss);
  }
}

TEST_F(Epochs, TheTimeOfAnEpochIsThatOfAllItsAttempts) {
  auto from = progress_after(0, epoch_layout(spec_of_fake_training(1, 1, 2, 4).plan));
  from.steps_done = 1;
  from.epoch_s = 100;
  const auto outcome = run(spec_of_fake_training(1, 1, 2, 4), {}, from);
  EXPECT_GT(outcome.record.epochs[0].epoch_s, 100);
  EXPECT_LT(outcome.record.epochs[0].epoch_s, 110);
}

TEST_F(Epochs, EndWithACheckpointWhenAskedTo) {
  const auto spec = spec_of_fake_training(1, 3, 4, 4);
  const auto file = folder_ / "checkpoint";
  const auto ask = [&](std::int64_t step) {
    if (step == 5) request_.ask(CheckpointRequest::end);
  };
  const auto outcome = run(spec, {.at_step = ask, .checkpoint_file = file});
  EXPECT_TRUE(outcome.training.interrupted);
  EXPECT_FALSE(outcome.training.diverged);
  EXPECT_THAT(outcome.training.reason, HasSubstr("there is a checkpoint after step"));
  EXPECT_EQ(outcome.last_checkpoint.epochs_done, 1);
  EXPECT_GT(outcome.last_checkpoint.steps_done, 5);
  EXPECT_EQ(outcome.record.steps.steps(), outcome.last_checkpoint.steps_done) << "nothing is lost";
  EXPECT_EQ(outcome.record.epochs.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_THAT(outcome.notes, testing::Not(testing::Contains("finish")));
}

TEST_F(Epochs, OfWorkWithoutCheckpointsEndWithNone) {
  const auto ask = [&](std::int64_t) { request_.ask(CheckpointRequest::end); };
  const auto outcome = run(spec_of_fake_training(1, 3, 4, 4), {.at_step = ask});
  EXPECT_TRUE(outcome.training.interrupted);
  EXPECT_THAT(outcome.training.reason, HasSubstr("there is no checkpoint after step"));
}

TEST_F(Epochs, WhatACheckpointWithinOneTakesStandsBeforeTheNextStep) {
  auto spec = spec_of_fake_training(1, 1, 4, 4);
  spec.settings.checkpoint = {.every_epochs = 0, .every_steps = 2};
  const auto record = run(spec, {.checkpoint_time = Seconds(0.01)}).record;
  EXPECT_EQ(record.steps.at(&StepRow::saving_s, 0, 1), 0);
  EXPECT_GE(record.steps.at(&StepRow::saving_s, 0, 2), 0.01);
  EXPECT_EQ(record.steps.at(&StepRow::saving_s, 0, 3), 0);
  EXPECT_GE(record.epochs.at(0).checkpoint_s, 0.02);
}

TEST_F(Epochs, GoOnAfterACheckpointWhenAskedForOneOnly) {
  const auto spec = spec_of_fake_training(1, 3, 4, 4);
  const auto ask = [&](std::int64_t step) {
    if (step == 5) request_.ask(CheckpointRequest::go_on);
  };
  const auto outcome = run(spec, {.at_step = ask});
  EXPECT_FALSE(outcome.training.is_early());
  EXPECT_EQ(outcome.record.epochs.size(), 3U);
  EXPECT_EQ(outcome.checkpoints.size(), 3U + 1U);
  EXPECT_EQ(outcome.notes.back(), "finish");
}

TEST_F(Epochs, AreDeafWhereNoCheckpointIsWanted) {
  auto spec = spec_of_fake_training(1, 1, 4, 4);
  spec.settings.checkpoint = {.every_epochs = 0, .every_steps = 0};
  bool is_heard = true;
  const auto look = [&](std::int64_t) {
    is_heard = request_.is_heard();
    request_.ask(CheckpointRequest::end);
  };
  const auto outcome = run(spec, {.at_step = look});
  EXPECT_FALSE(is_heard) << "a signal ends the process at once";
  EXPECT_FALSE(outcome.training.is_early());
  EXPECT_THAT(outcome.checkpoints, testing::IsEmpty());
}

TEST_F(Epochs, WhatOneRankIsAskedForAllDoAtTheSameStep) {
  const auto spec = spec_of_fake_training(3, 2, 4, 6);
  const auto comms = make_thread_ranks(WorldSize(3), Seconds(60));
  std::vector<Outcome> outcomes(3);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 3; ++rank)
    ranks.emplace_back([&, rank] {
      const auto ask = [&, rank](std::int64_t step) {
        if (rank == 2 && step == 1) request_.ask(CheckpointRequest::end);
      };
      FakeTraining work(comms[rank], {.at_step = ask});
      train(spec, comms[rank], work, nullptr, {}, outcomes[rank]);
      outcomes[rank].last_checkpoint = work.last_checkpoint();
    });
  for (auto& rank : ranks) rank.join();
  for (const auto& outcome : outcomes) {
    EXPECT_TRUE(outcome.training.interrupted);
    EXPECT_EQ(outcome.last_checkpoint.steps_done, outcomes[0].last_checkpoint.steps_done);
    EXPECT_EQ(outcome.last_checkpoint.epochs_done, 0);
  }
}

/// What rank 0 writes alone is no wait for its gradients.
TEST_F(Epochs, NoRankTrainsOnBeforeACheckpointIsInItsPlace) {
  const auto file = folder_ / "checkpoint";
  for (const std::int64_t every_steps : {0, 2}) {
    const auto comms = make_thread_ranks(WorldSize(2), Seconds(60));
    auto spec = spec_of_fake_training(2, 2, 3, 4);
    spec.settings.checkpoint = {.every_epochs = 1, .every_steps = every_steps};
    std::filesystem::remove(file);
    std::vector<bool> was_there;  // of each step of rank 1
    Outcome outcomes[2];
    std::thread other([&] {
      const auto look = [&](std::int64_t) { was_there.push_back(std::filesystem::exists(file)); };
      FakeTraining work(comms[1], {.at_step = look});
      train(spec, comms[1], work, nullptr, {}, outcomes[1]);
    });
    FakeTraining work(comms[0], {.checkpoint_time = Seconds(0.05), .checkpoint_file = file});
    train(spec, comms[0], work, nullptr, {}, outcomes[0]);
    other.join();
    const bool within = every_steps == 2;
    EXPECT_THAT(was_there, ElementsAre(false, false, within, true, true, true));
  }
}

}  // namespace
}  // namespace scalestudy
