#pragma once
/// Every recorded quantity: its name, unit and meaning, once. The writer stores these as
/// attributes, the reader finds columns by these objects, `scalestudy list metrics` and
/// results/SCHEMA.md show them. In memory all columns are double; `storage` says how the file keeps
/// them.

#include <span>
#include <string_view>

#include "hdf5/storage.hpp"

namespace scalestudy {

enum class Better { higher, lower, none };

struct Column {
  std::string_view name;
  std::string_view unit;  ///< "s", "samples", "1" …
  std::string_view description;
  Better better = Better::none;
  std::string_view aggregation;  ///< how it is summarised over ranks and steps
  Storage storage = Storage::float64;
};

/// /steps/<name>[rank, step]
namespace step_column {
inline constexpr Column step_s{"step_s", "s", "Wall time of the step", Better::lower,
                               "max over ranks"};
inline constexpr Column input_wait_s{"input_wait_s", "s", "Waiting for the next batch",
                                     Better::lower, "mean over ranks"};
inline constexpr Column host_to_device_s{"host_to_device_s", "s", "Copying the batch to the device",
                                         Better::lower, "mean over ranks"};
inline constexpr Column forward_s{"forward_s", "s", "Forward pass and loss", Better::lower,
                                  "mean over ranks"};
inline constexpr Column backward_s{"backward_s", "s", "Backward pass", Better::lower,
                                   "mean over ranks"};
inline constexpr Column exposed_communication_s{"exposed_communication_s", "s",
                                                "Blocked for gradients after the backward pass",
                                                Better::lower, "mean over ranks"};
inline constexpr Column optimizer_s{"optimizer_s", "s", "Parameter update", Better::lower,
                                    "mean over ranks"};
inline constexpr Column other_s{"other_s", "s", "Step time not covered by a phase", Better::lower,
                                "mean over ranks"};
inline constexpr Column start_s{
    "start_s", "s", "Start of the step after the training clock's start", Better::none, "per rank"};
inline constexpr Column loss{"loss", "1", "Weighted mean loss of the rank's own samples",
                             Better::lower, "mean weighted by loss_weight"};
inline constexpr Column loss_weight{"loss_weight", "1",
                                    "Weight of the rank's loss: samples, or masked voxels",
                                    Better::none, "sum over ranks"};
inline constexpr Column learning_rate{"learning_rate", "1", "Learning rate in force", Better::none,
                                      "equal on all ranks"};
inline constexpr Column sample_count{
    "sample_count", "samples",        "Samples in the rank's batch",
    Better::none,   "sum over ranks", Storage::int64};
inline constexpr Column epoch{
    "epoch", "1", "Epoch the step belongs to", Better::none, "equal on all ranks", Storage::int64};
[[nodiscard]] std::span<const Column> all();
}  // namespace step_column

/// /epochs/<name>[epoch]
namespace epoch_column {
inline constexpr Column epoch_s{"epoch_s", "s", "Wall time of the epoch's training steps",
                                Better::lower, "max over ranks"};
inline constexpr Column training_loss{"training_loss", "1",
                                      "Mean loss over the epoch, weighted over all ranks and steps",
                                      Better::lower, "global"};
inline constexpr Column validation_loss{"validation_loss", "1",
                                        "Loss on the fixed validation set, from global sums",
                                        Better::lower, "global"};
inline constexpr Column learning_rate{
    "learning_rate", "1", "Learning rate at the epoch's end, before any plateau reduction",
    Better::none, "equal on all ranks"};
inline constexpr Column samples_seen{
    "samples_seen", "samples",        "Samples consumed by all ranks since the start",
    Better::none,   "sum over ranks", Storage::int64};
inline constexpr Column evaluation_s{
    "evaluation_s", "s", "Wall time of the evaluation after the epoch", Better::lower, "rank 0"};
inline constexpr Column checkpoint_s{
    "checkpoint_s", "s", "Wall time of writing weights after the epoch", Better::lower, "rank 0"};
inline constexpr Column replica_check_s{
    "replica_check_s", "s",
    "Wall time of comparing the replicas and averaging batch norm statistics", Better::lower,
    "rank 0"};
inline constexpr Column end_s{
    "end_s", "s", "End of the epoch, evaluation included, after the training clock's start",
    Better::none, "rank 0"};
[[nodiscard]] std::span<const Column> all();
}  // namespace epoch_column

/// /evaluations/<name>[evaluation]; quality metrics a workload does not have are NaN.
namespace evaluation_column {
inline constexpr Column epoch{
    "epoch",
    "1",
    "Epoch after which it was made; the last row is the restored best weights",
    Better::none,
    "global",
    Storage::int64};
inline constexpr Column loss{"loss", "1", "Loss from global sums over the evaluation set",
                             Better::lower, "global"};
inline constexpr Column psnr_db{"psnr_db", "dB", "Peak signal-to-noise ratio against the reference",
                                Better::higher, "global"};
inline constexpr Column iou{"iou", "1", "Intersection over union of the foreground, global counts",
                            Better::higher, "global"};
inline constexpr Column iou_smoothed{
    "iou_smoothed", "1", "The RWTH scripts' Jaccard coefficient: (I + 1) / (T + P - I + 1)",
    Better::higher, "global"};
inline constexpr Column dice{"dice", "1", "Dice coefficient of the foreground, global counts",
                             Better::higher, "global"};
inline constexpr Column iou_sample_p05{"iou_sample_p05", "1",
                                       "5th percentile of the samples' own intersection over union",
                                       Better::higher, "over samples"};
inline constexpr Column iou_sample_median{"iou_sample_median", "1",
                                          "Median of the samples' own intersection over union",
                                          Better::higher, "over samples"};
inline constexpr Column iou_sample_p95{
    "iou_sample_p95", "1", "95th percentile of the samples' own intersection over union",
    Better::higher, "over samples"};
inline constexpr Column training_iou{
    "training_iou", "1", "Intersection over union on the training samples, global counts",
    Better::higher, "global"};
inline constexpr Column top1_frac{"top1_frac", "1",
                                  "Share of samples whose most likely class is the true one",
                                  Better::higher, "global"};
inline constexpr Column top5_frac{"top5_frac", "1",
                                  "Share of samples whose true class is among the five most likely",
                                  Better::higher, "global"};
inline constexpr Column evaluation_set{"evaluation_set", "1",    "Which samples were evaluated",
                                       Better::none,     "none", Storage::text};
inline constexpr Column sample_count{
    "sample_count", "samples",        "Samples evaluated by all ranks together",
    Better::none,   "sum over ranks", Storage::int64};
inline constexpr Column weight_sum{"weight_sum", "1",
                                   "Total loss weight: masked voxels, or samples", Better::none,
                                   "sum over ranks"};
inline constexpr Column evaluation_set_hash{
    "evaluation_set_hash", "1",      "Order-free hash of the evaluated sample ids, hexadecimal",
    Better::none,          "global", Storage::text};
[[nodiscard]] std::span<const Column> all();
}  // namespace evaluation_column

/// /buckets/<name>[row]: one row per rank, step and bucket. Times count from the step's start.
namespace bucket_column {
inline constexpr Column rank{"rank", "1", "Rank", Better::none, "none", Storage::int64};
inline constexpr Column step{"step", "1", "Step", Better::none, "none", Storage::int64};
inline constexpr Column bucket{"bucket",     "1",    "Bucket, in launch order",
                               Better::none, "none", Storage::int64};
inline constexpr Column size_bytes{"size_bytes", "bytes", "Bytes reduced",
                                   Better::none, "none",  Storage::int64};
inline constexpr Column ready_s{"ready_s", "s", "Last gradient of the bucket was ready",
                                Better::none, "none"};
inline constexpr Column start_s{"start_s", "s", "The collective was entered", Better::none, "none"};
inline constexpr Column end_s{"end_s", "s", "The collective was left", Better::none, "none"};
[[nodiscard]] std::span<const Column> all();
}  // namespace bucket_column

/// /ranks/<name>[rank]
namespace rank_column {
inline constexpr Column host{"host", "1", "Host name", Better::none, "none", Storage::text};
inline constexpr Column process_id{"process_id", "1",    "Process id",
                                   Better::none, "none", Storage::int64};
inline constexpr Column device{"device", "1", "Device in use", Better::none, "none", Storage::text};
inline constexpr Column binding{"binding",    "1",    "Cores the process may run on",
                                Better::none, "none", Storage::text};
inline constexpr Column threads{"threads",    "1",    "Compute threads in force",
                                Better::none, "none", Storage::int64};
inline constexpr Column initialisation_s{"initialisation_s", "s",
                                         "From process start to the training clock's start",
                                         Better::lower, "max over ranks"};
inline constexpr Column cpu_time_s{"cpu_time_s", "s", "User and system time of the process",
                                   Better::lower, "sum over ranks"};
inline constexpr Column peak_memory_bytes{"peak_memory_bytes", "bytes",
                                          "Peak resident set", Better::lower,
                                          "max over ranks",    Storage::int64};
[[nodiscard]] std::span<const Column> all();
}  // namespace rank_column

/// /events/<name>[event]
namespace event_column {
inline constexpr Column time_s{"time_s", "s", "After the training clock's start; NaN when before",
                               Better::none, "none"};
inline constexpr Column rank{"rank",       "1",    "Rank, −1 for the driver",
                             Better::none, "none", Storage::int64};
inline constexpr Column step{"step",       "1",    "Step, −1 outside training",
                             Better::none, "none", Storage::int64};
inline constexpr Column code{"code",       "1",    "What kind of event",
                             Better::none, "none", Storage::text};
inline constexpr Column message{"message", "1", "In words", Better::none, "none", Storage::text};
[[nodiscard]] std::span<const Column> all();
}  // namespace event_column

/// /summary/<name>, scalars; definitions in analysis/METRICS.md
namespace summary_column {
inline constexpr Column launch_wall_time_s{"launch_wall_time_s", "s",
                                           "From exec of the launcher to exit of the last rank",
                                           Better::lower, "driver"};
inline constexpr Column cpu_time_s{"cpu_time_s", "s", "User and system time of all ranks",
                                   Better::lower, "sum over ranks"};
inline constexpr Column training_time_s{
    "training_time_s", "s",
    "Training clock: first touch of training data to the end, evaluation included", Better::lower,
    "rank 0"};
inline constexpr Column steady_step_s{"steady_step_s", "s",
                                      "Median step time in the steady window, max over ranks",
                                      Better::lower, "max over ranks, median over steps"};
inline constexpr Column samples_per_s{
    "samples_per_s", "samples/s", "Samples of all ranks divided by time, over the steady window",
    Better::higher, "sum of samples / sum of max step times"};
inline constexpr Column steady_start_step{
    "steady_start_step", "1",      "First step of the steady window",
    Better::none,        "global", Storage::int64};
inline constexpr Column communication_overhead_frac{
    "communication_overhead_frac", "1",
    "Exposed communication divided by step time over the steady window", Better::lower,
    "sums over ranks and steps"};
inline constexpr Column loss_roughness{
    "loss_roughness", "1",
    "Standard deviation of first differences of log loss, per step, divided by sqrt 2",
    Better::lower, "global"};
inline constexpr Column loss_roughness_equal_samples{"loss_roughness_equal_samples", "1",
                                                     "The same with equal samples per point",
                                                     Better::lower, "global"};
inline constexpr Column psnr_db{"psnr_db", "dB", "Peak signal-to-noise ratio of the best weights",
                                Better::higher, "global"};
inline constexpr Column iou{"iou", "1", "Intersection over union of the best weights",
                            Better::higher, "global"};
inline constexpr Column dice{"dice", "1", "Dice coefficient of the best weights", Better::higher,
                             "global"};
inline constexpr Column top1_frac{"top1_frac", "1", "Top-1 accuracy of the best weights",
                                  Better::higher, "global"};
inline constexpr Column top5_frac{"top5_frac", "1", "Top-5 accuracy of the best weights",
                                  Better::higher, "global"};
inline constexpr Column final_loss{"final_loss", "1", "Training loss of the last epoch",
                                   Better::lower, "global"};
inline constexpr Column best_validation_loss{"best_validation_loss", "1", "Lowest validation loss",
                                             Better::lower, "global"};
inline constexpr Column timeline_cost_s{"timeline_cost_s", "s",
                                        "Measured cost of the timeline itself per step",
                                        Better::lower, "rank 0"};
[[nodiscard]] std::span<const Column> all();
}  // namespace summary_column

}  // namespace scalestudy
