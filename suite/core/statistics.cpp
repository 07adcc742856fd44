#include "core/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace scalestudy {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return undefined;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double percentile(std::span<const double> sorted, double frac) {
  if (sorted.empty()) return undefined;
  const double position = frac * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace scalestudy
