#include "record/study_folder/earlier_attempt.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t ranks = 2;

/// Of all ranks in the first so many steps.
std::int64_t samples_of(std::int64_t steps) {
  double sum = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    for (std::int64_t step = 0; step < steps; ++step)
      sum += sample_step_value(rank, step, &StepRow::sample_count);
  return static_cast<std::int64_t>(sum);
}

EvaluationRow evaluation_after(std::int64_t steps, std::string_view weights) {
  return {.weights = std::string(weights),
          .samples_seen = samples_of(steps),
          .evaluation_set_hash = cat("hash ", steps)};
}

/// Two steps an epoch, an evaluation after each and a bucket a step; an event after each epoch.
void record_epochs(RunFileWriter& writer, std::int64_t count) {
  for (std::int64_t epoch = 0; epoch < count; ++epoch) {
    writer.append_steps(2, sample_steps(ranks, 2 * epoch, 2));
    for (std::int64_t step = 2 * epoch; step < 2 * epoch + 2; ++step)
      for (std::int64_t rank = 0; rank < ranks; ++rank)
        writer.append_buckets(std::vector<BucketRow>{{.rank = rank,
                                                      .step = step,
                                                      .bucket = 0,
                                                      .size_bytes = 64,
                                                      .ready_s = 1,
                                                      .entered_s = 2,
                                                      .left_s = 3}});
    const auto end_s = static_cast<double>(epoch + 1) * 10;
    writer.append_epoch({.samples_seen = samples_of(2 * epoch + 2), .end_s = end_s});
    for (const auto step : {2 * epoch + 1, 2 * epoch + 2})
      writer.append_evaluation(evaluation_after(step, current_weights));
    writer.append_event({.time_s = end_s, .message = cat("epoch ", epoch)});
    writer.append_monitor(std::vector<MonitorRow>{{.rank = 0, .time_s = end_s}});
  }
}

class EarlierAttemptTest : public ::testing::Test {
 protected:
  void add_attempt(const std::string& name, std::int64_t epochs, std::int64_t more_steps = 0) {
    write_attempt(name, epochs, more_steps);
    close_run_file(folder_ / name / "run.h5.part", {.status = RunStatus::failed});
  }

  void write_attempt(const std::string& name, std::int64_t epochs, std::int64_t more_steps = 0) {
    fs::create_directories(folder_ / name);
    RunFileWriter writer(folder_ / name / "run.h5.part", sample_header(), ranks);
    record_epochs(writer, epochs);
    writer.append_steps(more_steps, sample_steps(ranks, 2 * epochs, more_steps));
    writer.append_evaluation(evaluation_after(2 * epochs, best_weights));
    writer.flush();
  }
  TemporaryFolder folder_;
};

TEST_F(EarlierAttemptTest, TheNewestThatGotFarEnoughIsTaken) {
  add_attempt("attempt-1", 2);
  add_attempt("attempt-2", 3, 1);
  add_attempt("attempt-10", 1);
  fs::create_directories(folder_ / "attempt-11");  // killed before it recorded anything
  const auto name_for = [&](std::int64_t epochs) {
    return find_earlier_attempt(folder_ / "", {2 * epochs, epochs}).name;
  };
  EXPECT_EQ(name_for(1), "attempt-10");
  EXPECT_EQ(name_for(2), "attempt-2");
  EXPECT_EQ(name_for(3), "attempt-2");
  EXPECT_THROW((void)name_for(4), BadInput);
}

TEST_F(EarlierAttemptTest, ADamagedOneIsPassedOver) {
  add_attempt("attempt-1", 2);
  add_attempt("attempt-2", 2);
  const auto damaged = folder_ / "attempt-2" / "run.h5";
  fs::resize_file(damaged, fs::file_size(damaged) / 2);
  EXPECT_EQ(find_earlier_attempt(folder_ / "", {4, 2}).name, "attempt-1");
  EXPECT_THAT(message_of([&] {
                return find_earlier_attempt(folder_ / "", {6, 3});
              }),
              HasSubstr("before the checkpoint; not readable: attempt-2 ("));
}

TEST_F(EarlierAttemptTest, OneThatCouldNotBeClosedCounts) {
  write_attempt("attempt-1", 2);
  EXPECT_EQ(find_earlier_attempt(folder_ / "", {4, 2}).record.epochs.size(), 2U);
}

TEST_F(EarlierAttemptTest, CarriesThePartBeforeTheCheckpointAndNoMore) {
  add_attempt("attempt-1", 3, 1);
  const auto earlier = find_earlier_attempt(folder_ / "", {4, 2});
  const auto part = folder_ / "run.h5.part";
  {
    RunFileWriter writer(part, sample_header(), ranks);
    EXPECT_EQ(carry_over(earlier.record, {4, 2}, writer), 20.0);
    writer.append_steps(1, sample_steps(ranks, 4, 1));
    writer.flush();
  }
  const auto run = read_run_file(part);
  ASSERT_EQ(run.steps.steps(), 5);
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    for (std::int64_t step = 0; step < 5; ++step)
      EXPECT_EQ(run.steps.row(rank, step).step_s, sample_step_value(rank, step, &StepRow::step_s));
  EXPECT_THAT(values_of(run.epochs, &EpochRow::end_s), ElementsAre(10, 20));
  EXPECT_THAT(values_of(run.evaluations, &EvaluationRow::evaluation_set_hash),
              ElementsAre("hash 1", "hash 2", "hash 3", "hash 4"));
  EXPECT_THAT(values_of(run.buckets, &BucketRow::step), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(values_of(run.events, &EventRow::message), ElementsAre("epoch 0", "epoch 1"));
  EXPECT_THAT(values_of(run.monitor, &MonitorRow::time_s), ElementsAre(10, 20));
}

TEST_F(EarlierAttemptTest, WithinAnEpochItsStepsAreCarriedButNotItsEnd) {
  add_attempt("attempt-1", 3);
  const RecordedPart within{5, 2, /*is_within_epoch=*/true};
  const auto earlier = find_earlier_attempt(folder_ / "", within);
  const auto part = folder_ / "run.h5.part";
  {
    RunFileWriter writer(part, sample_header(), ranks);
    const auto last_end_s = [](std::int64_t rank) {
      return sample_step_value(rank, 4, &StepRow::start_s) +
             sample_step_value(rank, 4, &StepRow::step_s);
    };
    EXPECT_EQ(carry_over(earlier.record, within, writer), last_end_s(ranks - 1));
  }
  const auto run = read_run_file(part);
  EXPECT_EQ(run.steps.steps(), 5);
  EXPECT_EQ(run.epochs.size(), 2U);
  EXPECT_EQ(run.evaluations.back().evaluation_set_hash, "hash 5");
  EXPECT_EQ(run.buckets.back().step, 4);
}

/// A checkpoint after an epoch's last step, before what follows it: the evaluation is made again.
TEST_F(EarlierAttemptTest, AnEpochsEndThatHappensAgainIsNotCarried) {
  add_attempt("attempt-1", 3);
  const RecordedPart before_the_end{4, 1, /*is_within_epoch=*/true};
  const auto earlier = find_earlier_attempt(folder_ / "", before_the_end);
  const auto part = folder_ / "run.h5.part";
  {
    RunFileWriter writer(part, sample_header(), ranks);
    static_cast<void>(carry_over(earlier.record, before_the_end, writer));
  }
  const auto run = read_run_file(part);
  EXPECT_EQ(run.epochs.size(), 1U);
  EXPECT_EQ(run.evaluations.back().evaluation_set_hash, "hash 3");
}

}  // namespace
}  // namespace scalestudy
