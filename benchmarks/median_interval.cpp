#include "benchmarks/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/statistics.hpp"

namespace scalestudy {
namespace {

/// P(exactly `below` of `count` values lie below their true median).
double probability_of(std::size_t below, std::size_t count) {
  const auto n = static_cast<double>(count);
  const auto k = static_cast<double>(below);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                  n * std::numbers::ln2);
}

/// How many values may be left out at each end.
std::size_t values_beyond(std::size_t count) {
  constexpr double most_on_one_side = 0.025;
  std::size_t beyond = 0;
  double outside = probability_of(0, count);
  while (outside <= most_on_one_side) outside += probability_of(++beyond, count);
  return beyond;
}

}  // namespace

MedianInterval median_interval(std::vector<double> values) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t beyond = values_beyond(values.size());
  if (beyond == 0) return {median(values), unknown, unknown};
  return {median(values), values[beyond - 1], values[values.size() - beyond]};
}

}  // namespace scalestudy
