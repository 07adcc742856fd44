#include "analysis/learning/averaging.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/error.hpp"

namespace scalestudy {
namespace {

/// A loss that fell below this share of what it was at first has almost nothing left to learn: its
/// logarithm scatters by single samples, not by sampling noise.
constexpr double near_zero_frac = 0.01;

constexpr std::int64_t smallest_window = 11;
constexpr std::int64_t largest_window = 101;

/// Enough to use every point with many others, and a bound of the work.
constexpr std::int64_t most_shifts = 32;
constexpr std::int64_t most_terms = std::int64_t{1} << 22;

double mean_loss(std::span<const LossPoint> points) {
  return std::accumulate(points.begin(), points.end(), 0.0,
                         [](double sum, const LossPoint& point) { return sum + point.loss; }) /
         static_cast<double>(points.size());
}

bool is_near_zero(std::span<const LossPoint> curve, std::span<const LossPoint> counted) {
  const auto first_tenth = std::max<std::size_t>(1, curve.size() - counted.size());
  return mean_loss(counted) < near_zero_frac * mean_loss(curve.first(first_tenth));
}

/// Each loss ÷ the mean over a window around it, which at the ends is moved inwards.
std::vector<double> without_trend(std::span<const LossPoint> points) {
  const auto n = std::ssize(points);
  const auto window = std::min(n, std::clamp(n / 10, smallest_window, largest_window) | 1);
  std::vector<double> sums(points.size() + 1, 0.0);
  for (std::size_t i = 0; i < points.size(); ++i) sums[i + 1] = sums[i] + points[i].loss;
  std::vector<double> ratios;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto start =
        static_cast<std::size_t>(std::clamp<std::int64_t>(i - window / 2, 0, n - window));
    const double mean = (sums[start + static_cast<std::size_t>(window)] - sums[start]) /
                        static_cast<double>(window);
    ratios.push_back(points[static_cast<std::size_t>(i)].loss / mean);
  }
  return ratios;
}

/// Distances between the members of a mean: spread evenly over half of the circle of n points, the
/// other half would give the same means. Without those that come back to a member too early.
std::vector<std::int64_t> shifts(std::int64_t n, std::int64_t k) {
  const auto count = std::clamp<std::int64_t>(most_terms / (n * k), 1, most_shifts);
  std::vector<std::int64_t> all;
  for (std::int64_t i = 1; i <= count; ++i) {
    // Upwards from the last that was taken: a small circle has few distances.
    auto shift = std::max(i * (n / 2) / count, all.empty() ? 1 : all.back() + 1);
    while (shift <= n / 2 && n / std::gcd(n, shift) < k) ++shift;
    if (shift > n / 2) break;
    all.push_back(shift);
  }
  return all;
}

/// log of the mean of values i, i + shift, …, k of them around the circle: for every i.
void add_log_means(const std::vector<double>& values,
                   std::int64_t k,
                   std::int64_t shift,
                   std::vector<double>& logs) {
  const auto n = std::ssize(values);
  for (std::int64_t first = 0; first < n; ++first) {
    double sum = 0;
    for (std::int64_t member = 0, at = first; member < k; ++member, at = (at + shift) % n)
      sum += values[static_cast<std::size_t>(at)];
    logs.push_back(std::log(sum / static_cast<double>(k)));
  }
}

double mean_square_deviation(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double centre = std::accumulate(values.begin(), values.end(), 0.0) / n;
  return std::accumulate(
             values.begin(), values.end(), 0.0,
             [=](double sum, double value) { return sum + (value - centre) * (value - centre); }) /
         n;
}

}  // namespace

AveragingPrediction averaged(std::span<const LossPoint> curve, std::int64_t k) {
  SCALESTUDY_EXPECT(k >= 1);
  const auto points = counted_points(curve);
  const auto is_loss = [](const LossPoint& point) {
    return point.loss > 0 && std::isfinite(point.loss);
  };
  if (!std::ranges::all_of(points, is_loss)) return {not_recorded, "a loss is not positive"};
  const auto n = std::ssize(points);
  if (n < 4 || n < 2 * k) return {not_recorded, "one rank made too few steps"};
  if (is_near_zero(curve, points))
    return {not_recorded,
            "the loss of one rank fell to less than 1\u202f% of what it was at first"};
  if (k == 1) return {1, ""};
  const auto values = without_trend(points);
  std::vector<double> single, means;
  add_log_means(values, 1, 1, single);
  for (const auto shift : shifts(n, k)) add_log_means(values, k, shift, means);
  if (means.empty() || !(mean_square_deviation(single) > 0))
    return {not_recorded, "the loss of one rank does not scatter"};
  // Means of k of n values scatter less than those of k new ones, by the share that was not drawn.
  const auto size = static_cast<double>(n);
  const double variance = mean_square_deviation(single) * size / (size - 1);
  const double left = 1 - static_cast<double>(k) / size;
  return {std::sqrt(mean_square_deviation(means) / left / variance), ""};
}

}  // namespace scalestudy
