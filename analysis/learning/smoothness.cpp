#include "analysis/learning/smoothness.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/learning/averaging.hpp"

namespace scalestudy {
namespace {

/// Mean loss weight per step (masked voxels, samples) of all runs with `ranks` ranks.
double weight_per_step(const Series& series, std::int64_t ranks) {
  std::vector<double> means;
  for (const Run* run : series.group(ranks).runs) means.push_back(run->digest.weight_per_step);
  return mean(means);
}

Quantity roughness_at_equal_samples(std::int64_t window_samples) {
  Quantity roughness(&SummaryRow::loss_roughness);
  roughness.value = [window_samples](const Run& run) {
    return loss_roughness(loss_curve(run.digest.losses, window_samples));
  };
  return roughness;
}

/// Below this ratio of weights nothing is averaged over more samples.
constexpr double least_weight_ratio = 1.01;
constexpr double most_averaged = 1e6;

AveragingPrediction predicted_by_averaging(const Series& series, double weight_ratio) {
  if (weight_ratio < least_weight_ratio) return {1, ""};
  const auto base = series.group(1);
  if (base.runs.empty()) return {not_available, "there is no run of one rank"};
  if (!std::isfinite(weight_ratio) || weight_ratio > most_averaged)
    return {not_available, "how many more samples a step averages over is not known"};
  const auto k = std::llround(weight_ratio);
  std::vector<double> ratios;
  for (const Run* run : base.runs) {
    const auto one = averaged(loss_curve(run->digest.losses, 1), k);
    if (!one.problem.empty()) return one;
    ratios.push_back(one.roughness_ratio);
  }
  return {geometric_mean(ratios), ""};
}

}  // namespace

std::int64_t smoothness_window_samples(const Series& series) {
  std::int64_t window_samples = 1;
  for (const Run* run : series.all_runs())
    window_samples = std::max(window_samples, run->spec.plan.global_batch_size);
  return window_samples;
}

std::vector<Smoothness> smoothness_by_ranks(const Series& series) {
  std::vector<Smoothness> all;
  const double base_weight = weight_per_step(series, 1);
  const auto window_samples = smoothness_window_samples(series);
  const Quantity per_step(&SummaryRow::loss_roughness);
  const auto equal_samples = roughness_at_equal_samples(window_samples);
  const auto base = series.group(1);
  for (const auto& [ranks, runs] : series.by_ranks) {
    const auto group = series.group(ranks);
    Smoothness point;
    point.is_invented = series.has_label(RunLabel::emulated_compute);
    point.ranks = ranks;
    point.weight_ratio = weight_per_step(series, ranks) / base_weight;
    const auto predicted = predicted_by_averaging(series, point.weight_ratio);
    point.predicted_per_step = predicted.roughness_ratio;
    point.why_not_predicted = predicted.problem;
    point.roughness = geometric_mean(group.values(per_step));
    point.roughness_equal_samples = geometric_mean(group.values(equal_samples));
    point.per_step = compare(group, base, per_step);
    point.equal_samples = compare(group, base, equal_samples);
    point.window_samples = window_samples;
    all.push_back(point);
  }
  return all;
}

}  // namespace scalestudy
