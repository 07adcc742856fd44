#pragma once
/// Runs with known answers, in memory or written by the real writer: step time, noise, loss,
/// evaluation set.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "record/run_file/run_record.hpp"

#include "analysis/series/run_set.hpp"
#include "tests/record/write_record.hpp"
#include "tests/support/step_table.hpp"
#include "tests/support/temporary_folder.hpp"

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

/// Fills the columns of one run, keeping the clock.
class SyntheticColumns {
 public:
  SyntheticColumns(const SyntheticRun& run, RunRecord& record)
      : run_(run),
        record_(record),
        random_(static_cast<std::uint64_t>(run.ranks * 1000 + run.repeat * 7 + run.twin * 400 + 1)),
        factor_(std::exp(run.time_noise * normal_(random_))),
        validation_factor_(1 + 0.02 * normal_(random_)),
        steps_(std::size_t(run.ranks * run.epochs * run.steps_per_epoch)) {}

  void fill() {
    for (std::int64_t epoch = 0; epoch < run_.epochs; ++epoch) add_epoch(epoch);
    record_.steps = step_table_of(run_.ranks, steps_);
  }
  [[nodiscard]] double now_s() const { return now_s_; }

 private:
  void add_epoch(std::int64_t epoch) {
    for (std::int64_t step = 0; step < run_.steps_per_epoch; ++step)
      add_step(epoch * run_.steps_per_epoch + step, epoch);
    const double training_loss = loss_level();
    now_s_ += run_.between_epochs_s * factor_;
    const double validation_loss =
        run_.validation_loss * validation_factor_ + 0.2 / double(epoch + 1);
    record_.epochs.push_back({.epoch_s = now_s_,
                              .training_loss = training_loss,
                              .validation_loss = validation_loss,
                              .learning_rate = 4e-4,
                              .samples_seen = samples_,
                              .evaluation_s = run_.between_epochs_s,
                              .checkpoint_s = 0,
                              .replica_check_s = 0,
                              .end_s = now_s_});
    add_evaluation(epoch, validation_loss, "validation", run_.evaluation_hash);
    if (epoch + 1 < run_.epochs) return;
    if (!run_.test_evaluation_hash.empty())
      add_evaluation(epoch, validation_loss, "test", run_.test_evaluation_hash);
    record_.evaluated_samples = run_.samples;
  }

  void add_evaluation(std::int64_t epoch,
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
    record_.evaluations.push_back(row);
  }

  [[nodiscard]] double loss_level() const {
    return 0.1 + 0.9 * std::exp(-double(samples_) / 300.0);
  }

  void add_step(std::int64_t step, std::int64_t epoch) {
    const double step_s =
        (run_.compute_s + run_.input_wait_s + run_.exposed_communication_s + 0.001) * factor_;
    samples_ += run_.ranks * run_.local_batch;
    for (std::int64_t rank = 0; rank < run_.ranks; ++rank)
      steps_[std::size_t(rank * run_.epochs * run_.steps_per_epoch + step)] =
          step_row(rank, epoch, step_s);
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

  StepRow step_row(std::int64_t rank, std::int64_t epoch, double step_s) {
    const double noise = run_.loss_noise / std::sqrt(double(run_.local_batch)) * normal_(random_);
    const double loss = run_.nan_loss ? std::nan("") : loss_level() * (1 + noise);
    return {
        .step_s = step_s,
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
        .epoch = epoch};
  }

  const SyntheticRun& run_;
  RunRecord& record_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double factor_;
  double validation_factor_;
  std::vector<StepRow> steps_;
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

/// Sorted by name, as a file has them.
inline std::vector<Panel> panels_of(const SyntheticRun& run) {
  std::vector<Panel> panels;
  if (run.panels) {
    panels.push_back(synthetic_panel("input", 1, 60));
    panels.push_back(synthetic_panel("prediction", 2 + std::uint64_t(run.ranks), 10));
  }
  for (int i = 1; i <= run.segmentation_panels; ++i) {
    for (const std::string name : {"input-", "mask-", "prediction-"}) {
      auto& panel = panels.emplace_back(synthetic_panel(name + std::to_string(i), 1, 0));
      if (name != "input-")
        for (float& pixel : panel.pixels) pixel = pixel > 100 ? 1.0F : 0.0F;
      if (name == "prediction-" && run.nothing_predicted)
        std::fill(panel.pixels.begin(), panel.pixels.end(), 0.2F);
    }
  }
  if (!run.confusion.empty()) panels.push_back({"confusion", 2, 2, run.confusion});
  std::ranges::sort(panels, {}, &Panel::name);
  return panels;
}

inline std::vector<RankRow> rank_rows_of(const SyntheticRun& run, double training_s) {
  std::vector<RankRow> rows;
  const bool has_rows = run.cpu_share > 0 || run.started_unix_s > 0;
  for (std::int64_t rank = 0; has_rows && rank < run.ranks; ++rank)
    rows.push_back({.host = cat("host-", rank % run.host_count),
                    .device = run.gpu_models.empty() ? "cpu" : cat("cuda:", rank),
                    .binding = "0-7",
                    .threads = run.threads_per_rank,
                    .started_unix_s = run.started_unix_s,
                    .clocked_s = run.cpu_share > 0 ? training_s : not_recorded,
                    .clocked_cpu_time_s = run.cpu_share * training_s,
                    .clocked_core_busy_s = double(run.ranks) * run.cpu_share * training_s,
                    .core_count = run.core_count});
  return rows;
}

/// As close_run_file() leaves it.
inline void close(const SyntheticRun& run, double training_s, RunRecord& record) {
  auto& header = record.header;
  header.status = run.status;
  header.data_warnings = run.data_warnings;
  if (run.status != RunStatus::complete) {
    header.reason = "rank 1 was killed by signal 9";
    header.failed_rank = 1;
    header.failed_phase = "backward";
  }
  record.summary.launch_wall_time_s = training_s + run.launch_overhead_s;
}

/// What is read of FOLDER/runs/<id>/run.h5 (or .part) after write_synthetic(), but for the value of
/// content_sha256. No file is written.
inline RunRecord synthetic_record(const std::filesystem::path& folder, const SyntheticRun& run) {
  const RunSpec spec = spec_of(run);
  RunRecord record;
  record.file = folder / "runs" / spec.run_id() / (run.close ? "run.h5" : "run.h5.part");
  record.header.run_id = spec.run_id();
  record.header.build_id = run.build_id;
  record.header.labels = run.labels;
  record.requested_settings = R"({"workload": "noise2void", "settings": {"local_batch_size": 4},
                              "description": "Invented runs < with known answers"})";
  record.resolved_settings = to_json_text(spec);
  record.effective_settings = cat(R"({"precision": "float32", "threads_per_rank": 1)",
                                  run.libtorch_version.empty() ? "" : R"(, "libtorch_version": ")",
                                  run.libtorch_version, run.libtorch_version.empty() ? "}" : "\"}");
  record.environment =
      cat(R"({"cpu": {"model": ")", run.cpu_model, R"(", "cores": 4})",
          run.gpu_models.empty() ? "" : cat(R"(, "gpu_models": ")", run.gpu_models, '"'), "}");
  SyntheticColumns columns(run, record);
  columns.fill();
  record.ranks = rank_rows_of(run, columns.now_s());
  record.panels = panels_of(run);
  if (run.close) close(run, columns.now_s(), record);
  record.content_sha256 =
      hex64(fnv1a(cat(record.resolved_settings, record.effective_settings, record.environment,
                      join(run.labels, " "), to_string(record.header.status), columns.now_s())));
  return record;
}

/// What study folders would hold, in memory.
class SyntheticRuns {
 public:
  /// In the place of an earlier one.
  void add(const std::filesystem::path& folder, const SyntheticRun& run) {
    auto record = synthetic_record(folder, run);
    auto& records = records_[folder];
    std::erase_if(records, [&](const RunRecord& earlier) {
      return earlier.header.run_id == record.header.run_id;
    });
    records.push_back(std::move(record));
  }
  /// `repeats` runs that differ in their noise only.
  void add(const std::filesystem::path& folder, SyntheticRun run, int repeats) {
    for (run.repeat = 0; run.repeat < repeats; ++run.repeat) add(folder, run);
  }
  [[nodiscard]] const std::vector<RunRecord>& records(const std::filesystem::path& folder) const {
    return records_.at(folder);
  }
  [[nodiscard]] RunSet of(const std::vector<std::filesystem::path>& folders) const {
    std::vector<RunRecord> all;
    for (const auto& folder : folders)
      if (const auto found = records_.find(folder); found != records_.end())
        all.insert(all.end(), found->second.begin(), found->second.end());
    return runs_of(std::move(all));
  }

 private:
  std::map<std::filesystem::path, std::vector<RunRecord>> records_;
};

/// FOLDER/runs/<id>/run.h5 (or .part), in the place of an earlier one; returns the file.
inline std::filesystem::path write_synthetic(const std::filesystem::path& folder,
                                             const SyntheticRun& run) {
  const auto record = synthetic_record(folder, run);
  std::filesystem::create_directories(record.file.parent_path());
  std::filesystem::remove(record.file.parent_path() / "run.h5");
  write_record(record);
  return record.file;
}

/// `repeats` runs that differ in their noise only.
inline void write_group(const std::filesystem::path& folder, SyntheticRun run, int repeats) {
  for (run.repeat = 0; run.repeat < repeats; ++run.repeat) write_synthetic(folder, run);
  write_text(folder / "plan.json", R"({"runs": []})");  // none is missing
}

}  // namespace scalestudy
