#include "record/columns.hpp"

#include <array>

namespace scalestudy {

namespace step_column {
std::span<const Column> all() {
  static constexpr std::array columns{
      step_s,       input_wait_s, host_to_device_s, forward_s, backward_s,  exposed_communication_s,
      optimizer_s,  other_s,      start_s,          loss,      loss_weight, learning_rate,
      sample_count, epoch};
  return columns;
}
}  // namespace step_column

namespace epoch_column {
std::span<const Column> all() {
  static constexpr std::array columns{epoch_s,       training_loss,   validation_loss,
                                      learning_rate, samples_seen,    evaluation_s,
                                      checkpoint_s,  replica_check_s, end_s};
  return columns;
}
}  // namespace epoch_column

namespace evaluation_column {
std::span<const Column> all() {
  static constexpr std::array columns{
      epoch,          loss,         psnr_db,        iou,
      iou_smoothed,   dice,         iou_sample_p05, iou_sample_median,
      iou_sample_p95, training_iou, top1_frac,      top5_frac,
      sample_count,   weight_sum,   evaluation_set, evaluation_set_hash};
  return columns;
}
}  // namespace evaluation_column

namespace bucket_column {
std::span<const Column> all() {
  static constexpr std::array columns{rank, step, bucket, size_bytes, ready_s, start_s, end_s};
  return columns;
}
}  // namespace bucket_column

namespace rank_column {
std::span<const Column> all() {
  static constexpr std::array columns{host,    process_id,       device,     binding,
                                      threads, initialisation_s, cpu_time_s, peak_memory_bytes};
  return columns;
}
}  // namespace rank_column

namespace event_column {
std::span<const Column> all() {
  static constexpr std::array columns{time_s, rank, step, code, message};
  return columns;
}
}  // namespace event_column

namespace summary_column {
std::span<const Column> all() {
  static constexpr std::array columns{launch_wall_time_s,
                                      cpu_time_s,
                                      training_time_s,
                                      steady_step_s,
                                      samples_per_s,
                                      steady_start_step,
                                      communication_overhead_frac,
                                      loss_roughness,
                                      loss_roughness_equal_samples,
                                      psnr_db,
                                      iou,
                                      dice,
                                      top1_frac,
                                      top5_frac,
                                      final_loss,
                                      best_validation_loss,
                                      timeline_cost_s};
  return columns;
}
}  // namespace summary_column

}  // namespace scalestudy
