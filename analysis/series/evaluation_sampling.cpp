#include "analysis/series/evaluation_sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace scalestudy {
namespace {

/// The metric is Σ part ÷ Σ whole over the samples.
struct SampledMetric {
  const Column* column;
  double (*part)(const SampleRow& row);
  double (*whole)(const SampleRow& row);
};

constexpr std::array sampled_metrics{
    SampledMetric{&column_of(&EvaluationRow::loss),
                  [](const SampleRow& row) { return row.loss_sum; },
                  [](const SampleRow& row) { return row.loss_weight; }},
    SampledMetric{&column_of(&EvaluationRow::iou),
                  [](const SampleRow& row) { return row.intersection_count; },
                  [](const SampleRow& row) {
                    return row.predicted_count + row.target_count - row.intersection_count;
                  }},
    SampledMetric{&column_of(&EvaluationRow::dice),
                  [](const SampleRow& row) { return 2 * row.intersection_count; },
                  [](const SampleRow& row) { return row.predicted_count + row.target_count; }},
    SampledMetric{&column_of(&EvaluationRow::top1_frac),
                  [](const SampleRow& row) { return row.top1_count; },
                  [](const SampleRow&) { return 1.0; }}};

/// The metric of one run without each of its samples in turn.
std::vector<double> values_without_one(const std::vector<SampleRow>& rows,
                                       const SampledMetric& metric) {
  double part = 0, whole = 0;
  for (const SampleRow& row : rows) {
    part += metric.part(row);
    whole += metric.whole(row);
  }
  std::vector<double> values;
  for (const SampleRow& row : rows)
    values.push_back((part - metric.part(row)) / (whole - metric.whole(row)));
  return values;
}

/// Means over runs; nothing when they did not all record as many samples.
std::optional<std::vector<double>> mean_without_one(std::span<const Run* const> runs,
                                                    const SampledMetric& metric) {
  std::vector<double> sum;
  for (const Run* run : runs) {
    const auto values = values_without_one(run->record.evaluated_samples, metric);
    if (sum.empty()) sum.resize(values.size());
    if (values.size() < 2 || values.size() != sum.size()) return std::nullopt;
    std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
  }
  if (sum.empty()) return std::nullopt;
  for (double& value : sum) value /= static_cast<double>(runs.size());
  return sum;
}

}  // namespace

std::optional<SamplingError> sampling_error(std::span<const Run* const> compared,
                                            std::span<const Run* const> base,
                                            const Column& metric) {
  const auto found = std::ranges::find(sampled_metrics, &metric, &SampledMetric::column);
  if (found == sampled_metrics.end()) return std::nullopt;
  const auto a = mean_without_one(compared, *found), b = mean_without_one(base, *found);
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  std::vector<double> differences(a->size());
  std::transform(a->begin(), a->end(), b->begin(), differences.begin(), std::minus<>());
  const auto n = static_cast<double>(differences.size());
  const double centre = mean(differences);
  const double squares =
      std::accumulate(differences.begin(), differences.end(), 0.0,
                      [&](double sum, double d) { return sum + (d - centre) * (d - centre); });
  const SamplingError error{std::sqrt((n - 1) / n * squares), std::ssize(differences)};
  return std::isfinite(error.standard_error) ? std::optional(error) : std::nullopt;
}

Estimate quality_difference(const RunGroup& compared,
                            const RunGroup& base,
                            const Column& metric,
                            const std::optional<SamplingError>& sampling) {
  auto estimate = compare(compared, base, metric, Effect::difference);
  if (!sampling) return estimate;
  const double of_launches = estimate.standard_error;
  add_error(estimate, sampling->standard_error, sampling->degrees_of_freedom());
  if (estimate.standard_error > of_launches)
    estimate.lasting = {sampling->standard_error * sampling->standard_error,
                        sampling->degrees_of_freedom()};
  return estimate;
}

}  // namespace scalestudy
