#include "record/measures/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.hpp"

namespace scalestudy {
namespace {

/// Share of a run's samples left out of the roughness: the first fall of the loss is no noise.
constexpr double roughness_transient_frac = 0.1;

double window_sum(const std::vector<double>& per_step, const SteadyWindow& window) {
  return std::accumulate(per_step.begin() + window.start, per_step.begin() + window.end, 0.0);
}

/// Of the steps before the first one that some rank did not get to record: a failed run's last rows
/// can be rank 0's alone.
std::vector<double> complete_step_times_s(const StepTable& steps) {
  auto times_s = steps.max_over_ranks(&StepRow::step_s);
  const auto incomplete =
      std::find_if(times_s.begin(), times_s.end(), [](double time_s) { return !(time_s > 0); });
  times_s.erase(incomplete, times_s.end());
  return times_s;
}

/// Of the rank that was last.
double end_of_step_s(const StepTable& steps, std::int64_t step) {
  double end_s = not_recorded;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
    const double rank_end_s =
        steps.at(&StepRow::start_s, rank, step) + steps.at(&StepRow::step_s, rank, step);
    end_s = std::isnan(end_s) ? rank_end_s : std::max(end_s, rank_end_s);
  }
  return end_s;
}

/// Of the rank that was last: the others may wait for what it alone does between epochs.
double start_of_step_s(const StepTable& steps, std::int64_t step) {
  double start_s = steps.at(&StepRow::start_s, 0, step);
  for (std::int64_t rank = 1; rank < steps.ranks(); ++rank)
    start_s = std::max(start_s, steps.at(&StepRow::start_s, rank, step));
  return start_s;
}

/// What passed while the steps of the window ran: nothing of what lies between epochs, nor of
/// checkpoints and evaluations within one.
double elapsed_s(const StepTable& steps, const SteadyWindow& window) {
  double sum_s = 0;
  for (std::int64_t step = window.start; step < window.end; ++step) {
    const auto epoch_of = [&](std::int64_t at) { return steps.at(&StepRow::epoch, 0, at); };
    const bool begins = step == window.start || epoch_of(step) != epoch_of(step - 1);
    sum_s += end_of_step_s(steps, step) -
             (begins ? start_of_step_s(steps, step) : end_of_step_s(steps, step - 1));
    if (!begins) sum_s -= pause_before_s(steps, 0, step);
  }
  return sum_s;
}

}  // namespace

double window_mean(const std::vector<double>& per_step, const SteadyWindow& window) {
  return std::accumulate(per_step.begin() + window.start, per_step.begin() + window.end, 0.0) /
         static_cast<double>(window.steps());
}

SteadyWindow steady_window_of(const StepTable& steps, std::int64_t warmup_steps) {
  const auto times_s = complete_step_times_s(steps);
  SteadyWindow window;
  window.end = std::ssize(times_s);
  window.start = std::clamp<std::int64_t>(warmup_steps, 0, window.end);
  window.stationarity =
      stationarity_of(std::span(times_s).subspan(static_cast<std::size_t>(window.start)));
  return window;
}

std::vector<StepLoss> step_losses(const StepTable& steps) {
  std::vector<StepLoss> all;
  if (steps.steps() == 0) return all;
  const auto losses = steps.global_loss();
  const auto weights = steps.sum_over_ranks(&StepRow::loss_weight);
  const auto samples = steps.sum_over_ranks(&StepRow::sample_count);
  const auto starts_s = steps.max_over_ranks(&StepRow::start_s);
  const auto times_s = steps.max_over_ranks(&StepRow::step_s);
  all.reserve(losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i)
    all.push_back({losses[i], weights[i], samples[i], starts_s[i] + times_s[i]});
  return all;
}

std::vector<LossPoint> loss_curve(std::span<const StepLoss> steps, std::int64_t samples_per_point) {
  std::vector<LossPoint> curve;
  double weighted_loss = 0, weight = 0, point_samples = 0, samples_seen = 0;
  for (const StepLoss& step : steps) {
    // A weight of 0 has no loss (0/0); it must not spoil the point it falls into.
    if (step.weight > 0) weighted_loss += step.loss * step.weight;
    weight += step.weight;
    point_samples += step.samples;
    samples_seen += step.samples;
    if (point_samples < static_cast<double>(samples_per_point)) continue;
    curve.push_back(
        {.samples_seen = samples_seen, .time_s = step.end_s, .loss = weighted_loss / weight});
    weighted_loss = weight = point_samples = 0;
  }
  return curve;
}

std::span<const LossPoint> counted_points(std::span<const LossPoint> curve) {
  if (curve.empty()) return curve;
  const double transient_end = curve.back().samples_seen * roughness_transient_frac;
  const auto first = std::ranges::find_if(
      curve, [=](const LossPoint& point) { return !(point.samples_seen <= transient_end); });
  return {first, curve.end()};
}

double loss_roughness(std::span<const LossPoint> curve) {
  std::vector<double> logs;
  for (const LossPoint& point : counted_points(curve)) {
    if (!(point.loss > 0) || !std::isfinite(point.loss)) return not_recorded;
    logs.push_back(std::log(point.loss));
  }
  if (logs.size() < 4) return not_recorded;
  std::adjacent_difference(logs.begin(), logs.end(), logs.begin());
  const std::span differences(logs.data() + 1, logs.size() - 1);
  const auto n = static_cast<double>(differences.size());
  const double centre = std::accumulate(differences.begin(), differences.end(), 0.0) / n;
  double sum = 0;
  for (const double d : differences) sum += (d - centre) * (d - centre);
  return std::sqrt(sum / (n - 1) / 2);
}

double steady_step_s(const StepTable& steps, const SteadyWindow& window) {
  if (window.empty()) return not_recorded;
  const auto times_s = steps.max_over_ranks(&StepRow::step_s);
  return median({times_s.begin() + window.start, times_s.begin() + window.end});
}

double samples_per_s(const StepTable& steps, const SteadyWindow& window) {
  if (window.empty()) return not_recorded;
  const double time_s = elapsed_s(steps, window);
  if (!(time_s > 0)) return not_recorded;
  return window_sum(steps.sum_over_ranks(&StepRow::sample_count), window) / time_s;
}

double step_time_frac(const StepTable& steps, const SteadyWindow& window, double StepRow::*part) {
  if (window.empty()) return not_recorded;
  return window_sum(steps.sum_over_ranks(part), window) /
         window_sum(steps.sum_over_ranks(&StepRow::step_s), window);
}

double samples_consumed(std::span<const StepLoss> steps) {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const StepLoss& step) { return sum + step.samples; });
}

double fixed_time_s(const RunFacts& run) {
  if (run.ranks.empty()) return not_recorded;
  const auto& root = run.ranks.front();
  return std::accumulate(
      run.epochs.begin(), run.epochs.end(), root.data_read_s + root.preparation_s,
      [](double sum_s, const EpochRow& epoch) {
        return sum_s + epoch.evaluation_s + epoch.checkpoint_s + epoch.replica_check_s;
      });
}

double probe_time_s(const RunFacts& run) {
  const double time_s = run.ranks.empty() ? 0 : run.ranks.front().probe_s;
  return std::isfinite(time_s) ? time_s : 0;
}

double pause_before_s(const StepTable& steps, std::int64_t rank, std::int64_t step) {
  double sum_s = 0;
  for (const auto pause : {&StepRow::saving_s, &StepRow::evaluation_s})
    if (const double pause_s = steps.at(pause, rank, step); std::isfinite(pause_s))
      sum_s += pause_s;
  return sum_s;
}

double early_update_s(const StepTable& steps, std::int64_t rank, std::int64_t step) {
  const double early_s = steps.at(&StepRow::early_update_s, rank, step);
  return std::isfinite(early_s) ? early_s : 0;
}

double evaluation_time_s(const RunFacts& run) {
  return std::accumulate(
      run.epochs.begin(), run.epochs.end(), 0.0,
      [](double sum_s, const EpochRow& epoch) { return sum_s + epoch.evaluation_s; });
}

double training_time_s(const RunRecord& run) {
  const double tried_s = probe_time_s(run);
  if (!run.epochs.empty()) return run.epochs.back().end_s - tried_s;
  return run.steps.steps() == 0 ? not_recorded
                                : end_of_step_s(run.steps, run.steps.steps() - 1) - tried_s;
}

double cpu_time_s(const RunFacts& run) {
  if (run.ranks.empty()) return not_recorded;
  return std::accumulate(run.ranks.begin(), run.ranks.end(), 0.0,
                         [](double sum, const RankRow& rank) { return sum + rank.cpu_time_s; });
}

double final_loss(const RunFacts& run) {
  return run.epochs.empty() ? not_recorded : run.epochs.back().training_loss;
}

double best_validation_loss(const RunFacts& run) {
  double best = not_recorded;
  const auto look_at = [&](double loss) {
    if (std::isfinite(loss) && !(loss >= best)) best = loss;
  };
  for (const EpochRow& epoch : run.epochs) look_at(epoch.validation_loss);
  for (const EvaluationRow& one : run.evaluations)
    if (one.weights == current_weights) look_at(one.loss);
  return best;
}

}  // namespace scalestudy
