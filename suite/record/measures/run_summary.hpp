#pragma once
/// The formulas of METRICS.md that turn the raw columns of one run into numbers. measures.cpp says
/// which measures they make.
/// Light: the record layer and the standard library only. Local, pure.

#include <cstdint>
#include <span>
#include <vector>

#include "record/measures/stationarity.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// What the recomputation needs besides the columns; it comes from the RunSpec.
struct SummaryWindows {
  std::int64_t warmup_steps = 5;  ///< steps left out
};

/// Steps [start, end) whose times count as steady (METRICS.md#steady-window).
struct SteadyWindow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  Stationarity stationarity;
  [[nodiscard]] std::int64_t steps() const { return end - start; }
  [[nodiscard]] bool empty() const { return end <= start; }
};

/// Of one value per step, over the window. Contract: it is not empty and lies within them.
[[nodiscard]] double window_mean(const std::vector<double>& per_step, const SteadyWindow& window);

/// Declared before the run: all steps after the warm-up. Those that some rank did not get to record
/// do not count, nor any after them.
[[nodiscard]] SteadyWindow steady_window_of(const StepTable& steps, std::int64_t warmup_steps);

/// The loss of one step and what it stands for, of all ranks together.
struct StepLoss {
  double loss = 0;  ///< mean over ranks, weighted
  double weight = 0;
  double samples = 0;
  double end_s = 0;  ///< on the training clock
};
[[nodiscard]] std::vector<StepLoss> step_losses(const StepTable& steps);

/// A point of a loss curve: the weighted mean loss of consecutive steps.
struct LossPoint {
  double samples_seen = 0;  ///< by all ranks, at the point's end
  double time_s = 0;        ///< end of its last step on the training clock
  double loss = 0;
};

/// Consecutive steps joined until each point holds at least `samples_per_point` samples; an
/// incomplete last point is dropped. With 1: one point per step.
[[nodiscard]] std::vector<LossPoint> loss_curve(std::span<const StepLoss> steps,
                                                std::int64_t samples_per_point);

/// The points that end after the first tenth of the run's samples: the first fall of the loss is
/// learning and not noise.
[[nodiscard]] std::span<const LossPoint> counted_points(std::span<const LossPoint> curve);

/// METRICS.md#loss-roughness. NaN when undefined (too few points, a loss that is not positive).
[[nodiscard]] double loss_roughness(std::span<const LossPoint> curve);

[[nodiscard]] double steady_step_s(const StepTable& steps, const SteadyWindow& window);
/// Over the time that passed from the first to the last of them, epoch by epoch.
[[nodiscard]] double samples_per_s(const StepTable& steps, const SteadyWindow& window);
/// Of the steps' time, over ranks and steps: METRICS.md#communication-overhead. NaN when a step has
/// no such time.
[[nodiscard]] double step_time_frac(const StepTable& steps,
                                    const SteadyWindow& window,
                                    double StepRow::*part);
/// All samples of the run, all ranks.
[[nodiscard]] double samples_consumed(std::span<const StepLoss> steps);
/// Recorded parts of the training time that are no steps: reading data, preparation, evaluations,
/// checkpoints, comparing replicas. NaN where they are not all recorded.
[[nodiscard]] double fixed_time_s(const RunFacts& run);
/// What rank 0 spent on trying the exchange, in which nobody trains; 0 with one rank, and in files
/// of before, which count it to the preparation.
[[nodiscard]] double probe_time_s(const RunFacts& run);
/// Checkpoints and evaluations within the epoch just before the step; files of before know of none.
[[nodiscard]] double pause_before_s(const StepTable& steps, std::int64_t rank, std::int64_t step);
/// The part of the update that came before all gradients had; files of before know of none.
[[nodiscard]] double early_update_s(const StepTable& steps, std::int64_t rank, std::int64_t step);
/// Those in epochs and after them, without that of the best weights.
[[nodiscard]] double evaluation_time_s(const RunFacts& run);
[[nodiscard]] double training_time_s(const RunRecord& run);
[[nodiscard]] double cpu_time_s(const RunFacts& run);
[[nodiscard]] double final_loss(const RunFacts& run);
[[nodiscard]] double best_validation_loss(const RunFacts& run);

}  // namespace scalestudy
