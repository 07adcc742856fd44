#pragma once
/// What is recorded of every step and of every bucket in it (record/run_file/columns.hpp has the
/// rest).

#include <array>
#include <cstdint>

#include "record/run_file/column.hpp"

namespace scalestudy {

/// /steps/<name>[rank, step]
struct StepRow {
  static constexpr std::string_view group = "/steps";
  double step_s = not_recorded;
  double input_wait_s = not_recorded;
  double host_to_device_s = not_recorded;
  double device_step_s = 0;
  double forward_s = not_recorded;
  double backward_s = not_recorded;
  double exposed_communication_s = not_recorded;
  double peer_wait_s = not_recorded;
  double exposed_transfer_s = not_recorded;
  double phase_wait_s = not_recorded;
  double phase_transfer_s = not_recorded;
  double optimizer_s = not_recorded;
  double early_update_s = 0;
  double other_s = not_recorded;
  double start_s = not_recorded;
  double ready_s = not_recorded;
  double released_s = not_recorded;
  double batch_make_s = not_recorded;
  double batch_hand_over_s = not_recorded;
  double recording_s = not_recorded;
  double recording_wait_s = not_recorded;
  double saving_s = 0;
  double evaluation_s = 0;
  double link_model_s = 0;
  double link_excess_s = 0;
  double cpu_time_s = not_recorded;
  double run_queue_wait_s = not_recorded;
  double loss = not_recorded;
  double loss_weight = not_recorded;
  double local_gradient_square_norm = not_recorded;
  double global_gradient_square_norm = not_recorded;
  double learning_rate = not_recorded;
  std::int64_t sample_count = 0;
  std::int64_t epoch = 0;
  std::int64_t batch_ready_count = -1;
  std::int64_t involuntary_switches_count = 0;
  std::int64_t major_faults_count = 0;
};
template <>
inline constexpr std::array columns_of<StepRow>{
    column<&StepRow::step_s>("s", "Wall time of the step", Better::lower, "max over ranks"),
    column<&StepRow::input_wait_s>(
        "s", "Waiting for the next batch", Better::lower, "mean over ranks"),
    column<&StepRow::host_to_device_s>(
        "s", "Copying the batch to the device", Better::lower, "mean over ranks"),
    column<&StepRow::device_step_s>(
        "s",
        "Forward and backward pass replayed as one device graph; 0 where they are timed apart",
        Better::lower,
        "mean over ranks"),
    column<&StepRow::forward_s>("s", "Forward pass and loss", Better::lower, "mean over ranks"),
    column<&StepRow::backward_s>("s", "Backward pass", Better::lower, "mean over ranks"),
    column<&StepRow::exposed_communication_s>(
        "s",
        "Blocked for gradients after the backward pass: peer_wait_s and exposed_transfer_s",
        Better::lower,
        "mean over ranks"),
    column<&StepRow::peer_wait_s>(
        "s",
        "Part of it until the last gradient of the slowest rank was ready: waiting, no "
        "communication",
        Better::lower,
        "mean over ranks"),
    column<&StepRow::exposed_transfer_s>(
        "s", "Part of it from then on: moving bytes", Better::lower, "mean over ranks"),
    column<&StepRow::phase_wait_s>(
        "s",
        "Waiting for slower ranks in collectives inside a phase, not counted in the phase",
        Better::lower,
        "mean over ranks"),
    column<&StepRow::phase_transfer_s>(
        "s",
        "The rest of collectives inside a phase, not counted in the phase",
        Better::lower,
        "mean over ranks"),
    column<&StepRow::optimizer_s>("s", "Parameter update", Better::lower, "mean over ranks"),
    column<&StepRow::early_update_s>(
        "s",
        "Part of it before all gradients had come, between ready_s and the wait for them",
        Better::none,
        "per rank"),
    column<&StepRow::other_s>(
        "s", "Step time not covered by a phase", Better::lower, "mean over ranks"),
    column<&StepRow::start_s>(
        "s", "Start of the step after the training clock's start", Better::none, "per rank"),
    column<&StepRow::ready_s>(
        "s",
        "The rank's last gradient was ready, after the training clock's start",
        Better::none,
        "per rank"),
    column<&StepRow::released_s>("s",
                                 "The gradients of all ranks had come (without communication: "
                                 "its own), after the training clock's start",
                                 Better::none,
                                 "per rank"),
    column<&StepRow::batch_make_s>(
        "s",
        "Making the batch, mostly while earlier steps ran; with serial input those of all ranks",
        Better::lower,
        "per rank; serial: rank 0"),
    column<&StepRow::batch_hand_over_s>(
        "s", "Serial input: moving the batch to this rank", Better::lower, "per rank"),
    column<&StepRow::recording_s>(
        "s", "Collecting and writing records just before the step", Better::lower, "rank 0"),
    column<&StepRow::recording_wait_s>(
        "s", "Part of it spent waiting for slower ranks", Better::lower, "per rank"),
    column<&StepRow::saving_s>(
        "s",
        "Writing a checkpoint within the epoch just before the step; part of its checkpoint_s",
        Better::lower,
        "rank 0"),
    column<&StepRow::evaluation_s>(
        "s",
        "Evaluating within the epoch just before the step: comparing replicas and keeping the best "
        "weights included; part of the epoch's times of these",
        Better::lower,
        "rank 0"),
    column<&StepRow::link_model_s>(
        "s",
        "What the model of the emulated link says of the collectives since the step before; all "
        "ranks take part in each, so that all have the same time",
        Better::none,
        "mean over ranks"),
    column<&StepRow::link_excess_s>(
        "s", "What they took longer than that", Better::lower, "mean over ranks"),
    column<&StepRow::cpu_time_s>("s",
                                 "CPU time of the thread that runs the step; helpers of the "
                                 "library are not in it",
                                 Better::lower,
                                 "mean over ranks"),
    column<&StepRow::run_queue_wait_s>(
        "s", "Time this thread was ready to run but had no core", Better::lower, "mean over ranks"),
    column<&StepRow::loss>("1",
                           "Weighted mean loss of the rank's own samples",
                           Better::lower,
                           "mean weighted by loss_weight"),
    column<&StepRow::loss_weight>("1",
                                  "Weight of the rank's loss: samples, or masked voxels",
                                  Better::none,
                                  "sum over ranks"),
    column<&StepRow::local_gradient_square_norm>("1",
                                                 "Square norm of the gradient of the rank's own "
                                                 "mean loss, before reduction; every 11th step",
                                                 Better::none,
                                                 "per rank"),
    column<&StepRow::global_gradient_square_norm>(
        "1",
        "Square norm of the gradient that updates the weights; every 11th step",
        Better::none,
        "equal on all ranks"),
    column<&StepRow::learning_rate>(
        "1", "Learning rate in force", Better::none, "equal on all ranks"),
    column<&StepRow::sample_count>(
        "samples", "Samples in the rank's batch", Better::none, "sum over ranks"),
    column<&StepRow::epoch>("1", "Epoch the step belongs to", Better::none, "equal on all ranks"),
    column<&StepRow::batch_ready_count>(
        "1",
        "Batches that were there when the step asked for its own; 0: it had to wait, −1: not known",
        Better::higher,
        "per rank"),
    column<&StepRow::involuntary_switches_count>(
        "1", "Times this thread lost its core to another one", Better::lower, "sum over ranks"),
    column<&StepRow::major_faults_count>(
        "1", "Pages this thread waited for that came from disk", Better::lower, "sum over ranks")};
static_assert(columns_cover_row<StepRow>());

/// /buckets/<name>[row]: one row per rank, step and bucket. Times count from the step's start.
struct BucketRow {
  static constexpr std::string_view group = "/buckets";
  std::int64_t rank = -1;
  std::int64_t step = -1;
  std::int64_t bucket = -1;
  std::int64_t size_bytes = 0;
  double ready_s = not_recorded;
  double entered_s = not_recorded;
  double all_arrived_s = not_recorded;
  double left_s = not_recorded;
  double cpu_s = not_recorded;
};
template <>
inline constexpr std::array columns_of<BucketRow>{
    column<&BucketRow::rank>("1", "Rank"),
    column<&BucketRow::step>("1", "Step"),
    column<&BucketRow::bucket>("1", "Bucket, in launch order"),
    column<&BucketRow::size_bytes>("bytes", "Bytes reduced"),
    column<&BucketRow::ready_s>("s", "Last gradient of the bucket was ready"),
    column<&BucketRow::entered_s>("s", "The rank entered the collective"),
    column<&BucketRow::all_arrived_s>("s", "The last rank entered the collective"),
    column<&BucketRow::left_s>("s", "The rank left the collective"),
    column<&BucketRow::cpu_s>("s", "CPU time of the thread that carried the collective")};
static_assert(columns_cover_row<BucketRow>());

}  // namespace scalestudy
