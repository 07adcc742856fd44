#include "engine/epoch_loop.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/rendezvous.hpp"

#include "tests/engine/epochs.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;

/// One rank alone, which keeps what its peers would hear.
class Overheard final : public CommunicatorInterface,
                        public std::enable_shared_from_this<Overheard> {
 public:
  [[nodiscard]] std::string_view name() const override { return "overheard"; }
  [[nodiscard]] std::string transport() const override { return "none"; }
  [[nodiscard]] Rank rank() const override { return Rank(0); }
  [[nodiscard]] WorldSize world_size() const override { return WorldSize(1); }
  CollectiveTimes all_reduce(BufferView, ReduceOp) override { return {}; }
  CollectiveTimes reduce(BufferView, ReduceOp, Rank) override { return {}; }
  CollectiveTimes broadcast(BufferView, Rank) override { return {}; }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    std::memcpy(all.data, mine.data, static_cast<std::size_t>(mine.bytes().value()));
    return {};
  }
  CollectiveTimes reduce_scatter(ConstBufferView, BufferView, ReduceOp) override { return {}; }
  CollectiveTimes barrier(std::optional<Seconds>) override {
    return {.entered = {}, .all_arrived = Clock::time_point(barrier_wait), .left = {}};
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string&) override {
    return shared_from_this();
  }
  std::shared_ptr<CommunicatorInterface> split(std::int64_t, const std::string&) override {
    return shared_from_this();
  }
  void set_clock_offset(Seconds) override {}
  void abort(const std::string& why, ExitCode code) noexcept override {
    reason = why;
    exit_code = code;
  }

  std::string reason;
  ExitCode exit_code = ExitCode::done;
  Clock::duration barrier_wait{};
};

TEST_F(Epochs, FollowEachOtherInOrder) {
  const auto outcome = run(spec_of_fake_training(1, 2, 3, 4), {.validation_losses = {0.5, 0.6}});
  EXPECT_THAT(outcome.notes,
              ElementsAre("start 0", "steps", "unite 12", "evaluate", "best", "checkpoint 1",
                          "steps", "unite 12", "evaluate", "checkpoint 2", "finish"));
  EXPECT_FALSE(outcome.training.diverged);
  EXPECT_EQ(outcome.record.steps.steps(), 6);
  EXPECT_EQ(outcome.record.panels.size(), 1U);
}

TEST_F(Epochs, StepsAreNumberedThroughAndGetTheirSamplesAndRate) {
  const auto outcome = run(spec_of_fake_training(1, 2, 3, 4));
  ASSERT_EQ(outcome.plans.size(), 6U);
  for (std::size_t i = 0; i < outcome.plans.size(); ++i) {
    const auto& plan = outcome.plans[i];
    EXPECT_EQ(plan.step.value(), static_cast<std::int64_t>(i));
    EXPECT_EQ(plan.shard.first, static_cast<std::int64_t>(4 * i));
    EXPECT_EQ(plan.shard.count, 4);
    EXPECT_EQ(plan.learning_rate, 0.5);
  }
}

TEST_F(Epochs, EveryValueOfAnEpochStandsInItsOwnColumn) {
  auto spec = spec_of_fake_training(1, 2, 3, 4);
  spec.settings.schedule.name = ScheduleKind::step;
  spec.settings.schedule.factor = 0.1;
  spec.plan.milestones_epochs = {1};
  const auto outcome = run(spec, {.validation_losses = {0.75, 0.125},
                                  .unite_time = Seconds(0.03),
                                  .evaluate_time = Seconds(0.09),
                                  .checkpoint_time = Seconds(0.27)});
  const auto& epochs = outcome.record.epochs;
  EXPECT_THAT(values_of(epochs, &EpochRow::validation_loss), ElementsAre(0.75, 0.125));
  EXPECT_THAT(values_of(epochs, &EpochRow::samples_seen), ElementsAre(12, 24));
  EXPECT_THAT(values_of(epochs, &EpochRow::learning_rate), ElementsAre(0.5, 0.05));
  EXPECT_THAT(values_of(epochs, &EpochRow::training_loss),
              ElementsAre(testing::DoubleEq((1 + 1.0 / 2 + 1.0 / 3) / 3),
                          testing::DoubleEq((1.0 / 4 + 1.0 / 5 + 1.0 / 6) / 3)));
  // Sleeping takes at least as long as asked for; swapped, a longer one would stand too low.
  EXPECT_THAT(values_of(epochs, &EpochRow::replica_check_s), Each(Ge(0.03)));
  EXPECT_THAT(values_of(epochs, &EpochRow::evaluation_s), Each(Ge(0.09)));
  EXPECT_THAT(values_of(epochs, &EpochRow::checkpoint_s), Each(Ge(0.27)));
  for (const auto& epoch : epochs) EXPECT_GT(epoch.end_s, epoch.epoch_s + 0.39);
}

TEST_F(Epochs, EveryFactOfAStepStandsInItsOwnColumn) {
  const auto outcome = run(spec_of_fake_training(1, 2, 2, 4));
  const auto& steps = outcome.record.steps;
  EXPECT_THAT(steps.values(&StepRow::loss), ElementsAre(1, 1.0 / 2, 1.0 / 3, 1.0 / 4));
  EXPECT_THAT(steps.values(&StepRow::loss_weight), Each(4));
  EXPECT_THAT(steps.values(&StepRow::sample_count), Each(4));
  EXPECT_THAT(steps.values(&StepRow::learning_rate), Each(0.5));
  EXPECT_THAT(steps.values(&StepRow::epoch), ElementsAre(0, 0, 1, 1));
}

/// Also where the first exchange of a flush is that of the monitors or of arrivals.
TEST_F(Epochs, RanksThatWaitForSlowerOnesBeforeRecordingSayHowLong) {
  const auto peers = std::make_shared<Overheard>();
  peers->barrier_wait = std::chrono::milliseconds(250);
  const Communicator comm(peers);
  const auto part = folder_ / "run.h5.part";
  RunFileWriter writer(part, RunHeader{.run_id = "test"}, 1);
  FakeTraining work(comm, {});
  Outcome outcome;
  train(spec_of_fake_training(1, 1, 2, 4), comm, work, &writer, {}, outcome);
  EXPECT_EQ(outcome.error, "");
  writer.flush();
  EXPECT_THAT(read_run_file(part).steps.values(&StepRow::recording_wait_s), ElementsAre(0, 0.25));
}

TEST_F(Epochs, EvaluationsSayAfterWhichEpochAndOfWhichSet) {
  const auto outcome = run(spec_of_fake_training(1, 2, 1, 4), {.validation_losses = {0.5, 0.25}});
  const auto& evaluations = outcome.record.evaluations;
  EXPECT_THAT(values_of(evaluations, &EvaluationRow::epoch), ElementsAre(0, 1, 1));
  EXPECT_THAT(values_of(evaluations, &EvaluationRow::loss), ElementsAre(0.5, 0.25, 0.25));
  EXPECT_THAT(values_of(evaluations, &EvaluationRow::evaluation_set),
              ElementsAre("validation", "validation", "test"));
}

TEST_F(Epochs, ANonFiniteTrainingLossEndsTheRunAndKeepsTheStep) {
  const auto outcome = run(spec_of_fake_training(1, 3, 4, 4), {.spoilt_step = 5});
  EXPECT_TRUE(outcome.training.diverged);
  EXPECT_THAT(outcome.training.reason, HasSubstr("epoch 1"));
  EXPECT_EQ(outcome.record.epochs.size(), 1U);
  EXPECT_GE(outcome.record.steps.steps(), 6);
  EXPECT_EQ(outcome.notes.back(), "steps") << "nothing is evaluated or saved after it";
}

TEST_F(Epochs, ANonFiniteValidationLossIsAnEventAndNeverTheBest) {
  const auto outcome =
      run(spec_of_fake_training(1, 2, 1, 4), {.validation_losses = {std::nan(""), 0.5}});
  ASSERT_EQ(outcome.record.events.size(), 1U);
  EXPECT_EQ(outcome.record.events[0].code, "nonfinite_validation_loss");
  EXPECT_THAT(outcome.record.events[0].message, HasSubstr("epoch 0"));
  EXPECT_EQ(std::count(outcome.notes.begin(), outcome.notes.end(), "best"), 1);
}

TEST_F(Epochs, CheckpointsAreRareWhenAskedAndAlwaysAtTheEnd) {
  auto spec = spec_of_fake_training(1, 5, 1, 4);
  const auto checkpoints_with = [&](std::int64_t every) {
    spec.settings.checkpoint.every_epochs = every;
    std::vector<std::string> found;
    for (const auto& note : run(spec).notes)
      if (note.starts_with("checkpoint")) found.push_back(note);
    return found;
  };
  EXPECT_THAT(checkpoints_with(2), ElementsAre("checkpoint 2", "checkpoint 4", "checkpoint 5"));
  EXPECT_THAT(checkpoints_with(0), ElementsAre());
}

TEST_F(Epochs, ACheckpointIsPublishedOnlyWhenItsEpochIsRecorded) {
  const auto file = folder_ / "checkpoint";
  const auto outcome = run(spec_of_fake_training(1, 2, 1, 4), {.checkpoint_file = file});
  EXPECT_EQ(content_of(file), "2");
  EXPECT_EQ(outcome.last_checkpoint.steps_done, 2);
  EXPECT_EQ(outcome.last_checkpoint.samples_seen, 8);
  EXPECT_EQ(outcome.last_checkpoint.best_validation_loss, 0.5);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "checkpoint.part"));
}

TEST_F(Epochs, GoOnWhereAnEarlierAttemptStopped) {
  auto spec = spec_of_fake_training(1, 4, 3, 4);
  spec.settings.schedule.name = ScheduleKind::reduce_on_plateau;
  const auto whole = run(spec, {.validation_losses = {1, 1, 1, 1}});
  auto from = progress_after(2, epoch_layout(spec.plan));
  EXPECT_EQ(from.samples_seen, 24);
  from.best_validation_loss = 1;
  from.schedule_state = run(spec_of_fake_training(1, 1, 1, 1)).last_checkpoint.schedule_state;
  EXPECT_TRUE(from.schedule_state.empty()) << "a constant rate remembers nothing";
  spec.plan.epochs = 2;
  from.schedule_state = run(spec, {.validation_losses = {1, 1}}).last_checkpoint.schedule_state;
  spec.plan.epochs = 4;
  const auto rest = run(spec, {.validation_losses = {1, 1}}, from);
  ASSERT_EQ(rest.plans.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(rest.plans[i].step.value(), whole.plans[6 + i].step.value());
    EXPECT_EQ(rest.plans[i].shard.first, whole.plans[6 + i].shard.first);
    EXPECT_EQ(rest.plans[i].learning_rate, whole.plans[6 + i].learning_rate);
  }
  EXPECT_LT(rest.plans.back().learning_rate, 0.5) << "the plateau was reached";
  EXPECT_EQ(rest.notes.front(), "start 6");
  EXPECT_EQ(std::count(rest.notes.begin(), rest.notes.end(), "best"), 0);
}

TEST_F(Epochs, AnErrorKeepsTheStepsBeforeItAndTellsTheHeartbeat) {
  const auto outcome = run(spec_of_fake_training(1, 1, 9, 4), {.failing_step = 5});
  EXPECT_THAT(outcome.error, HasSubstr("The forward pass failed"));
  EXPECT_EQ(outcome.record.steps.steps(), 5);
  const auto heartbeat = read_heartbeat(heartbeat_file(folder_.path(), 0));
  ASSERT_TRUE(heartbeat.has_value());
  EXPECT_THAT(heartbeat->error, HasSubstr("The forward pass failed"));
}

TEST_F(Epochs, LackOfMemoryInAStepIsToldToThePeersInOurWords) {
  const auto peers = std::make_shared<Overheard>();
  const Communicator comm(peers);
  FakeTraining work(comm, {.starving_step = 0});
  Outcome outcome;
  train(spec_of_fake_training(1, 1, 2, 4), comm, work, nullptr, {}, outcome);
  EXPECT_EQ(outcome.error, "bad_alloc");
  EXPECT_THAT(peers->reason, HasSubstr("Out of memory"));
  EXPECT_EQ(peers->exit_code, ExitCode::run_failed);
  const auto heartbeat = read_heartbeat(heartbeat_file(folder_.path(), 0));
  ASSERT_TRUE(heartbeat.has_value());
  EXPECT_THAT(heartbeat->error, HasSubstr("Out of memory"));
}

TEST_F(Epochs, AnErrorOfOneRankFreesTheOthers) {
  const auto spec = spec_of_fake_training(3, 2, 4, 6);
  const auto comms = make_thread_ranks(WorldSize(3), Seconds(60));
  std::vector<Outcome> outcomes(3);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 3; ++rank)
    ranks.emplace_back([&, rank] {
      FakeTraining work(comms[rank], {.failing_step = rank == 2 ? 3 : -1});
      train(spec, comms[rank], work, nullptr, {}, outcomes[rank]);
    });
  const Stopwatch waited;
  for (auto& rank : ranks) rank.join();
  EXPECT_LT(waited.elapsed_s(), 30);
  for (const auto& outcome : outcomes)
    EXPECT_THAT(outcome.error, HasSubstr("The forward pass failed"));
}

/// Not those of the last step alone, in which the second rank has none.
TEST_F(Epochs, ReplicasAreUnitedByTheSamplesOfTheWholeEpoch) {
  auto spec = spec_of_fake_training(2, 2, 3, 4);
  spec.plan.samples_per_epoch = 9;
  const auto outcomes = run_on_ranks(spec);
  EXPECT_EQ(std::ranges::count(outcomes[0].notes, "unite 5"), 2);
  EXPECT_EQ(std::ranges::count(outcomes[1].notes, "unite 4"), 2);
}

TEST_F(Epochs, RanksShareEveryStepAndARankMayHaveNoSamples) {
  const auto spec = spec_of_fake_training(3, 1, 2, 2);
  const auto outcomes = run_on_ranks(spec);
  EXPECT_EQ(outcomes[0].plans[1].shard.first, 2);
  EXPECT_EQ(outcomes[1].plans[1].shard.first, 3);
  EXPECT_EQ(outcomes[2].plans[1].shard.count, 0);
  EXPECT_THAT(outcomes[2].notes, testing::Contains("unite 0"));
  EXPECT_THAT(outcomes[0].notes, testing::Contains("unite 2"));
}

}  // namespace
}  // namespace scalestudy
