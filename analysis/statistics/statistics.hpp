#pragma once
/// Intervals and tests between launches. The launch is the unit of replication, never the step.
/// Formulas and sources: METRICS.md, "Intervals".

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice.hpp"
#include "core/statistics.hpp"

#include "study/choices.hpp"

namespace scalestudy {

/// Intervals leave out the truth, and tests find what is not there, in this share of studies.
inline constexpr double significance_level = 0.05;
/// Fewer launches than this in a group: "interval not determinable".
inline constexpr std::size_t minimum_launches_for_interval = 3;

/// Two-sided, 95 %.
struct Interval {
  double low = not_available;
  double high = not_available;
  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

enum class IntervalMethod {
  not_determinable,
  two_speeds,  ///< none: METRICS.md#two-speeds
  welch_on_logs,
  paired_on_logs,
  welch,
  paired,
  block_fit,    ///< METRICS.md#block-fit
  one_on_logs,  ///< METRICS.md#one-group
  one,          ///< likewise
  model_fit     ///< METRICS.md#predict
};
template <>
inline constexpr auto choices<IntervalMethod> = std::array{
    Choice{IntervalMethod::not_determinable, "none",
           "interval not determinable (fewer than 3 launches in a group)"},
    Choice{IntervalMethod::two_speeds, "two speeds",
           "no interval (launches run at two speeds: their mean is that of neither)"},
    Choice{IntervalMethod::welch_on_logs, "Welch t",
           "95 % Welch t interval on logarithms over launches"},
    Choice{IntervalMethod::paired_on_logs, "paired t",
           "95 % paired t interval on logarithms over launches"},
    Choice{IntervalMethod::welch, "Welch t", "95 % Welch t interval over launches"},
    Choice{IntervalMethod::paired, "paired t", "95 % paired t interval over launches"},
    Choice{IntervalMethod::block_fit, "block fit", "95 % t interval of a fit over arms and blocks"},
    Choice{IntervalMethod::one_on_logs, "t", "95 % t interval on logarithms over launches"},
    Choice{IntervalMethod::one, "t", "95 % t interval over launches"},
    Choice{IntervalMethod::model_fit, "model", "95 % prediction interval of a fitted model"}};
/// "95 % paired t interval on logarithms over launches", for captions.
[[nodiscard]] std::string_view describe(IntervalMethod method);
/// "paired t", for tables.
[[nodiscard]] std::string_view short_name(IntervalMethod method);

/// One value of each launch of a group. Those of one block were made together.
struct Launches {
  std::vector<double> values;
  std::vector<std::int64_t> blocks;  ///< of each value
  /// When each launch was started, after 1970-01-01 00:00 UTC; NaN, or empty: not known, or of no
  /// consequence for the value.
  std::vector<double> started_unix_s{};

  void add(std::int64_t block, double value, double started = not_available) {
    values.push_back(value);
    blocks.push_back(block);
    started_unix_s.push_back(started);
  }
};

struct EstimatedVariance {
  double variance = 0;
  double degrees_of_freedom = 0;
};

/// A quantity estimated from launches of a base group and a compared group.
struct Estimate {
  double value = not_available;
  std::optional<Interval> interval;
  IntervalMethod method = IntervalMethod::not_determinable;
  /// Pairs were declared and blocks are complete, but their runs were not made together
  /// (METRICS.md#paired): the interval is that of independent groups.
  bool is_apart = false;
  /// Two-sided, of "the groups do not differ", of several comparisons after Holm (see
  /// adjust_for_several()); NaN without interval.
  double p_value = not_available;
  double standard_error = not_available;      ///< what the interval is made of; NaN for ratios
  double degrees_of_freedom = not_available;  ///< of Student's t, on the scale of the method
  EstimatedVariance lasting;  ///< part of standard_error² that further launches do not make smaller
  std::size_t base_count = 0;  ///< launches in the base group
  std::size_t count = 0;       ///< launches in the compared group
};

/// The same of an estimate; also why it is not paired although that was declared, where blocks were
/// torn apart in time.
[[nodiscard]] std::string describe(const Estimate& estimate);

/// Without those that are NaN or infinite.
[[nodiscard]] std::vector<double> finite(std::vector<double> values);
/// Sum of squares; 0 for fewer than two values.
[[nodiscard]] double squares_around_mean(std::span<const double> values);
/// 95 %, of the standard deviation of a normal distribution of which `count` values scatter by
/// `deviation`: from the quantiles of chi-square with count − 1 degrees of freedom. NaN for fewer
/// than two values.
[[nodiscard]] Interval standard_deviation_interval(double deviation, std::size_t count);
/// NaN when empty or any value is not positive.
[[nodiscard]] double geometric_mean(std::span<const double> values);

/// Two-sided p-value of Student's t.
[[nodiscard]] double student_t_p_value(double t, double degrees_of_freedom);
/// t with two-sided tail probability `alpha`.
[[nodiscard]] double student_t_critical(double alpha, double degrees_of_freedom);

/// Clopper and Pearson's interval of a share that was seen in `count` ≥ 1 samples: at least
/// 1 − `alpha` whatever the share (METRICS.md#share).
[[nodiscard]] Interval share_interval(double share,
                                      std::int64_t count,
                                      double alpha = significance_level);

/// Ratio of geometric means compared ÷ base. In pairs (METRICS.md#paired) where that was declared
/// and both have the same blocks, once each, whose runs were made together as far as is known; else
/// independently (METRICS.md#ratio); without interval where launches run at two speeds. Values that
/// are not finite and positive are left out and not counted.
[[nodiscard]] Estimate ratio(const Launches& compared, const Launches& base, Comparison declared);

/// Likewise the difference of mean times compared − base (METRICS.md#difference).
[[nodiscard]] Estimate difference(const Launches& compared,
                                  const Launches& base,
                                  Comparison declared);

/// The same of qualities, which have no speeds.
[[nodiscard]] Estimate difference_of_quality(const Launches& compared,
                                             const Launches& base,
                                             Comparison declared);

/// Of one group alone, by Student's t (METRICS.md#one-group): geometric mean, of values that are
/// positive, or mean. base_count is 0. Values that are not finite (and positive) are left out.
[[nodiscard]] Estimate geometric_level(const Launches& launches);
[[nodiscard]] Estimate level(const Launches& launches);

/// Of the sum of two independent terms, after Welch and Satterthwaite. Contract: some variance is
/// above 0.
[[nodiscard]] double joint_degrees_of_freedom(const EstimatedVariance& one,
                                              const EstimatedVariance& other);

/// Interval and p-value of "it is 0" by Student's t; none where the error or its t is not finite.
void set_t_interval(Estimate& estimate, double standard_error, double degrees_of_freedom);

/// Widens the interval of a difference by a further, independent error that is no scatter of
/// launches: variances add, degrees of freedom after Welch and Satterthwaite. Where more of these
/// would make it narrower it stays as it is. No effect without interval.
void add_error(Estimate& estimate, double standard_error, double degrees_of_freedom);

/// Holm's step-down procedure (1979, Scand. J. Statist. 6): the p-values of questions that are
/// asked together, so that the chance of any false "yes" stays below 5 %; in the given order.
/// Contract: none is NaN.
[[nodiscard]] std::vector<double> holm_adjusted(std::span<const double> p_values);

/// The same of estimates' p-values; NaN stay and do not count.
void adjust_for_several(std::span<Estimate* const> family);

/// Whether the launches tell the two groups apart: the interval leaves out `no_effect` and, of
/// several comparisons, Holm's p-value is below 5 %. False without interval.
[[nodiscard]] bool is_resolved(const Estimate& estimate, double no_effect);

/// Whether the launches show that the groups are as good as equal: the whole 95 % interval lies
/// strictly inside no_effect ± margin, in the estimate's unit. False without interval; not the
/// opposite of is_resolved(). Contains two one-sided tests (Schuirmann 1987, J. Pharmacokinet.
/// Biopharm. 15), each at 2.5 %: METRICS.md#equivalence.
[[nodiscard]] bool is_equivalent(const Estimate& estimate, double no_effect, double margin);

/// Whether the compared group is shown to be at most `margin` ≥ 0 worse than the base, in the unit
/// of `difference` (compared − base): the interval's worse limit is less than that from 0. False
/// without interval. One-sided at 2.5 % (Piaggio et al. 2012, JAMA 308): METRICS.md#equivalence.
[[nodiscard]] bool is_non_inferior(const Estimate& difference,
                                   double margin,
                                   bool higher_is_better);

/// The estimate under a monotone map, applied to value and both limits. Without a p-value: what was
/// tested of the one is no hypothesis about the other.
template <class Map>
[[nodiscard]] Estimate transformed(Estimate estimate, const Map& map) {
  estimate.value = map(estimate.value);
  estimate.p_value = not_available;
  estimate.standard_error = not_available;
  if (estimate.interval) {
    const double a = map(estimate.interval->low);
    const double b = map(estimate.interval->high);
    estimate.interval = a < b ? Interval{a, b} : Interval{b, a};
  }
  return estimate;
}

/// The interval as it is said: none without width, which runs that all have the same value make.
[[nodiscard]] std::optional<Interval> said_interval(const Estimate& estimate);

/// A group against itself: the value, which is exact, without interval and p-value.
[[nodiscard]] Estimate without_interval(const Estimate& estimate);

/// base ÷ compared instead of compared ÷ base: times become speed-ups.
[[nodiscard]] Estimate inverse(const Estimate& estimate);

}  // namespace scalestudy
