#pragma once
/// Order statistics of plain numbers. NaN where there are no values; values must be finite.

#include <span>
#include <vector>

namespace scalestudy {

/// The middle value; of an even number the mean of the two in the middle.
[[nodiscard]] double median(std::vector<double> values);

/// `frac` from 0 to 1, linear between order statistics, as numpy. `sorted`: ascending.
[[nodiscard]] double percentile(std::span<const double> sorted, double frac);

}  // namespace scalestudy
