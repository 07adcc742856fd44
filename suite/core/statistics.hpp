#pragma once
/// Statistics of plain numbers. NaN where there are no values; values must be finite.

#include <limits>
#include <span>
#include <vector>

namespace scalestudy {

inline constexpr double not_available = std::numeric_limits<double>::quiet_NaN();

[[nodiscard]] double mean(std::span<const double> values);
/// With n − 1; NaN for fewer than two values.
[[nodiscard]] double standard_deviation(std::span<const double> values);

/// The middle value; of an even number the mean of the two in the middle.
[[nodiscard]] double median(std::vector<double> values);

/// `frac` from 0 to 1, linear between order statistics, as numpy. `sorted`: ascending.
[[nodiscard]] double percentile(std::span<const double> sorted, double frac);

}  // namespace scalestudy
