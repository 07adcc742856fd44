#include "engine/run_recorder.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tests/record/sample_run.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

Mark host_mark(double s) {
  return std::llround(s * 1e9);
}

/// Every number differs from every other of its step.
StepTimes times_of(std::int64_t rank, std::int64_t step) {
  const double start_s = 100.0 * static_cast<double>(step + 1) + static_cast<double>(rank);
  return {.start_s = start_s,
          .step_s = 36,
          .phase_s = {1, 2, 7, 3, 4, 1.5, 5, 4.5},
          .phase_wait_s = 0.5,
          .phase_transfer_s = 0.25,
          .ready_s = start_s + 15.5,
          .released_s = start_s + 22};
}

StepFacts facts_of(std::int64_t rank, std::int64_t step) {
  return {.results = {14, 0.5, 0.125},
          .loss_weight = 4,
          .learning_rate = 0.125,
          .sample_count = 20 + rank,
          .epoch = 30 + step,
          .load = {0.5, 0.25, 3, 2},
          .recording = {0.75, 0.125}};
}

void record_step(RunRecorder& recorder, const StepTimes& times) {
  const auto after = [&](double s) { return host_mark(times.start_s + s); };
  recorder.add_step(std::vector<BucketMarks>{
      {.size_bytes = 64, .ready = after(1), .entered = after(2), .left = after(4), .wait_s = 1},
      {.size_bytes = 32,
       .ready = after(3),
       .entered = after(5),
       .left = after(6),
       .wait_s = 0.5,
       .cpu_s = 0.25}});
}

void expect_step(const StepRow& row, std::int64_t rank, std::int64_t step) {
  EXPECT_EQ(row.start_s, times_of(rank, step).start_s);
  EXPECT_EQ(row.step_s, 36);
  EXPECT_EQ(row.input_wait_s, 1);
  EXPECT_EQ(row.host_to_device_s, 2);
  EXPECT_EQ(row.device_step_s, 7);
  EXPECT_EQ(row.forward_s, 3);
  EXPECT_EQ(row.backward_s, 4);
  EXPECT_EQ(row.exposed_communication_s, 5);
  EXPECT_EQ(row.optimizer_s, 6);
  EXPECT_EQ(row.early_update_s, 1.5);
  EXPECT_EQ(row.local_gradient_square_norm, 0.5);
  EXPECT_EQ(row.global_gradient_square_norm, 0.125);
  EXPECT_EQ(row.phase_wait_s, 0.5);
  EXPECT_EQ(row.phase_transfer_s, 0.25);
  EXPECT_EQ(row.other_s, 36 - 28.75);
  EXPECT_EQ(row.released_s, row.start_s + 22);
  EXPECT_EQ(row.cpu_time_s, 0.5);
  EXPECT_EQ(row.run_queue_wait_s, 0.25);
  EXPECT_EQ(row.involuntary_switches_count, 3);
  EXPECT_EQ(row.major_faults_count, 2);
  EXPECT_EQ(row.recording_s, 0.75);
  EXPECT_EQ(row.recording_wait_s, 0.125);
  EXPECT_EQ(row.loss, 3.5);
  EXPECT_EQ(row.loss_weight, 4);
  EXPECT_EQ(row.learning_rate, 0.125);
  EXPECT_EQ(row.sample_count, 20 + rank);
  EXPECT_EQ(row.epoch, 30 + step);
}

TEST(RunRecorder, EveryValueOfARanksStepEndsInItsOwnColumn) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 2);
  on_ranks(2, [&](const Communicator& comm) {
    HostClock clock;
    RunRecorder recorder(comm, comm.is_root() ? &writer : nullptr, clock);
    recorder.start_at(7);
    std::vector<StepTimes> times;
    std::vector<StepFacts> facts;
    for (std::int64_t step = 0; step < 3; ++step) {
      times.push_back(times_of(comm.rank().value(), step));
      facts.push_back(facts_of(comm.rank().value(), step));
      record_step(recorder, times.back());
    }
    recorder.resolve_buckets();
    recorder.flush(times, facts);
  });
  const auto run = read_run_file(part);
  ASSERT_EQ(run.steps.steps(), 3);
  for (std::int64_t rank = 0; rank < 2; ++rank)
    for (std::int64_t step = 0; step < 3; ++step)
      expect_step(run.steps.row(rank, step), rank, step);
  ASSERT_EQ(run.buckets.size(), 12U);
  const auto& last = run.buckets.back();
  EXPECT_EQ(last.rank, 1);
  EXPECT_EQ(last.step, 9);
  EXPECT_EQ(last.bucket, 1);
  EXPECT_EQ(last.size_bytes, 32);
  EXPECT_EQ(last.ready_s, 3);
  EXPECT_EQ(last.entered_s, 5);
  EXPECT_EQ(last.all_arrived_s, 5.5);
  EXPECT_EQ(last.left_s, 6);
  EXPECT_EQ(last.cpu_s, 0.25);
  for (const auto& bucket : run.buckets) {
    EXPECT_LT(bucket.ready_s, bucket.entered_s);
    EXPECT_LT(bucket.entered_s, bucket.all_arrived_s);
    EXPECT_LT(bucket.all_arrived_s, bucket.left_s);
  }
}

/// What a step of two ranks becomes of which rank 1 is late.
RunRecord recorded(const std::function<StepTimes(bool is_late)>& times_of_rank,
                   const std::function<std::vector<BucketMarks>(bool is_late)>& buckets_of_rank) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 2);
  on_ranks(2, [&](const Communicator& comm) {
    const bool is_late = comm.rank() == Rank(1);
    HostClock clock;
    RunRecorder recorder(comm, comm.is_root() ? &writer : nullptr, clock);
    recorder.add_step(buckets_of_rank(is_late));
    recorder.resolve_buckets();
    recorder.flush({times_of_rank(is_late)}, {facts_of(comm.rank().value(), 0)});
  });
  return read_run_file(part);
}

double& time_of(StepTimes& times, Phase phase) {
  return times.phase_s[static_cast<std::size_t>(phase)];
}

/// Rank 1 is ready 6 s later than rank 0; both go on at about the same time.
TEST(RunRecorder, WaitingEndsWhereTheSlowestRankIsReady) {
  const auto times = [](bool is_late) {
    StepTimes step{.step_s = 30, .released_s = is_late ? 20.5 : 20.0};
    time_of(step, Phase::exposed_communication) = step.released_s - (is_late ? 16.0 : 10.0);
    return step;
  };
  const auto buckets = [](bool is_late) {
    return std::vector<BucketMarks>{
        {.ready = host_mark(2), .entered = host_mark(3), .left = host_mark(4)},
        {.ready = host_mark(is_late ? 15.75 : 9.75),
         .entered = host_mark(is_late ? 17 : 10),
         .left = host_mark(19)}};
  };
  const auto run = recorded(times, buckets);
  const auto early = run.steps.row(0, 0);
  const auto late = run.steps.row(1, 0);
  EXPECT_NEAR(early.ready_s, 9.75, 1e-9);
  EXPECT_NEAR(early.peer_wait_s, 5.75, 1e-9);
  EXPECT_NEAR(early.exposed_transfer_s, 4.25, 1e-9);
  EXPECT_NEAR(late.ready_s, 15.75, 1e-9);
  EXPECT_EQ(late.peer_wait_s, 0);
  EXPECT_NEAR(late.exposed_transfer_s, 4.5, 1e-9);
}

/// What a rank updates between its last gradient and its wait is no waiting.
TEST(RunRecorder, ARankThatUpdatesEarlyWaitsForLess) {
  const auto times = [](bool is_late) {
    StepTimes step{.step_s = 30, .ready_s = is_late ? 16.0 : 10.0, .released_s = 20};
    time_of(step, Phase::early_update) = 2;
    time_of(step, Phase::exposed_communication) = is_late ? 2 : 8;
    return step;
  };
  const auto run = recorded(times, [](bool) { return std::vector<BucketMarks>(); });
  EXPECT_NEAR(run.steps.row(0, 0).peer_wait_s, 4, 1e-9);
  EXPECT_NEAR(run.steps.row(0, 0).exposed_transfer_s, 4, 1e-9);
  EXPECT_EQ(run.steps.row(1, 0).peer_wait_s, 0);
  EXPECT_NEAR(run.steps.row(1, 0).exposed_transfer_s, 2, 1e-9);
}

TEST(RunRecorder, ARankWithoutSamplesHasNoLoss) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 1);
  HostClock clock;
  RunRecorder recorder(make_thread_ranks(WorldSize(1), Seconds(1)).front(), &writer, clock);
  recorder.add_step({});
  recorder.flush({times_of(0, 0)}, {StepFacts{.results = {}, .loss_weight = 0}});
  EXPECT_TRUE(std::isnan(read_run_file(part).steps.row(0, 0).loss));
}

TEST(RunRecorder, WhatRankZeroWritesAloneIsItsOwn) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 2);
  HostClock clock;
  RunRecorder recorder(make_thread_ranks(WorldSize(2), Seconds(1)).front(), &writer, clock);
  recorder.flush_alone({times_of(0, 0)}, {facts_of(0, 0)});
  const auto run = read_run_file(part);
  ASSERT_EQ(run.steps.steps(), 1);
  expect_step(run.steps.row(0, 0), 0, 0);
  EXPECT_TRUE(std::isnan(run.steps.row(0, 0).peer_wait_s))
      << "nobody knows when the other was ready";
  EXPECT_TRUE(std::isnan(run.steps.row(1, 0).step_s));
  EXPECT_EQ(run.steps.row(1, 0).sample_count, 0);
}

}  // namespace
}  // namespace scalestudy
