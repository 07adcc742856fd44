/// A study of many runs, for timing what reads it (benchmarks/campaigns/analysis_speed.sh).
///
///   large_study FOLDER RUNS STEPS RANKS
///
/// Writes RUNS runs of RANKS ranks and ten of one rank into FOLDER/runs, with the project's own
/// writer: all columns of STEPS steps, five buckets a step (as many as the measured ResNet50 has,
/// the most of the shipped studies), probe, monitor, epochs, two pictures.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <random>
#include <vector>

#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t bucket_count = 5;
constexpr std::int64_t epoch_count = 20;
constexpr std::int64_t local_batch = 4;
constexpr std::int64_t panel_side_px = 128;
constexpr double step_s = 0.1;

RunSpec spec_of(std::int64_t ranks, std::int64_t repeat, std::int64_t steps) {
  RunSpec spec;
  spec.study = "large";
  spec.workload = "noise2void";
  spec.ranks = ranks;
  spec.repeat = repeat;
  spec.launcher = "local";
  spec.communicator = ranks == 1 ? CommunicatorKind::local : CommunicatorKind::shm;
  spec.settings.local_batch_size = local_batch;
  spec.plan.local_batch_sizes.assign(static_cast<std::size_t>(ranks), local_batch);
  spec.plan.global_batch_size = ranks * local_batch;
  spec.plan.learning_rate = 4e-4 * static_cast<double>(ranks);
  spec.plan.epochs = epoch_count;
  spec.plan.steps_per_epoch = steps / epoch_count;
  spec.plan.samples_per_epoch = spec.plan.global_batch_size * spec.plan.steps_per_epoch;
  spec.plan.epoch_stride_samples = spec.plan.samples_per_epoch;
  spec.plan.patience_epochs = 10;
  spec.plan.samples = spec.plan.samples_per_epoch * epoch_count;
  spec.plan.requested_samples = spec.plan.samples;
  return spec;
}

/// One run. Times and losses scatter, as the analysis of equal numbers could be faster.
class RunOfNoise {
 public:
  RunOfNoise(const RunSpec& spec, std::int64_t steps, RunFileWriter& writer)
      : spec_(spec),
        steps_(steps),
        writer_(writer),
        random_(static_cast<std::uint64_t>(spec.ranks * 100'000 + spec.repeat)) {}

  void write() {
    writer_.append_steps(steps_, step_rows());
    writer_.append_buckets(bucket_rows());
    for (std::int64_t epoch = 0; epoch < epoch_count; ++epoch) write_epoch(epoch);
    for (std::int64_t rank = 0; rank < spec_.ranks; ++rank) write_rank(rank);
    write_looks();
    for (const char* name : {"input", "prediction"}) write_panel(name);
  }

  [[nodiscard]] double end_s() const { return static_cast<double>(steps_) * step_s; }

 private:
  double around(double value) { return value * std::exp(0.05 * normal_(random_)); }

  std::vector<StepRow> step_rows() {
    std::vector<StepRow> rows;
    rows.reserve(static_cast<std::size_t>(spec_.ranks * steps_));
    for (std::int64_t rank = 0; rank < spec_.ranks; ++rank)
      for (std::int64_t step = 0; step < steps_; ++step) rows.push_back(step_row(step));
    return rows;
  }

  StepRow step_row(std::int64_t step) {
    const double start_s = static_cast<double>(step) * step_s;
    const double all_ready_s = 0.8 * step_s;
    const double ready_s = std::min(around(0.7 * step_s), all_ready_s);
    const double left_s = spec_.ranks == 1 ? ready_s : 0.9 * step_s;
    StepRow row;
    for (const StepColumn column : columns_of<StepRow>) set_number(row, *column, 0);
    row.forward_s = ready_s / 3;
    row.backward_s = ready_s - row.forward_s;
    row.exposed_communication_s = left_s - ready_s;
    row.peer_wait_s = std::min(all_ready_s - ready_s, row.exposed_communication_s);
    row.exposed_transfer_s = row.exposed_communication_s - row.peer_wait_s;
    row.optimizer_s = around(0.05 * step_s);
    row.step_s = left_s + row.optimizer_s;
    row.start_s = start_s;
    row.ready_s = start_s + ready_s;
    row.released_s = start_s + left_s;
    row.loss = around(0.1 + std::exp(-static_cast<double>(step) / 300));
    row.loss_weight = static_cast<double>(local_batch);
    row.sample_count = local_batch;
    row.epoch = step / spec_.plan.steps_per_epoch;
    return row;
  }

  std::vector<BucketRow> bucket_rows() {
    std::vector<BucketRow> rows;
    if (spec_.ranks == 1) return rows;
    for (std::int64_t step = 0; step < steps_; ++step)
      for (std::int64_t rank = 0; rank < spec_.ranks; ++rank)
        for (std::int64_t bucket = 0; bucket < bucket_count; ++bucket)
          rows.push_back(bucket_row(rank, step, bucket));
    return rows;
  }

  BucketRow bucket_row(std::int64_t rank, std::int64_t step, std::int64_t bucket) {
    const double ready_s = around(0.1 * step_s * static_cast<double>(bucket + 1));
    return {.rank = rank,
            .step = step,
            .bucket = bucket,
            .size_bytes = (bucket + 1) << 20,
            .ready_s = ready_s,
            .entered_s = ready_s + 1e-4,
            .all_arrived_s = ready_s + 1e-3,
            .left_s = ready_s + 2e-3,
            .cpu_s = 1e-3};
  }

  void write_epoch(std::int64_t epoch) {
    const auto done = static_cast<double>(epoch + 1) / static_cast<double>(epoch_count);
    const double loss = around(0.1 + 0.1 / static_cast<double>(epoch + 1));
    writer_.append_epoch(
        {.epoch_s = end_s() / static_cast<double>(epoch_count),
         .training_loss = loss,
         .validation_loss = loss,
         .samples_seen = (epoch + 1) * spec_.plan.steps_per_epoch * spec_.plan.global_batch_size,
         .evaluation_s = 0.1,
         .checkpoint_s = 0.01,
         .replica_check_s = 0.001,
         .end_s = end_s() * done});
    writer_.append_evaluation({.epoch = epoch,
                               .loss = loss,
                               .psnr_db = around(28),
                               .sample_count = 64,
                               .weight_sum = 400,
                               .evaluation_set = "validation",
                               .evaluation_set_hash = "7f3a000011112222"});
  }

  void write_rank(std::int64_t rank) {
    writer_.append_rank({.host = "here",
                         .process_id = 100 + rank,
                         .device = "cpu",
                         .binding = cat(rank),
                         .threads = 1,
                         .initialisation_s = 1,
                         .data_read_s = 1,
                         .preparation_s = 1,
                         .probe_s = 0,
                         .final_evaluation_s = 0.1,
                         .panels_s = 0.1,
                         .cpu_time_s = end_s(),
                         .clocked_s = end_s(),
                         .clocked_cpu_time_s = 0.8 * end_s(),
                         .clocked_core_busy_s = 0.8 * end_s(),
                         .core_count = 1});
  }

  void write_looks() {
    std::vector<ProbeRow> probe;
    for (std::int64_t round = 0; spec_.ranks > 1 && round < 30; ++round)
      for (std::int64_t rank = 0; rank < spec_.ranks; ++rank)
        for (std::int64_t bucket = 0; bucket < bucket_count; ++bucket)
          probe.push_back({rank, round, (bucket + 1) << 20, 1e-4, around(1e-3)});
    writer_.append_probe(probe);
    std::vector<MonitorRow> monitor;
    for (int second = 1; second < static_cast<int>(end_s()); ++second)
      monitor.push_back({.rank = 0, .time_s = static_cast<double>(second), .cpu_s = 1e-3});
    writer_.append_monitor(monitor);
  }

  void write_panel(const char* name) {
    Panel panel{name, panel_side_px, panel_side_px, {}};
    for (std::int64_t i = 0; i < panel_side_px * panel_side_px; ++i)
      panel.pixels.push_back(static_cast<float>(around(100)));
    writer_.write_panel(panel);
  }

  const RunSpec& spec_;
  std::int64_t steps_;
  RunFileWriter& writer_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

void write_run(const std::filesystem::path& folder, const RunSpec& spec, std::int64_t steps) {
  const auto run_folder = folder / "runs" / spec.run_id();
  std::filesystem::create_directories(run_folder);
  const auto part = run_folder / open_result_file_name;
  RunHeader header;
  header.run_id = spec.run_id();
  header.build_id = "0.0.0+large_study";
  Closing closing;
  {
    RunFileWriter writer(part, header, spec.ranks);
    writer.write_settings("{}", to_json_text(spec), "{}");
    writer.write_environment(R"({"cpu": {"model": "none: written by large_study"}})");
    RunOfNoise run(spec, steps, writer);
    run.write();
    writer.flush();
    closing.summary.launch_wall_time_s = run.end_s() + 5;
    closing.summary.launch_to_process_s = 1;
    closing.summary.shutdown_s = 0.5;
    closing.summary.timeline_cost_s = 1e-5;
  }
  close_run_file(part, closing);
}

}  // namespace
}  // namespace scalestudy

int main(int argc, char** argv) {
  using namespace scalestudy;
  try {
    if (argc != 5) {
      std::fprintf(stderr, "usage: large_study FOLDER RUNS STEPS RANKS\n");
      return 2;
    }
    const std::filesystem::path folder(argv[1]);
    const auto runs = std::atoll(argv[2]), steps = std::atoll(argv[3]), ranks = std::atoll(argv[4]);
    for (std::int64_t repeat = 0; repeat < 10; ++repeat)
      write_run(folder, spec_of(1, repeat, steps), steps);
    for (std::int64_t repeat = 0; repeat < runs; ++repeat)
      write_run(folder, spec_of(ranks, repeat, steps), steps);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "large_study: %s\n", error.what());
    return 1;
  }
}
