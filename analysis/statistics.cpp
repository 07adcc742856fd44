#include "analysis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace scalestudy {
namespace {

constexpr double alpha = 0.05;
constexpr int bootstrap_resamples = 10000;
constexpr std::uint64_t bootstrap_seed = 0x5ca1e57d;  // fixed: the same data give the same report

/// What is not determinable is NaN and no exception: losses of a diverged run may be of any size.
namespace policies = boost::math::policies;
using NaNInstead = policies::policy<policies::domain_error<policies::ignore_error>,
                                    policies::overflow_error<policies::ignore_error>,
                                    policies::evaluation_error<policies::ignore_error>>;
using StudentsT = boost::math::students_t_distribution<double, NaNInstead>;

struct Sample {
  std::vector<double> values;
  [[nodiscard]] std::size_t size() const { return values.size(); }
  [[nodiscard]] double mean_variance() const {
    const double deviation = standard_deviation(values);
    return deviation * deviation / static_cast<double>(size());
  }
};

/// Welch–Satterthwaite; falls back to the pooled count when neither group varies.
double welch_degrees_of_freedom(const Sample& a, const Sample& b) {
  const double va = a.mean_variance();
  const double vb = b.mean_variance();
  const auto na = static_cast<double>(a.size());
  const auto nb = static_cast<double>(b.size());
  if (va + vb <= 0) return na + nb - 2;
  return (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
}

void add_welch_interval(Estimate& estimate, const Sample& compared, const Sample& base) {
  const double error = std::sqrt(compared.mean_variance() + base.mean_variance());
  const double dof = welch_degrees_of_freedom(compared, base);
  const double reach = student_t_critical(alpha, dof) * error;
  if (!std::isfinite(reach)) return;
  estimate.interval = Interval{estimate.value - reach, estimate.value + reach};
  if (error > 0) estimate.p_value = student_t_p_value(estimate.value / error, dof);
}

double resampled_mean(const Sample& sample, std::mt19937_64& random) {
  double sum = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) sum += sample.values[random() % sample.size()];
  return sum / static_cast<double>(sample.size());
}

/// Percentile bootstrap over launches (Efron 1979).
void add_bootstrap_interval(Estimate& estimate, const Sample& compared, const Sample& base) {
  std::mt19937_64 random(bootstrap_seed);
  std::vector<double> differences(bootstrap_resamples);
  for (double& d : differences) d = resampled_mean(compared, random) - resampled_mean(base, random);
  std::sort(differences.begin(), differences.end());
  const auto tail = static_cast<std::size_t>(bootstrap_resamples * alpha / 2);
  estimate.interval = Interval{differences[tail], differences[bootstrap_resamples - 1 - tail]};
  const auto below =
      std::lower_bound(differences.begin(), differences.end(), 0.0) - differences.begin();
  const double share = static_cast<double>(below) / bootstrap_resamples;
  estimate.p_value = std::max(2 * std::min(share, 1 - share), 2.0 / bootstrap_resamples);
}

bool interval_is_determinable(const Sample& a, const Sample& b) {
  return std::min(a.size(), b.size()) >= minimum_launches_for_interval;
}

Sample finite_values(std::span<const double> values) {
  Sample sample;
  std::copy_if(values.begin(), values.end(), std::back_inserter(sample.values),
               [](double v) { return std::isfinite(v); });
  return sample;
}

Sample finite_logarithms(std::span<const double> values) {
  Sample sample;
  for (const double v : values) {
    if (std::isfinite(v) && v > 0) sample.values.push_back(std::log(v));
  }
  return sample;
}

Estimate difference_of_means(const Sample& compared, const Sample& base) {
  Estimate estimate;
  estimate.count = compared.size();
  estimate.base_count = base.size();
  if (compared.size() > 0 && base.size() > 0) {
    estimate.value = mean(compared.values) - mean(base.values);
  }
  return estimate;
}

}  // namespace

std::string_view describe(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::welch_on_logs:
      return "95 % Welch t interval on logarithms over launches";
    case IntervalMethod::bootstrap_on_logs:
      return "95 % percentile bootstrap over launches";
    case IntervalMethod::welch:
      return "95 % Welch t interval over launches";
    case IntervalMethod::not_determinable:
      break;
  }
  return "interval not determinable (fewer than 3 launches in a group)";
}

double mean(std::span<const double> values) {
  if (values.empty()) return not_available;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return not_available;
  const double centre = mean(values);
  double sum = 0;
  for (const double v : values) sum += (v - centre) * (v - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double geometric_mean(std::span<const double> values) {
  const Sample logs = finite_logarithms(values);
  if (logs.size() != values.size()) return not_available;
  return std::exp(mean(logs.values));
}

double student_t_p_value(double t, double degrees_of_freedom) {
  const StudentsT distribution(degrees_of_freedom);
  return 2 * cdf(complement(distribution, std::abs(t)));
}

double student_t_critical(double tail_probability, double degrees_of_freedom) {
  const StudentsT distribution(degrees_of_freedom);
  return quantile(complement(distribution, tail_probability / 2));
}

Interval share_interval(double share, std::int64_t count) {
  using Binomial = boost::math::binomial_distribution<double, NaNInstead>;
  const auto samples = static_cast<double>(count);
  const double seen = std::round(share * samples);
  return {Binomial::find_lower_bound_on_p(samples, seen, alpha / 2),
          Binomial::find_upper_bound_on_p(samples, seen, alpha / 2)};
}

Estimate ratio(std::span<const double> compared, std::span<const double> base) {
  const Sample a = finite_logarithms(compared);
  const Sample b = finite_logarithms(base);
  Estimate estimate = difference_of_means(a, b);
  if (interval_is_determinable(a, b)) {
    if (std::min(a.size(), b.size()) < minimum_launches_for_bootstrap) {
      add_welch_interval(estimate, a, b);
      estimate.method = IntervalMethod::welch_on_logs;
    } else {
      add_bootstrap_interval(estimate, a, b);
      estimate.method = IntervalMethod::bootstrap_on_logs;
    }
  }
  return transformed(estimate, [](double x) { return std::exp(x); });
}

Estimate difference(std::span<const double> compared, std::span<const double> base) {
  const Sample a = finite_values(compared);
  const Sample b = finite_values(base);
  Estimate estimate = difference_of_means(a, b);
  if (interval_is_determinable(a, b)) {
    add_welch_interval(estimate, a, b);
    estimate.method = IntervalMethod::welch;
  }
  return estimate;
}

Estimate without_interval(Estimate estimate) {
  estimate.interval.reset();
  estimate.method = IntervalMethod::not_determinable;
  estimate.p_value = not_available;
  return estimate;
}

Estimate inverse(const Estimate& estimate) {
  return transformed(estimate, [](double x) { return 1 / x; });
}

}  // namespace scalestudy
