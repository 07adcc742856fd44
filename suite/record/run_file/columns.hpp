#pragma once
/// Every recorded quantity: its name, unit and meaning, once. A row's fields are its table's
/// columns; writer and reader, carry-over of earlier attempts, `list metrics`, `inspect` and
/// results/SCHEMA.md follow. A field whose column a file does not have keeps its initial value.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "record/run_file/cause_columns.hpp"
#include "record/run_file/collective_columns.hpp"
#include "record/run_file/column.hpp"
#include "record/run_file/rank_columns.hpp"
#include "record/run_file/sample_columns.hpp"
#include "record/run_file/step_columns.hpp"

namespace scalestudy {

/// /epochs/<name>[epoch]
struct EpochRow {
  static constexpr std::string_view group = "/epochs";
  double epoch_s = not_recorded;
  double training_loss = not_recorded;
  double validation_loss = not_recorded;
  double learning_rate = not_recorded;
  std::int64_t samples_seen = 0;
  double evaluation_s = not_recorded;
  double checkpoint_s = not_recorded;
  double replica_check_s = not_recorded;
  double end_s = not_recorded;
};
template <>
inline constexpr std::array columns_of<EpochRow>{
    column<&EpochRow::epoch_s>(
        "s", "Wall time of the epoch's training steps", Better::lower, "rank 0"),
    column<&EpochRow::training_loss>("1",
                                     "Mean loss over the epoch, weighted over all ranks and steps",
                                     Better::lower,
                                     "global"),
    column<&EpochRow::validation_loss>(
        "1",
        "Loss on the fixed validation set, from global sums; NaN where the epoch's end has no "
        "evaluation",
        Better::lower,
        "global"),
    column<&EpochRow::learning_rate>(
        "1",
        "Learning rate at the epoch's end, before any plateau reduction",
        Better::none,
        "equal on all ranks"),
    column<&EpochRow::samples_seen>(
        "samples", "Samples consumed by all ranks since the start", Better::none, "sum over ranks"),
    column<&EpochRow::evaluation_s>(
        "s", "Wall time of evaluations within and after the epoch", Better::lower, "rank 0"),
    column<&EpochRow::checkpoint_s>("s",
                                    "Wall time of writing weights and checkpoints of the epoch, "
                                    "and of putting that of the epoch "
                                    "before in its place",
                                    Better::lower,
                                    "rank 0"),
    column<&EpochRow::replica_check_s>(
        "s",
        "Wall time of comparing the replicas and averaging batch norm statistics",
        Better::lower,
        "rank 0"),
    column<&EpochRow::end_s>(
        "s",
        "End of the epoch, evaluation included, after the training clock's start",
        Better::none,
        "rank 0")};
static_assert(columns_cover_row<EpochRow>());

/// What an evaluation was made with (EvaluationRow::weights).
inline constexpr std::string_view current_weights = "current";
inline constexpr std::string_view best_weights = "best";

/// /evaluations/<name>[evaluation]; quality metrics a workload does not have are NaN.
struct EvaluationRow {
  static constexpr std::string_view group = "/evaluations";
  std::int64_t epoch = -1;
  std::string weights;  ///< current_weights or best_weights; empty in files of before
  std::int64_t samples_seen = 0;
  double end_s = not_recorded;
  double loss = not_recorded;
  double psnr_db = not_recorded;
  double iou = not_recorded;
  double iou_smoothed = not_recorded;
  double dice = not_recorded;
  double intersection_count = not_recorded;
  double predicted_count = not_recorded;
  double target_count = not_recorded;
  double iou_sample_p05 = not_recorded;
  double iou_sample_median = not_recorded;
  double iou_sample_p95 = not_recorded;
  double training_iou = not_recorded;
  double top1_frac = not_recorded;
  double top5_frac = not_recorded;
  double input_psnr_db = not_recorded;
  double constant_loss = not_recorded;
  double all_foreground_iou = not_recorded;
  std::int64_t sample_count = 0;
  double weight_sum = not_recorded;
  std::string evaluation_set = "validation";  ///< the only one before sets had names
  std::string evaluation_set_hash;
};
template <>
inline constexpr std::array columns_of<EvaluationRow>{
    column<&EvaluationRow::epoch>(
        "1",
        "Epoch within or after which it was made; the last row is the restored best weights",
        Better::none,
        "global"),
    column<&EvaluationRow::weights>(
        "1",
        "current: as training had them, a candidate for the best; best: the restored best ones"),
    column<&EvaluationRow::samples_seen>(
        "samples", "Samples consumed by all ranks until then", Better::none, "sum over ranks"),
    column<&EvaluationRow::end_s>(
        "s", "Its end, after the training clock's start", Better::none, "rank 0"),
    column<&EvaluationRow::loss>(
        "1", "Loss from global sums over the evaluation set", Better::lower, "global"),
    column<&EvaluationRow::psnr_db>(
        "dB", "Peak signal-to-noise ratio against the reference", Better::higher, "global"),
    column<&EvaluationRow::iou>(
        "1", "Intersection over union of the foreground, global counts", Better::higher, "global"),
    column<&EvaluationRow::iou_smoothed>(
        "1",
        "The RWTH scripts' Jaccard coefficient: (I + 1) / (T + P - I + 1)",
        Better::higher,
        "global"),
    column<&EvaluationRow::dice>(
        "1", "Dice coefficient of the foreground, global counts", Better::higher, "global"),
    column<&EvaluationRow::intersection_count>(
        "pixels", "I: foreground in prediction and mask, of all samples", Better::none, "global"),
    column<&EvaluationRow::predicted_count>(
        "pixels", "P: foreground in the prediction, of all samples", Better::none, "global"),
    column<&EvaluationRow::target_count>(
        "pixels", "T: foreground in the mask, of all samples", Better::none, "global"),
    column<&EvaluationRow::iou_sample_p05>(
        "1",
        "5th percentile of the samples' own intersection over union",
        Better::higher,
        "over samples"),
    column<&EvaluationRow::iou_sample_median>(
        "1", "Median of the samples' own intersection over union", Better::higher, "over samples"),
    column<&EvaluationRow::iou_sample_p95>(
        "1",
        "95th percentile of the samples' own intersection over union",
        Better::higher,
        "over samples"),
    column<&EvaluationRow::training_iou>(
        "1",
        "Intersection over union on the training samples, global counts",
        Better::higher,
        "global"),
    column<&EvaluationRow::top1_frac>(
        "1", "Share of samples whose most likely class is the true one", Better::higher, "global"),
    column<&EvaluationRow::top5_frac>(
        "1",
        "Share of samples whose true class is among the five most likely",
        Better::higher,
        "global"),
    column<&EvaluationRow::input_psnr_db>(
        "dB", "Peak signal-to-noise ratio of the noisy input itself", Better::none, "global"),
    column<&EvaluationRow::constant_loss>(
        "1", "Loss of the best constant prediction on the same samples", Better::none, "global"),
    column<&EvaluationRow::all_foreground_iou>(
        "1", "Intersection over union of calling every pixel foreground", Better::none, "global"),
    column<&EvaluationRow::sample_count>(
        "samples", "Samples evaluated by all ranks together", Better::none, "sum over ranks"),
    column<&EvaluationRow::weight_sum>(
        "1", "Total loss weight: masked voxels, or samples", Better::none, "sum over ranks"),
    column<&EvaluationRow::evaluation_set>("1", "Which samples were evaluated"),
    column<&EvaluationRow::evaluation_set_hash>(
        "1", "Order-free hash of the evaluated sample ids, hexadecimal", Better::none, "global")};
static_assert(columns_cover_row<EvaluationRow>());

/// /events/<name>[event]
struct EventRow {
  static constexpr std::string_view group = "/events";
  double time_s = not_recorded;
  std::int64_t rank = -1;
  std::int64_t step = -1;
  std::string code;
  std::string message;
};
template <>
inline constexpr std::array columns_of<EventRow>{
    column<&EventRow::time_s>("s", "After the training clock's start; NaN when before"),
    column<&EventRow::rank>("1", "Rank, −1 for the driver"),
    column<&EventRow::step>("1", "Step, −1 outside training"),
    column<&EventRow::code>("1", "What kind of event"),
    column<&EventRow::message>("1", "In words")};
static_assert(columns_cover_row<EventRow>());

/// /summary/<name>, scalars; definitions in analysis/METRICS.md
struct SummaryRow {
  static constexpr std::string_view group = "/summary";
  double launch_wall_time_s = not_recorded;
  double launch_to_process_s = not_recorded;
  double shutdown_s = not_recorded;
  double cpu_time_s = not_recorded;
  double training_time_s = not_recorded;
  double steady_step_s = not_recorded;
  double samples_per_s = not_recorded;
  std::int64_t steady_start_step = -1;
  double communication_overhead_frac = not_recorded;
  double peer_wait_frac = not_recorded;
  double exposed_transfer_frac = not_recorded;
  double loss_roughness = not_recorded;
  double psnr_db = not_recorded;
  double iou = not_recorded;
  double dice = not_recorded;
  double top1_frac = not_recorded;
  double top5_frac = not_recorded;
  double final_loss = not_recorded;
  double best_validation_loss = not_recorded;
  double timeline_cost_s = not_recorded;
  double cpu_use_frac = not_recorded;
  double contended_cpu_frac = not_recorded;
};
template <>
inline constexpr std::array columns_of<SummaryRow>{
    column<&SummaryRow::launch_wall_time_s>(
        "s", "From exec of the launcher to exit of the last rank", Better::lower, "driver"),
    column<&SummaryRow::launch_to_process_s>(
        "s",
        "Part of it from exec of the launcher to the start of rank 0's process",
        Better::lower,
        "driver"),
    column<&SummaryRow::shutdown_s>(
        "s", "Part of it after the last record of rank 0", Better::lower, "driver"),
    column<&SummaryRow::cpu_time_s>(
        "s", "User and system time of all ranks", Better::lower, "sum over ranks"),
    column<&SummaryRow::training_time_s>(
        "s",
        "Training clock: first touch of training data to the end, evaluation included, /probe not",
        Better::lower,
        "rank 0"),
    column<&SummaryRow::steady_step_s>("s",
                                       "Median step time in the steady window, max over ranks",
                                       Better::lower,
                                       "max over ranks, median over steps"),
    column<&SummaryRow::samples_per_s>(
        "samples/s",
        "Samples of all ranks divided by the time that passed, over the steady window",
        Better::higher,
        "sum of samples / elapsed time"),
    column<&SummaryRow::steady_start_step>(
        "1", "First step of the steady window: all after the warm-up", Better::none, "global"),
    column<&SummaryRow::communication_overhead_frac>(
        "1",
        "Exposed communication divided by step time over the steady window",
        Better::lower,
        "sums over ranks and steps"),
    column<&SummaryRow::peer_wait_frac>(
        "1",
        "Waiting for the slowest rank's gradients divided by step time over the steady window",
        Better::lower,
        "sums over ranks and steps"),
    column<&SummaryRow::exposed_transfer_frac>(
        "1",
        "Exposed transfer of gradients divided by step time over the steady window",
        Better::lower,
        "sums over ranks and steps"),
    column<&SummaryRow::loss_roughness>(
        "1",
        "Standard deviation of first differences of log loss, per step, divided by sqrt 2",
        Better::lower,
        "global"),
    column<&SummaryRow::psnr_db>(
        "dB", "Peak signal-to-noise ratio of the best weights", Better::higher, "global"),
    column<&SummaryRow::iou>(
        "1", "Intersection over union of the best weights", Better::higher, "global"),
    column<&SummaryRow::dice>(
        "1", "Dice coefficient of the best weights", Better::higher, "global"),
    column<&SummaryRow::top1_frac>(
        "1", "Top-1 accuracy of the best weights", Better::higher, "global"),
    column<&SummaryRow::top5_frac>(
        "1", "Top-5 accuracy of the best weights", Better::higher, "global"),
    column<&SummaryRow::final_loss>(
        "1", "Training loss of the last epoch", Better::lower, "global"),
    column<&SummaryRow::best_validation_loss>(
        "1", "Lowest validation loss", Better::lower, "global"),
    column<&SummaryRow::timeline_cost_s>(
        "s", "Measured cost of the timeline itself per step", Better::lower, "rank 0"),
    column<&SummaryRow::cpu_use_frac>(
        "1",
        "CPU time of the ranks divided by what their compute threads could have had outside "
        "recorded waits",
        Better::higher,
        "sums over ranks"),
    column<&SummaryRow::contended_cpu_frac>(
        "1",
        "Part of the CPU time that the ranks needed and other programs took",
        Better::lower,
        "max over cores in common")};
static_assert(columns_cover_row<SummaryRow>());

}  // namespace scalestudy
