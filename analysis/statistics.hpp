#pragma once
/// Intervals and tests between launches. The launch is the unit of replication, never the step.
/// Formulas and sources: METRICS.md, "Intervals".

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace scalestudy {

inline constexpr double not_available = std::numeric_limits<double>::quiet_NaN();

/// Fewer launches than this in a group: "interval not determinable".
inline constexpr std::size_t minimum_launches_for_interval = 3;
/// From this many launches in both groups on, the bootstrap replaces Welch's t interval.
inline constexpr std::size_t minimum_launches_for_bootstrap = 20;

/// Two-sided, 95 %.
struct Interval {
  double low = not_available;
  double high = not_available;
  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

enum class IntervalMethod { not_determinable, welch_on_logs, bootstrap_on_logs, welch };
/// "Welch's t interval on logarithms", for captions.
[[nodiscard]] std::string_view describe(IntervalMethod method);

/// A quantity estimated from launches of a base group and a compared group.
struct Estimate {
  double value = not_available;
  std::optional<Interval> interval;
  IntervalMethod method = IntervalMethod::not_determinable;
  double p_value = not_available;  ///< two-sided, of "no difference"; NaN without interval
  std::size_t base_count = 0;      ///< launches in the base group
  std::size_t count = 0;           ///< launches in the compared group
};

[[nodiscard]] double mean(std::span<const double> values);
/// With n − 1; NaN for fewer than two values.
[[nodiscard]] double standard_deviation(std::span<const double> values);
/// NaN when empty or any value is not positive.
[[nodiscard]] double geometric_mean(std::span<const double> values);

/// Two-sided p-value of Student's t.
[[nodiscard]] double student_t_p_value(double t, double degrees_of_freedom);
/// t with two-sided tail probability `alpha`.
[[nodiscard]] double student_t_critical(double alpha, double degrees_of_freedom);

/// Clopper and Pearson's interval of a share that was seen in `count` ≥ 1 samples: at least 95 %
/// whatever the share (METRICS.md#share).
[[nodiscard]] Interval share_interval(double share, std::int64_t count);

/// Ratio of geometric means compared ÷ base (METRICS.md#ratio). Values that are not finite and
/// positive are left out and not counted.
[[nodiscard]] Estimate ratio(std::span<const double> compared, std::span<const double> base);

/// Difference of means compared − base, by Welch (METRICS.md#difference).
[[nodiscard]] Estimate difference(std::span<const double> compared, std::span<const double> base);

/// The estimate under a monotone map, applied to value and both limits.
template <class Map>
[[nodiscard]] Estimate transformed(Estimate estimate, const Map& map) {
  estimate.value = map(estimate.value);
  if (estimate.interval) {
    const double a = map(estimate.interval->low);
    const double b = map(estimate.interval->high);
    estimate.interval = a < b ? Interval{a, b} : Interval{b, a};
  }
  return estimate;
}

/// A group against itself: the value, which is exact, without interval and p-value.
[[nodiscard]] Estimate without_interval(Estimate estimate);

/// base ÷ compared instead of compared ÷ base: times become speed-ups.
[[nodiscard]] Estimate inverse(const Estimate& estimate);

}  // namespace scalestudy
