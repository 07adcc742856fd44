#pragma once
/// The middle of repeated measurements, and how sure it is.

#include <vector>

namespace scalestudy {

/// NaN where there are no values.
struct MedianInterval {
  double median;
  double low;  ///< limits NaN with fewer than six values
  double high;
};

/// The median, and the two order statistics, equally far from both ends, that enclose the true one
/// in at least 95 %, whatever the distribution: by the binomial distribution of how many values lie
/// below it (Conover 1999, Practical Nonparametric Statistics, 3.2).
[[nodiscard]] MedianInterval median_interval(std::vector<double> values);

}  // namespace scalestudy
