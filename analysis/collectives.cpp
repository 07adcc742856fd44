#include "analysis/collectives.hpp"

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

struct Call {
  std::int64_t ranks = 0;
  double time_s = 0;
  bool is_checked = true;
};

bool is_known(std::int64_t operation) {
  return operation >= 0 && operation < std::ssize(choices<CollectiveOperation>);
}

CollectiveTimesOfRun times_of(const CaseKey& key,
                              const std::map<std::int64_t, Call>& calls,
                              std::int64_t ranks) {
  CollectiveTimesOfRun found{.operation = static_cast<CollectiveOperation>(key.first),
                             .size_bytes = key.second};
  std::vector<double> times_s;
  for (const auto& [iteration, call] : calls) {
    if (call.ranks != ranks) continue;
    times_s.push_back(call.time_s);
    found.is_checked &= call.is_checked;
  }
  if (times_s.empty()) return found;
  std::ranges::sort(times_s);
  found.calls = std::ssize(times_s);
  found.max_s = times_s.back();
  if (found.calls >= fewest_calls_for_p99) found.p99_s = percentile(times_s, 0.99);
  found.median_s = median(std::move(times_s));
  return found;
}

Estimate mean_estimate(std::span<const double> values) {
  Estimate estimate{.value = mean(values), .count = values.size()};
  if (values.size() < minimum_launches_for_interval) return estimate;
  const auto n = static_cast<double>(values.size());
  const double half =
      student_t_critical(significance_level, n - 1) * standard_deviation(values) / std::sqrt(n);
  estimate.interval = Interval{estimate.value - half, estimate.value + half};
  return estimate;
}

/// Geometric mean with its interval; where not all are positive (one rank, between which nothing
/// passes) the mean alone.
Estimate geometric_estimate(const std::vector<double>& values) {
  if (!std::ranges::all_of(values, [](double value) { return value > 0; }))
    return {.value = mean(values), .count = values.size()};
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return transformed(mean_estimate(logs), [](double log) { return std::exp(log); });
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

std::vector<CollectiveTimesOfRun> collective_times(std::span<const CollectiveRow> rows,
                                                   std::int64_t ranks) {
  std::map<CaseKey, std::map<std::int64_t, Call>> cases;
  for (const auto& row : rows) {
    if (!is_known(row.operation) || row.size_bytes < 0 || !std::isfinite(row.transfer_s)) continue;
    auto& call = cases[{row.operation, row.size_bytes}][row.iteration];
    call.time_s = call.ranks == 0 ? row.transfer_s : std::max(call.time_s, row.transfer_s);
    call.is_checked &= row.wrong_count >= 0;
    ++call.ranks;
  }
  std::vector<CollectiveTimesOfRun> found;
  for (const auto& [key, calls] : cases) {
    found.push_back(times_of(key, calls, ranks));
    if (found.back().calls == 0) found.pop_back();
  }
  return found;
}

double bus_factor(CollectiveOperation operation, std::int64_t ranks) {
  if (ranks < 2) return not_available;
  const auto p = static_cast<double>(ranks);
  switch (operation) {
    case CollectiveOperation::all_reduce:
      return 2 * (p - 1) / p;
    case CollectiveOperation::all_gather:
    case CollectiveOperation::reduce_scatter:
      return (p - 1) / p;
    case CollectiveOperation::broadcast:
      return 1;
    case CollectiveOperation::barrier:
      break;
  }
  return not_available;
}

double CollectivePoint::algorithm_bytes_per_s() const {
  if (size_bytes == 0 || !(time_s.value > 0)) return not_available;
  return static_cast<double>(size_bytes) / time_s.value;
}

double CollectivePoint::bus_bytes_per_s() const {
  return algorithm_bytes_per_s() * bus_factor(operation, ranks);
}

Line fitted_line(std::span<const double> sizes_bytes, std::span<const double> times_s) {
  double uu = 0, uv = 0, vv = 0, u_sum = 0, v_sum = 0;  // minimise Σ (α u + β v − 1)²
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const double u = 1 / times_s[i];
    const double v = sizes_bytes[i] / times_s[i];
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u_sum += u;
    v_sum += v;
  }
  const double determinant = uu * vv - uv * uv;
  const Line line{(u_sum * vv - v_sum * uv) / determinant, (v_sum * uu - u_sum * uv) / determinant};
  if (line.alpha_s < 0) return {0, v_sum / vv};
  if (line.beta_s_per_byte < 0) return {u_sum / uu, 0};
  return line;
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
