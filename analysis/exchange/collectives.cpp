#include "analysis/exchange/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/statistics.hpp"

namespace scalestudy {
namespace {

/// A line through two points fits whatever they are.
constexpr std::size_t fewest_sizes = 3;

using CaseKey = std::pair<std::int64_t, std::int64_t>;  ///< operation, size_bytes

/// Geometric mean with its interval; where not all are positive (one rank, between which nothing
/// passes) the mean alone.
Estimate geometric_estimate(const std::vector<double>& values) {
  if (!std::ranges::all_of(values, [](double value) { return value > 0; }))
    return {.value = mean(values), .count = values.size()};
  Launches launches;
  for (const double value : values) launches.add(std::ssize(launches.values), value);
  return geometric_level(launches);
}

CollectivePoint point_of(const std::vector<const CollectiveTimesOfRun*>& runs, std::int64_t ranks) {
  CollectivePoint point{.ranks = ranks,
                        .operation = runs.front()->operation,
                        .size_bytes = runs.front()->size_bytes,
                        .max_s = runs.front()->max_s};
  std::vector<double> medians_s, p99s_s;
  for (const auto* run : runs) {
    point.calls += run->calls;
    point.max_s = std::max(point.max_s, run->max_s);
    point.is_checked &= run->is_checked;
    medians_s.push_back(run->median_s);
    if (std::isfinite(run->p99_s)) p99s_s.push_back(run->p99_s);
  }
  point.time_s = geometric_estimate(medians_s);
  if (p99s_s.size() == runs.size()) point.p99_s = median(std::move(p99s_s));
  return point;
}

/// A run's sizes and times of an operation that a line can go through.
struct Curve {
  std::vector<double> sizes_bytes;
  std::vector<double> times_s;
};

Curve curve_of(const std::vector<CollectiveTimesOfRun>& run, CollectiveOperation operation) {
  Curve curve;
  for (const auto& one : run) {
    if (one.operation != operation || one.size_bytes == 0 || !(one.median_s > 0)) continue;
    curve.sizes_bytes.push_back(static_cast<double>(one.size_bytes));
    curve.times_s.push_back(one.median_s);
  }
  return curve;
}

double worst_residual_frac(const CollectiveFit& fit, std::span<const CollectivePoint> points) {
  double worst = 0;
  for (const auto& point : points) {
    if (point.operation != fit.operation || point.size_bytes == 0 || !(point.time_s.value > 0))
      continue;
    const double line_s =
        fit.alpha_s.value + fit.beta_s_per_byte.value * static_cast<double>(point.size_bytes);
    worst = std::max(worst, std::abs(line_s - point.time_s.value) / point.time_s.value);
  }
  return worst;
}

}  // namespace

double CollectivePoint::algorithm_bytes_per_s() const {
  if (size_bytes == 0 || !(time_s.value > 0)) return not_available;
  return static_cast<double>(size_bytes) / time_s.value;
}

double CollectivePoint::bus_bytes_per_s() const {
  return algorithm_bytes_per_s() * bus_factor(operation, ranks);
}

std::vector<CollectivePoint> collective_points(
    std::span<const std::vector<CollectiveTimesOfRun>* const> runs, std::int64_t ranks) {
  std::map<CaseKey, std::vector<const CollectiveTimesOfRun*>> cases;
  for (const auto* run : runs)
    for (const auto& one : *run)
      cases[{static_cast<std::int64_t>(one.operation), one.size_bytes}].push_back(&one);
  std::vector<CollectivePoint> points;
  for (const auto& [key, of_case] : cases) points.push_back(point_of(of_case, ranks));
  return points;
}

std::vector<CollectiveFit> collective_fits(
    std::span<const std::vector<CollectiveTimesOfRun>* const> runs,
    std::span<const CollectivePoint> points) {
  std::vector<CollectiveFit> fits;
  for (const auto& choice : choices<CollectiveOperation>) {
    std::vector<double> alphas_s, betas;
    std::size_t sizes = 0;
    for (const auto* run : runs) {
      const auto curve = curve_of(*run, choice.value);
      sizes = curve.times_s.size();
      if (sizes < fewest_sizes) break;
      const auto line = fitted_line(curve.sizes_bytes, curve.times_s);
      alphas_s.push_back(line.alpha_s);
      betas.push_back(line.beta_s_per_byte);
    }
    if (alphas_s.empty() || alphas_s.size() < runs.size()) continue;
    CollectiveFit fit{.ranks = points.front().ranks,
                      .operation = choice.value,
                      .sizes = static_cast<std::int64_t>(sizes),
                      .alpha_s = geometric_estimate(alphas_s),
                      .beta_s_per_byte = geometric_estimate(betas)};
    fit.worst_residual_frac = worst_residual_frac(fit, points);
    fits.push_back(fit);
  }
  return fits;
}

}  // namespace scalestudy
