#include "analysis/statistics/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "core/error.hpp"

#include "analysis/statistics/two_speeds.hpp"

namespace scalestudy {
namespace {

/// What is not determinable is NaN and no exception: losses of a diverged run may be of any size.
namespace policies = boost::math::policies;
using NaNInstead = policies::policy<policies::domain_error<policies::ignore_error>,
                                    policies::overflow_error<policies::ignore_error>,
                                    policies::evaluation_error<policies::ignore_error>>;
using StudentsT = boost::math::students_t_distribution<double, NaNInstead>;

/// NaN for what has none.
double logarithm(double value) {
  return value > 0 && std::isfinite(value) ? std::log(value) : not_available;
}

/// Squared standard error of the mean.
double mean_variance(std::span<const double> values) {
  const double deviation = standard_deviation(values);
  return deviation * deviation / static_cast<double>(values.size());
}

double started_of(const Launches& launches, std::size_t i) {
  return i < launches.started_unix_s.size() ? launches.started_unix_s[i] : not_available;
}

/// Of what `map` makes of each value; without those of which it makes no number.
template <class Map>
Launches mapped(const Launches& launches, const Map& map) {
  SCALESTUDY_EXPECT(launches.values.size() == launches.blocks.size());
  Launches all;
  for (std::size_t i = 0; i < launches.values.size(); ++i) {
    const double value = map(launches.values[i]);
    if (std::isfinite(value)) all.add(launches.blocks[i], value, started_of(launches, i));
  }
  return all;
}

Launches finite_values(const Launches& launches) {
  return mapped(launches, [](double value) { return value; });
}

Launches log_values(const Launches& launches) {
  return mapped(launches, logarithm);
}

/// In the order of their blocks.
Launches sorted(const Launches& launches) {
  std::vector<std::size_t> order(launches.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return launches.blocks[a] < launches.blocks[b];
  });
  Launches all;
  for (const std::size_t i : order)
    all.add(launches.blocks[i], launches.values[i], started_of(launches, i));
  return all;
}

/// Both have the same blocks, once each.
bool are_complete_blocks(const Launches& a, const Launches& b) {
  const bool has_doubles = std::adjacent_find(a.blocks.begin(), a.blocks.end()) != a.blocks.end();
  return !has_doubles && a.blocks == b.blocks;
}

/// Of complete blocks in one order: no launch of another block was started between the two of one.
/// Launches whose start is not known are taken at their word.
bool were_made_together(const Launches& a, const Launches& b) {
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    const auto [first, last] = std::minmax(a.started_unix_s[i], b.started_unix_s[i]);
    for (std::size_t j = 0; j < a.blocks.size(); ++j)
      for (const double other : {a.started_unix_s[j], b.started_unix_s[j]})
        if (i != j && first < other && other < last) return false;
  }
  return true;
}

/// Student's t of the differences within blocks.
void add_paired_interval(Estimate& estimate, const Launches& compared, const Launches& base) {
  std::vector<double> differences(base.values.size());
  std::transform(compared.values.begin(), compared.values.end(), base.values.begin(),
                 differences.begin(), std::minus<>());
  set_t_interval(estimate, std::sqrt(mean_variance(differences)),
                 static_cast<double>(differences.size() - 1));
}

/// Welch–Satterthwaite; falls back to the pooled count when neither group varies.
void add_welch_interval(Estimate& estimate, const Launches& compared, const Launches& base) {
  const double va = mean_variance(compared.values), vb = mean_variance(base.values);
  const auto na = static_cast<double>(compared.values.size());
  const auto nb = static_cast<double>(base.values.size());
  set_t_interval(estimate, std::sqrt(va + vb),
                 va + vb <= 0 ? na + nb - 2 : joint_degrees_of_freedom({va, na - 1}, {vb, nb - 1}));
}

/// What a difference of means is called, and whether its values have speeds.
struct DifferenceKind {
  IntervalMethod paired, welch;
  Launches (*logs)(const Launches& launches);  ///< of values that have; none: they have not
};

/// Of finite values.
Estimate difference_of_means(const Launches& compared,
                             const Launches& base,
                             Comparison declared,
                             const DifferenceKind& kind) {
  const Launches a = sorted(compared), b = sorted(base);
  Estimate estimate;
  estimate.count = a.values.size();
  estimate.base_count = b.values.size();
  estimate.value = mean(a.values) - mean(b.values);
  if (std::min(estimate.count, estimate.base_count) < minimum_launches_for_interval)
    return estimate;
  const bool has_pairs = declared == Comparison::paired && are_complete_blocks(a, b);
  const bool in_pairs = has_pairs && were_made_together(a, b);
  if (kind.logs != nullptr && mix_speeds(std::array{kind.logs(a), kind.logs(b)}, in_pairs)) {
    estimate.method = IntervalMethod::two_speeds;
    return estimate;
  }
  estimate.is_apart = has_pairs && !in_pairs;
  in_pairs ? add_paired_interval(estimate, a, b) : add_welch_interval(estimate, a, b);
  estimate.method = in_pairs ? kind.paired : kind.welch;
  return estimate;
}

/// Of finite values.
Estimate mean_level(const Launches& launches, IntervalMethod method) {
  Estimate estimate;
  estimate.count = launches.values.size();
  estimate.value = mean(launches.values);
  if (estimate.count < minimum_launches_for_interval) return estimate;
  set_t_interval(estimate, std::sqrt(mean_variance(launches.values)),
                 static_cast<double>(estimate.count - 1));
  estimate.p_value = not_available;  // that it is 0 nobody asks
  estimate.method = method;
  return estimate;
}

}  // namespace

std::string_view describe(IntervalMethod method) {
  return choices<IntervalMethod>[static_cast<std::size_t>(method)].summary;
}

std::string_view short_name(IntervalMethod method) {
  return to_string(method);
}

std::string describe(const Estimate& estimate) {
  std::string text(describe(estimate.method));
  if (estimate.is_apart) text += " (not paired: the runs of a repeat were not made together)";
  return text;
}

std::vector<double> finite(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

double squares_around_mean(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double deviation = standard_deviation(values);
  return deviation * deviation * static_cast<double>(values.size() - 1);
}

Interval standard_deviation_interval(double deviation, std::size_t count) {
  if (count < 2) return {};
  using ChiSquared = boost::math::chi_squared_distribution<double, NaNInstead>;
  const auto dof = static_cast<double>(count - 1);
  const ChiSquared distribution(dof);
  return {deviation * std::sqrt(dof / quantile(complement(distribution, significance_level / 2))),
          deviation * std::sqrt(dof / quantile(distribution, significance_level / 2))};
}

double geometric_mean(std::span<const double> values) {
  std::vector<double> logs(values.size());
  std::transform(values.begin(), values.end(), logs.begin(), logarithm);
  return std::exp(mean(logs));
}

double student_t_p_value(double t, double degrees_of_freedom) {
  const StudentsT distribution(degrees_of_freedom);
  return 2 * cdf(complement(distribution, std::abs(t)));
}

double student_t_critical(double tail_probability, double degrees_of_freedom) {
  const StudentsT distribution(degrees_of_freedom);
  return quantile(complement(distribution, tail_probability / 2));
}

Interval share_interval(double share, std::int64_t count, double alpha) {
  using Binomial = boost::math::binomial_distribution<double, NaNInstead>;
  const auto samples = static_cast<double>(count);
  const double seen = std::round(share * samples);
  return {Binomial::find_lower_bound_on_p(samples, seen, alpha / 2),
          Binomial::find_upper_bound_on_p(samples, seen, alpha / 2)};
}

Estimate ratio(const Launches& compared, const Launches& base, Comparison declared) {
  const auto logs = difference_of_means(
      log_values(compared), log_values(base), declared,
      {IntervalMethod::paired_on_logs, IntervalMethod::welch_on_logs, finite_values});
  auto estimate = transformed(logs, [](double x) { return std::exp(x); });
  estimate.p_value = logs.p_value;  // logarithms differ where the values do
  return estimate;
}

Estimate difference(const Launches& compared, const Launches& base, Comparison declared) {
  return difference_of_means(finite_values(compared), finite_values(base), declared,
                             {IntervalMethod::paired, IntervalMethod::welch, log_values});
}

Estimate difference_of_quality(const Launches& compared,
                               const Launches& base,
                               Comparison declared) {
  return difference_of_means(finite_values(compared), finite_values(base), declared,
                             {IntervalMethod::paired, IntervalMethod::welch, nullptr});
}

Estimate geometric_level(const Launches& launches) {
  const auto logs = log_values(launches);
  auto estimate = mean_level(logs, IntervalMethod::one_on_logs);
  if (estimate.interval && mix_speeds(std::span(&logs, 1), /*in_blocks=*/false)) {
    estimate = without_interval(estimate);
    estimate.method = IntervalMethod::two_speeds;
  }
  return transformed(estimate, [](double x) { return std::exp(x); });
}

Estimate level(const Launches& launches) {
  return mean_level(finite_values(launches), IntervalMethod::one);
}

double joint_degrees_of_freedom(const EstimatedVariance& one, const EstimatedVariance& other) {
  const double sum = one.variance + other.variance;
  return sum * sum /
         (one.variance * one.variance / one.degrees_of_freedom +
          other.variance * other.variance / other.degrees_of_freedom);
}

void set_t_interval(Estimate& estimate, double standard_error, double degrees_of_freedom) {
  const double reach = student_t_critical(significance_level, degrees_of_freedom) * standard_error;
  if (!std::isfinite(reach)) return;
  estimate.standard_error = standard_error;
  estimate.degrees_of_freedom = degrees_of_freedom;
  estimate.interval = Interval{estimate.value - reach, estimate.value + reach};
  if (standard_error > 0)
    estimate.p_value = student_t_p_value(estimate.value / standard_error, degrees_of_freedom);
}

void add_error(Estimate& estimate, double standard_error, double degrees_of_freedom) {
  if (!estimate.interval) return;
  const double launches = estimate.standard_error * estimate.standard_error;
  const double further = standard_error * standard_error;
  if (!(launches + further > 0)) return;
  const double dof = joint_degrees_of_freedom({launches, estimate.degrees_of_freedom},
                                              {further, degrees_of_freedom});
  auto wider = estimate;
  set_t_interval(wider, std::sqrt(launches + further), dof);
  if (wider.interval->high >= estimate.interval->high) estimate = wider;
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto still_asked = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, still_asked * p_values[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

void adjust_for_several(std::span<Estimate* const> family) {
  std::vector<Estimate*> asked;
  std::ranges::copy_if(family, std::back_inserter(asked),
                       [](const Estimate* one) { return std::isfinite(one->p_value); });
  std::vector<double> p_values;
  for (const Estimate* one : asked) p_values.push_back(one->p_value);
  const auto adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i]->p_value = adjusted[i];
}

bool is_resolved(const Estimate& estimate, double no_effect) {
  return estimate.interval && !estimate.interval->contains(no_effect) &&
         !(estimate.p_value > significance_level);
}

bool is_equivalent(const Estimate& estimate, double no_effect, double margin) {
  return estimate.interval && estimate.interval->low > no_effect - margin &&
         estimate.interval->high < no_effect + margin;
}

bool is_non_inferior(const Estimate& difference, double margin, bool higher_is_better) {
  if (!difference.interval) return false;
  return higher_is_better ? difference.interval->low > -margin : difference.interval->high < margin;
}

std::optional<Interval> said_interval(const Estimate& estimate) {
  constexpr double rounding = 1e-12;
  if (!estimate.interval) return std::nullopt;
  const auto [low, high] = *estimate.interval;
  const bool has_width = high - low > rounding * std::max(std::abs(low), std::abs(high));
  return has_width ? estimate.interval : std::nullopt;
}

Estimate without_interval(const Estimate& estimate) {
  return {.value = estimate.value, .base_count = estimate.base_count, .count = estimate.count};
}

Estimate inverse(const Estimate& estimate) {
  auto inverted = transformed(estimate, [](double x) { return 1 / x; });
  inverted.p_value = estimate.p_value;  // neither differs from 1 without the other
  return inverted;
}

}  // namespace scalestudy
