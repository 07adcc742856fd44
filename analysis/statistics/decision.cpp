#include "analysis/statistics/decision.hpp"

#include <algorithm>
#include <cmath>

namespace scalestudy {
namespace {

/// On the scale on which the interval is even.
double on_scale(IntervalMethod method, double value) {
  const bool is_on_logs = method == IntervalMethod::welch_on_logs ||
                          method == IntervalMethod::paired_on_logs ||
                          method == IntervalMethod::one_on_logs;
  return is_on_logs ? std::log(value) : value;
}

std::int64_t launches_of_each(const Estimate& estimate) {
  const auto count = static_cast<std::int64_t>(estimate.count);
  const auto base_count = static_cast<std::int64_t>(estimate.base_count);
  return base_count == 0 ? count : std::min(count, base_count);
}

/// What is left of a sum of two when `part` is taken out: joint_degrees_of_freedom(), solved.
EstimatedVariance without(const EstimatedVariance& part, const EstimatedVariance& sum) {
  if (!(part.variance > 0)) return sum;
  const double left = sum.variance - part.variance;
  if (!(left > 0)) return {0, sum.degrees_of_freedom};
  return {left, left * left /
                    (sum.variance * sum.variance / sum.degrees_of_freedom -
                     part.variance * part.variance / part.degrees_of_freedom)};
}

/// The fewest from `first` on whose interval, at `level`, reaches no further than `distance` with
/// the chance that the normal quantile `quantile` has. METRICS.md#launches-to-decide
std::optional<std::int64_t> fewest_launches(
    const Estimate& estimate, std::int64_t first, double distance, double level, double quantile) {
  constexpr std::int64_t most = 1000;
  if (!estimate.interval) return std::nullopt;
  const auto now = static_cast<double>(launches_of_each(estimate));
  const double width = on_scale(estimate.method, estimate.interval->high) -
                       on_scale(estimate.method, estimate.interval->low);
  const double error =
      width / 2 / student_t_critical(significance_level, estimate.degrees_of_freedom);
  if (!(error > 0)) return std::nullopt;
  const auto& lasting = estimate.lasting;
  const auto shrinking = without(lasting, {error * error, estimate.degrees_of_freedom});
  for (auto n = first; n <= most; ++n) {
    const auto launches = static_cast<double>(n);
    const EstimatedVariance then{shrinking.variance * now / launches,
                                 shrinking.degrees_of_freedom * (launches - 1) / (now - 1)};
    const double degrees_of_freedom =
        lasting.variance > 0 ? joint_degrees_of_freedom(then, lasting) : then.degrees_of_freedom;
    const double t = student_t_critical(level, degrees_of_freedom);
    if ((t + quantile) * std::sqrt(then.variance + lasting.variance) <= distance) return n;
  }
  return std::nullopt;
}

}  // namespace

ExitCode exit_code_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return ExitCode::done;
    case Outcome::fail:
      return ExitCode::not_confirmed;
    case Outcome::not_comparable:
    case Outcome::undecided:
      break;
  }
  return ExitCode::undecided;
}

Decision decide(const Estimate& measured, const Interval& accepted) {
  Decision decision;
  if (!measured.interval) return decision;
  const auto [low, high] = *measured.interval;
  if (low > accepted.low && high < accepted.high)
    decision.outcome = Outcome::pass;
  else if (high < accepted.low || low > accepted.high)
    decision.outcome = Outcome::fail;
  else
    decision.launches_to_decide = launches_to_tell(measured, accepted);
  return decision;
}

std::optional<std::int64_t> launches_to_tell(const Estimate& estimate,
                                             const Interval& limits,
                                             double level) {
  constexpr double quantile_of_80_percent = 0.8416;
  const auto away = [&](double limit) {
    return std::abs(on_scale(estimate.method, estimate.value) - on_scale(estimate.method, limit));
  };
  return fewest_launches(estimate, launches_of_each(estimate) + 1,
                         std::fmin(away(limits.low), away(limits.high)), level,
                         quantile_of_80_percent);
}

std::optional<std::int64_t> launches_to_call_equal(const Estimate& difference, double margin) {
  constexpr double quantile_of_90_percent = 1.2816;  // either limit may miss in a tenth of studies
  return fewest_launches(difference, static_cast<std::int64_t>(minimum_launches_for_interval),
                         margin, significance_level, quantile_of_90_percent);
}

}  // namespace scalestudy
