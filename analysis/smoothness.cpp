#include "analysis/smoothness.hpp"

#include <cmath>

namespace scalestudy {
namespace {

/// Mean loss weight per step (masked voxels, samples) of all runs with `ranks` ranks.
double weight_per_step(const Series& series, std::int64_t ranks) {
  std::vector<double> means;
  const auto group = series.by_ranks.find(ranks);
  if (group == series.by_ranks.end()) return not_available;
  for (const Run* run : group->second) {
    means.push_back(mean(run->record.steps.sum_over_ranks(&StepRow::loss_weight)));
  }
  return mean(means);
}

}  // namespace

std::vector<Smoothness> smoothness_by_ranks(const Series& series) {
  std::vector<Smoothness> all;
  const double base_weight = weight_per_step(series, 1);
  for (const auto& [ranks, runs] : series.by_ranks) {
    const auto roughness = series.values(ranks, &SummaryRow::loss_roughness);
    const auto equal = series.values(ranks, &SummaryRow::loss_roughness_equal_samples);
    Smoothness point;
    point.ranks = ranks;
    point.weight_ratio = weight_per_step(series, ranks) / base_weight;
    point.predicted_per_step = 1 / std::sqrt(point.weight_ratio);
    point.roughness = geometric_mean(roughness);
    point.roughness_equal_samples = geometric_mean(equal);
    point.per_step = ratio(roughness, series.values(1, &SummaryRow::loss_roughness));
    point.equal_samples = ratio(equal, series.values(1, &SummaryRow::loss_roughness_equal_samples));
    if (ranks == 1) {
      point.per_step = without_interval(point.per_step);
      point.equal_samples = without_interval(point.equal_samples);
    }
    point.window_samples = series.spec.smoothness_window_samples;
    all.push_back(point);
  }
  return all;
}

}  // namespace scalestudy
