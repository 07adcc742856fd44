#pragma once
/// Runs with known answers, written by the real writer: step time, noise, loss, evaluation set.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "study/run_spec.hpp"

#include "record/run_file.hpp"

#include "tests/record/sample_run.hpp"

namespace scalestudy {

struct SyntheticRun {
  std::int64_t ranks = 1;
  std::int64_t repeat = 0;
  std::int64_t epochs = 4;
  std::int64_t steps_per_epoch = 40;
  std::int64_t local_batch = 4;
  double compute_s = 0.060;  ///< forward and backward, per step
  double input_wait_s = 0.002;
  double exposed_communication_s = 0;
  double peer_wait_frac = 0.75;  ///< of it; NaN: not recorded, as in files of schema 1
  double between_epochs_s = 0;   ///< evaluation after each epoch
  double time_noise = 0;         ///< relative, one draw per run: the launch is the unit
  double loss_noise = 0.1;       ///< relative standard deviation per sample of local batch 1
  double validation_loss = 0.05;
  std::string evaluation_hash = "7f3a000011112222";
  std::int64_t evaluated_samples = 64;
  std::string test_evaluation_hash;  ///< not empty: the last evaluation is of the set "test"
  std::vector<std::pair<double EvaluationRow::*, double>> quality{{&EvaluationRow::psnr_db, 28.0}};
  std::vector<std::pair<double EvaluationRow::*, double>> baselines;  ///< recorded as they are
  double validation_iou = not_recorded;  ///< of the first epoch; later ones are better by 0.1 each
  std::vector<SampleRow> samples;        ///< of the last evaluation
  QualityGoal goal;
  std::optional<ControlArm> control_arm;
  InputKind input = InputKind::sharded;
  BatchNormPolicy batch_norm = BatchNormPolicy::local;
  ScalingRule rule = ScalingRule::linear_fixed_samples;
  std::string study = "synthetic";
  std::string build_id = "0.1.0+gabcdef01.release";
  std::string cpu_model = "Invented CPU <1>";
  std::string gpu_models;        ///< not empty: each rank on a GPU of its own; needs rows of ranks
  std::int64_t host_count = 1;   ///< that ranks take in turn; likewise
  std::string libtorch_version;  ///< "": not recorded
  std::string data_path = "/data";
  std::string data_hash;  ///< likewise
  std::vector<std::string> labels;
  std::vector<std::string> injections;
  double noise_scale_samples = 0;         ///< of gradients of square norm 4; 0: none recorded
  double link_bandwidth_bytes_per_s = 0;  ///< of an emulated ring; 0: none
  double link_excess_frac = 0;            ///< by which each step exceeds it
  std::vector<std::string> data_warnings;
  RunStatus status = RunStatus::complete;
  bool close = true;  ///< false: leaves run.h5.part
  bool nan_loss = false;
  bool panels = false;
  int segmentation_panels = 0;  ///< samples with picture, mask and prediction
  bool nothing_predicted = false;
  std::vector<float> confusion;  ///< two classes: (true, predicted) counts, row-major
  double cpu_share = 0;          ///< of its time that a rank was at work; 0: not recorded
  double launch_overhead_s = 1.5;
  std::int64_t threads_per_rank = 1;
  std::int64_t twin = 0;
  double started_unix_s = not_recorded;
  std::int64_t core_count = 8;
};

inline RunSpec spec_of(const SyntheticRun& run) {
  RunSpec spec;
  spec.study = run.study;
  spec.workload = "noise2void";
  spec.ranks = run.ranks;
  spec.repeat = run.repeat;
  spec.scaling_rule = run.rule;
  spec.reduction = Reduction::bucketed_overlap;
  spec.input = run.input;
  spec.control_arm = run.control_arm;
  spec.twin = run.twin;
  spec.settings.threads_per_rank = run.threads_per_rank;
  spec.settings.evaluation_threads = run.threads_per_rank;
  spec.launcher = "local";
  spec.communicator = run.ranks == 1 ? CommunicatorKind::local : CommunicatorKind::shm;
  spec.data.path = run.data_path;
  spec.data_content.hash = run.data_hash;
  spec.settings.local_batch_size = run.local_batch;
  spec.quality = run.goal;
  spec.settings.warmup_steps = 5;
  spec.injections = injections_from(run.injections, "injections");
  spec.settings.batch_norm = run.batch_norm;
  spec.settings.link.bandwidth_bytes_per_s = run.link_bandwidth_bytes_per_s;
  if (run.link_bandwidth_bytes_per_s > 0) spec.settings.link.algorithm = LinkAlgorithm::ring;
  spec.plan.local_batch_sizes.assign(static_cast<std::size_t>(run.ranks), run.local_batch);
  spec.plan.global_batch_size = run.ranks * run.local_batch;
  spec.plan.learning_rate = 4e-4 * static_cast<double>(run.ranks);
  spec.plan.epochs = run.epochs;
  spec.plan.steps_per_epoch = run.steps_per_epoch;
  spec.plan.samples_per_epoch = spec.plan.global_batch_size * run.steps_per_epoch;
  spec.plan.epoch_stride_samples = spec.plan.samples_per_epoch;
  spec.plan.patience_epochs = 10;
  spec.plan.samples = spec.plan.global_batch_size * run.epochs * run.steps_per_epoch;
  spec.plan.requested_samples = spec.plan.samples;
  spec.plan.time_like = {{"schedule.patience_epochs", 10, 10, false, "counted in epochs"}};
  return spec;
}

/// Writes one run, keeping the clock; each epoch's steps as one block, because tests write many
/// runs.
class SyntheticWriter {
 public:
  SyntheticWriter(const SyntheticRun& run, RunFileWriter& writer)
      : run_(run),
        writer_(writer),
        random_(static_cast<std::uint64_t>(run.ranks * 1000 + run.repeat * 7 + run.twin * 400 + 1)),
        factor_(std::exp(run.time_noise * normal_(random_))),
        validation_factor_(1 + 0.02 * normal_(random_)) {}

  void write_all() {
    for (std::int64_t epoch = 0; epoch < run_.epochs; ++epoch) write_epoch(epoch);
  }
  [[nodiscard]] double now_s() const { return now_s_; }

 private:
  void write_epoch(std::int64_t epoch) {
    append_epoch_steps(epoch);
    const double training_loss = loss_level();
    now_s_ += run_.between_epochs_s * factor_;
    const double validation_loss =
        run_.validation_loss * validation_factor_ + 0.2 / double(epoch + 1);
    writer_.append_epoch({.epoch_s = now_s_,
                          .training_loss = training_loss,
                          .validation_loss = validation_loss,
                          .learning_rate = 4e-4,
                          .samples_seen = samples_,
                          .evaluation_s = run_.between_epochs_s,
                          .checkpoint_s = 0,
                          .replica_check_s = 0,
                          .end_s = now_s_});
    append_evaluation(epoch, validation_loss, "validation", run_.evaluation_hash);
    if (epoch + 1 < run_.epochs) return;
    if (!run_.test_evaluation_hash.empty())
      append_evaluation(epoch, validation_loss, "test", run_.test_evaluation_hash);
    writer_.append_evaluated_samples(run_.samples);
  }

  void append_evaluation(std::int64_t epoch,
                         double loss,
                         const std::string& set,
                         const std::string& hash) {
    const bool is_test = set == "test";
    EvaluationRow row{.epoch = epoch,
                      .weights = std::string(is_test ? best_weights : current_weights),
                      .samples_seen = samples_,
                      .end_s = now_s_,
                      .loss = loss,
                      .sample_count = run_.evaluated_samples,
                      .weight_sum = 400,
                      .evaluation_set = set,
                      .evaluation_set_hash = hash};
    for (const auto& [metric, value] : run_.quality)
      row.*metric = value * (1 + 0.004 * normal_(random_));
    for (const auto& [baseline, value] : run_.baselines) row.*baseline = value;
    if (!is_test && run_.validation_iou == run_.validation_iou)
      row.iou = run_.validation_iou + 0.1 * static_cast<double>(epoch);
    writer_.append_evaluation(row);
  }

  [[nodiscard]] double loss_level() const {
    return 0.1 + 0.9 * std::exp(-double(samples_) / 300.0);
  }

  void append_epoch_steps(std::int64_t epoch) {
    std::vector<std::vector<StepRow>> rows_of_ranks(static_cast<std::size_t>(run_.ranks));
    for (std::int64_t step = 0; step < run_.steps_per_epoch; ++step)
      append_step(rows_of_ranks, epoch);
    std::vector<StepRow> block;
    for (const auto& rows : rows_of_ranks) block.insert(block.end(), rows.begin(), rows.end());
    writer_.append_steps(run_.steps_per_epoch, block);
  }

  void append_step(std::vector<std::vector<StepRow>>& rows_of_ranks, std::int64_t epoch) {
    const double step_s =
        (run_.compute_s + run_.input_wait_s + run_.exposed_communication_s + 0.001) * factor_;
    samples_ += run_.ranks * run_.local_batch;
    for (std::int64_t rank = 0; rank < run_.ranks; ++rank)
      append_rank(rows_of_ranks[static_cast<std::size_t>(rank)], rank, epoch, step_s);
    now_s_ += step_s;
  }

  [[nodiscard]] double emulated_s(double frac) const {
    return run_.link_bandwidth_bytes_per_s > 0 ? 0.01 * frac : 0;
  }

  /// As expected of a batch; noise of launches scatters as times do.
  [[nodiscard]] double gradient_square_norm(std::int64_t batch) const {
    if (run_.noise_scale_samples == 0) return not_recorded;
    return 4 * (1 + run_.noise_scale_samples * factor_ / double(batch));
  }

  void append_rank(std::vector<StepRow>& block,
                   std::int64_t rank,
                   std::int64_t epoch,
                   double step_s) {
    const double noise = run_.loss_noise / std::sqrt(double(run_.local_batch)) * normal_(random_);
    const double loss = run_.nan_loss ? std::nan("") : loss_level() * (1 + noise);
    block.push_back(
        {.step_s = step_s,
         .input_wait_s = run_.input_wait_s * factor_,
         .host_to_device_s = 0,
         .forward_s = run_.compute_s * factor_ / 3,
         .backward_s = run_.compute_s * factor_ * 2 / 3,
         .exposed_communication_s = run_.exposed_communication_s * factor_,
         .peer_wait_s = run_.exposed_communication_s * factor_ * run_.peer_wait_frac,
         .exposed_transfer_s = run_.exposed_communication_s * factor_ * (1 - run_.peer_wait_frac),
         .phase_wait_s = 0,
         .phase_transfer_s = 0,
         .optimizer_s = 0.0009 * factor_,
         .other_s = 0.0001 * factor_,
         .start_s = now_s_,
         // The last rank is the last to be ready, by next to nothing.
         .ready_s = now_s_ + (run_.compute_s + run_.input_wait_s) * factor_ + 1e-9 * double(rank),
         .released_s =
             now_s_ + (run_.compute_s + run_.input_wait_s + run_.exposed_communication_s) * factor_,
         .recording_s = 0,
         .link_model_s = emulated_s(1),
         .link_excess_s = emulated_s(run_.link_excess_frac),
         .loss = loss,
         .loss_weight = double(run_.local_batch),
         .local_gradient_square_norm = gradient_square_norm(run_.local_batch),
         .global_gradient_square_norm = gradient_square_norm(run_.local_batch * run_.ranks),
         .learning_rate = 4e-4,
         .sample_count = run_.local_batch,
         .epoch = epoch});
  }

  const SyntheticRun& run_;
  RunFileWriter& writer_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double factor_;
  double validation_factor_;
  double now_s_ = 0;
  std::int64_t samples_ = 0;
};

inline Panel synthetic_panel(const std::string& name, std::uint64_t seed, float noise) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, noise);
  Panel panel{name, 64, 64, {}};
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const float bright = std::hypot(float(x - 24), float(y - 30)) < 12 ? 200.0F : 60.0F;
      panel.pixels.push_back(bright + normal(random));
    }
  }
  return panel;
}

inline void write_segmentation_panels(const SyntheticRun& run, RunFileWriter& writer) {
  for (int i = 1; i <= run.segmentation_panels; ++i) {
    for (const std::string name : {"input-", "mask-", "prediction-"}) {
      auto panel = synthetic_panel(name + std::to_string(i), 1, 0);
      if (name != "input-")
        for (float& pixel : panel.pixels) pixel = pixel > 100 ? 1.0F : 0.0F;
      if (name == "prediction-" && run.nothing_predicted)
        std::fill(panel.pixels.begin(), panel.pixels.end(), 0.2F);
      writer.write_panel(panel);
    }
  }
}

/// FOLDER/runs/<id>/run.h5 (or .part), in the place of an earlier one; returns the file.
inline std::filesystem::path write_synthetic(const std::filesystem::path& folder,
                                             const SyntheticRun& run) {
  const RunSpec spec = spec_of(run);
  const auto run_folder = folder / "runs" / spec.run_id();
  std::filesystem::create_directories(run_folder);
  std::filesystem::remove(run_folder / "run.h5");
  const auto part = run_folder / "run.h5.part";
  RunHeader header;
  header.run_id = spec.run_id();
  header.build_id = run.build_id;
  header.labels = run.labels;
  double training_s = 0;
  {
    RunFileWriter writer(part, header, run.ranks);
    writer.write_settings(R"({"workload": "noise2void", "settings": {"local_batch_size": 4},
                              "description": "Invented runs < with known answers"})",
                          to_json_text(spec),
                          cat(R"({"precision": "float32", "threads_per_rank": 1)",
                              run.libtorch_version.empty() ? "" : R"(, "libtorch_version": ")",
                              run.libtorch_version, run.libtorch_version.empty() ? "}" : "\"}"));
    writer.write_environment(
        cat(R"({"cpu": {"model": ")", run.cpu_model, R"(", "cores": 4})",
            run.gpu_models.empty() ? "" : cat(R"(, "gpu_models": ")", run.gpu_models, '"'), "}"));
    SyntheticWriter synthetic(run, writer);
    synthetic.write_all();
    training_s = synthetic.now_s();
    const bool has_rows = run.cpu_share > 0 || run.started_unix_s > 0;
    for (std::int64_t rank = 0; has_rows && rank < run.ranks; ++rank)
      writer.append_rank({.host = cat("host-", rank % run.host_count),
                          .device = run.gpu_models.empty() ? "cpu" : cat("cuda:", rank),
                          .binding = "0-7",
                          .threads = run.threads_per_rank,
                          .started_unix_s = run.started_unix_s,
                          .clocked_s = run.cpu_share > 0 ? training_s : not_recorded,
                          .clocked_cpu_time_s = run.cpu_share * training_s,
                          .clocked_core_busy_s = double(run.ranks) * run.cpu_share * training_s,
                          .core_count = run.core_count});
    if (run.panels) {
      writer.write_panel(synthetic_panel("input", 1, 60));
      writer.write_panel(synthetic_panel("prediction", 2 + std::uint64_t(run.ranks), 10));
    }
    write_segmentation_panels(run, writer);
    if (!run.confusion.empty()) writer.write_panel({"confusion", 2, 2, run.confusion});
    writer.flush();
  }
  if (!run.close) return part;
  Closing closing;
  closing.status = run.status;
  closing.reason = run.status == RunStatus::complete ? "" : "rank 1 was killed by signal 9";
  closing.failed_rank = run.status == RunStatus::complete ? -1 : 1;
  closing.failed_phase = run.status == RunStatus::complete ? "" : "backward";
  closing.data_warnings = run.data_warnings;
  closing.summary.launch_wall_time_s = training_s + run.launch_overhead_s;
  return close_run_file(part, closing);
}

/// `repeats` runs that differ in their noise only.
inline void write_group(const std::filesystem::path& folder, SyntheticRun run, int repeats) {
  for (run.repeat = 0; run.repeat < repeats; ++run.repeat) write_synthetic(folder, run);
  write_text(folder / "plan.json", R"({"runs": []})");  // none is missing
}

}  // namespace scalestudy
