#include "analysis/statistics/scaling_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "core/error.hpp"

namespace scalestudy {
namespace {

constexpr std::size_t most_terms = 3;
using Terms = std::array<double, most_terms>;

/// What the coefficients are multiplied by; the first is the computing of a rank's samples.
Terms terms_of(ScalingModel model, double work_ratio, std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  const double round_the_ring = 2 * (n - 1) / n;
  switch (model) {
    case ScalingModel::amdahl:
      return {work_ratio, work_ratio * (n - 1), 0};
    case ScalingModel::logarithmic:
      return {work_ratio, std::log2(n), 0};
    case ScalingModel::ring:
      return {work_ratio, round_the_ring, 0};
    case ScalingModel::ring_with_latency:
      return {work_ratio, round_the_ring, n - 1};
    case ScalingModel::link:
      return {work_ratio, work_ratio * expected_largest(ranks), 0};
  }
  SCALESTUDY_EXPECT(false);
}

std::size_t term_count(ScalingModel model) {
  return model == ScalingModel::ring_with_latency ? 3 : 2;
}

/// One number of ranks: the geometric mean of its launches, and what a model says of it.
struct Equation {
  Terms terms{};
  double known_s = 0;
  double step_s = 0;
  double weight = 1;  ///< launches
};

/// Unknowns of a symmetric system of at most three by Gauss' elimination; nothing where it is
/// singular.
std::optional<Terms> solved(std::array<Terms, most_terms> matrix, Terms right, std::size_t size) {
  for (std::size_t column = 0; column < size; ++column) {
    const double pivot = matrix[column][column];
    if (!(std::abs(pivot) > 1e-12)) return std::nullopt;
    for (std::size_t row = 0; row < size; ++row) {
      if (row == column) continue;
      const double factor = matrix[row][column] / pivot;
      for (std::size_t k = column; k < size; ++k) matrix[row][k] -= factor * matrix[column][k];
      right[row] -= factor * right[column];
    }
  }
  Terms unknowns{};
  for (std::size_t i = 0; i < size; ++i) unknowns[i] = right[i] / matrix[i][i];
  return unknowns;
}

/// Least squares of relative errors with these terms only.
std::optional<Terms> fitted_with(std::span<const Equation> equations,
                                 const std::vector<std::size_t>& used) {
  std::array<Terms, most_terms> matrix{};
  Terms right{};
  for (const auto& equation : equations) {
    const auto share = [&](std::size_t i) { return equation.terms[used[i]] / equation.step_s; };
    for (std::size_t i = 0; i < used.size(); ++i) {
      for (std::size_t j = 0; j < used.size(); ++j)
        matrix[i][j] += equation.weight * share(i) * share(j);
      right[i] += equation.weight * share(i) * (1 - equation.known_s / equation.step_s);
    }
  }
  // Of columns whose sizes differ much the pivots would say nothing.
  Terms scale{};
  for (std::size_t i = 0; i < used.size(); ++i) scale[i] = std::sqrt(matrix[i][i]);
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!(scale[i] > 0)) return std::nullopt;
    for (std::size_t j = 0; j < used.size(); ++j) matrix[i][j] /= scale[i] * scale[j];
    right[i] /= scale[i];
  }
  const auto unknowns = solved(matrix, right, used.size());
  if (!unknowns) return std::nullopt;
  Terms coefficients{};
  for (std::size_t i = 0; i < used.size(); ++i) coefficients[used[i]] = (*unknowns)[i] / scale[i];
  return coefficients;
}

double modelled_s(const Equation& equation, const Terms& coefficients) {
  return std::inner_product(coefficients.begin(), coefficients.end(), equation.terms.begin(),
                            equation.known_s);
}

double squared_error(std::span<const Equation> equations, const Terms& coefficients) {
  double sum = 0;
  for (const auto& equation : equations)
    sum += equation.weight * std::pow(modelled_s(equation, coefficients) / equation.step_s - 1, 2);
  return sum;
}

/// The least squares of which no coefficient is negative: of few terms all choices are tried.
/// Computing is always one of them.
Terms fitted(std::span<const Equation> equations, std::size_t terms) {
  Terms best{};
  double least = not_available;
  for (std::size_t choice = 1; choice < (std::size_t{1} << terms); choice += 2) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < terms; ++i)
      if ((choice >> i & 1U) != 0) used.push_back(i);
    const auto coefficients = fitted_with(equations, used);
    if (!coefficients || std::ranges::any_of(*coefficients, [](double c) { return c < 0; }))
      continue;
    const double error = squared_error(equations, *coefficients);
    if (!(error >= least)) {
      least = error;
      best = *coefficients;
    }
  }
  return best;
}

/// A model and the measured times of each number of ranks, as logarithms of their geometric means.
class Fitter {
 public:
  Fitter(const ScalingData& data, ScalingModel model, std::size_t used_points)
      : data_(data), model_(model), used_points_(used_points) {}

  [[nodiscard]] Equation equation(std::int64_t ranks) const {
    Equation equation;
    equation.terms = terms_of(model_, data_.work_ratio(ranks), ranks);
    if (model_ == ScalingModel::link) equation.known_s = data_.exchange_s(ranks);
    return equation;
  }

  [[nodiscard]] Terms coefficients(const std::vector<double>& log_step) const {
    std::vector<Equation> equations;
    for (std::size_t i = 0; i < used_points_; ++i) {
      auto one = equation(data_.points[i].ranks);
      one.step_s = std::exp(log_step[i]);
      one.weight = static_cast<double>(data_.points[i].step_s.size());
      equations.push_back(one);
    }
    return fitted(equations, term_count(model_));
  }

  [[nodiscard]] double log_prediction(const std::vector<double>& log_step,
                                      std::int64_t ranks) const {
    return std::log(modelled_s(equation(ranks), coefficients(log_step)));
  }

 private:
  const ScalingData& data_;
  ScalingModel model_;
  std::size_t used_points_;
};

std::vector<double> log_steps(const ScalingData& data) {
  std::vector<double> logs;
  for (const auto& point : data.points) logs.push_back(std::log(geometric_mean(point.step_s)));
  return logs;
}

/// Scatter of logarithms of single launches around their rank count's mean, all counts together.
struct Scatter {
  double deviation = not_available;
  double degrees_of_freedom = 0;
};
Scatter scatter_of(const ScalingData& data) {
  Scatter scatter;
  double squares = 0;
  for (const auto& point : data.points) {
    if (point.step_s.size() < minimum_launches_for_interval) return {};
    const double centre = std::log(geometric_mean(point.step_s));
    for (const double step_s : point.step_s) squares += std::pow(std::log(step_s) - centre, 2);
    scatter.degrees_of_freedom += static_cast<double>(point.step_s.size() - 1);
  }
  scatter.deviation = std::sqrt(squares / scatter.degrees_of_freedom);
  return scatter;
}

/// By how much the logarithm of a prediction changes with that of each measured time. Over steps as
/// large as the scatter, since a coefficient that is 0 stays there for smaller ones.
std::vector<double> sensitivities(const Fitter& fitter,
                                  const ScalingData& data,
                                  double deviation,
                                  std::int64_t ranks) {
  const auto logs = log_steps(data);
  std::vector<double> all;
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    const auto launches = static_cast<double>(data.points[i].step_s.size());
    const double change = std::max(deviation / std::sqrt(launches), 1e-6);
    auto longer = logs, shorter = logs;
    longer[i] += change;
    shorter[i] -= change;
    all.push_back((fitter.log_prediction(longer, ranks) - fitter.log_prediction(shorter, ranks)) /
                  (2 * change));
  }
  return all;
}

double variance_of_means(const std::vector<double>& factors,
                         const ScalingData& data,
                         double deviation) {
  double sum = 0;
  for (std::size_t i = 0; i < factors.size(); ++i)
    sum += std::pow(factors[i] * deviation, 2) / static_cast<double>(data.points[i].step_s.size());
  return sum;
}

FittedModel judged(const ScalingData& data, ScalingModel model) {
  const auto logs = log_steps(data);
  FittedModel fit{.model = model};
  const auto coefficients = Fitter(data, model, data.points.size()).coefficients(logs);
  fit.coefficients_s.assign(coefficients.begin(),
                            coefficients.begin() + static_cast<std::ptrdiff_t>(term_count(model)));
  const auto fewer = data.points.size() - 1;
  if (fewer < term_count(model)) {
    fit.is_compatible = true;
    return fit;
  }
  const Fitter fitter(data, model, fewer);
  const auto ranks = data.points.back().ranks;
  const double log_error = fitter.log_prediction(logs, ranks) - logs.back();
  fit.hold_out_error_frac = std::expm1(log_error);
  fit.is_compatible = std::abs(log_error) <= least_model_error_frac;
  const auto scatter = scatter_of(data);
  if (fit.is_compatible || !(scatter.degrees_of_freedom > 0)) return fit;
  auto factors = sensitivities(fitter, data, scatter.deviation, ranks);
  factors.back() -= 1;  // of the measured time itself
  const double error = std::sqrt(variance_of_means(factors, data, scatter.deviation));
  fit.is_compatible = std::abs(log_error) <=
                      student_t_critical(significance_level, scatter.degrees_of_freedom) * error;
  return fit;
}

/// How many times as far the prediction lies beyond what was measured as the measured ranks that
/// were left out lay beyond the others; on logarithms, since time grows with doublings.
double reach_in_hold_outs(const ScalingData& data, std::int64_t ranks) {
  const auto& points = data.points;
  const auto log_of = [](std::int64_t n) { return std::log(static_cast<double>(n)); };
  const auto most = points.back().ranks;
  return std::max(1.0, (log_of(ranks) - log_of(most)) /
                           (log_of(most) - log_of(points[points.size() - 2].ranks)));
}

/// The estimate of exp(log_value): Student's t of fit and scatter, and the model's error.
Estimate with_reach(double log_value, double variance, const Scatter& scatter, double model_error) {
  Estimate estimate;
  estimate.value = std::exp(log_value);
  if (!(scatter.degrees_of_freedom > 0) || !std::isfinite(log_value)) return estimate;
  const double reach =
      student_t_critical(significance_level, scatter.degrees_of_freedom) * std::sqrt(variance) +
      model_error;
  estimate.interval = Interval{std::exp(log_value - reach), std::exp(log_value + reach)};
  estimate.method = IntervalMethod::model_fit;
  return estimate;
}

void widen_to(Estimate& estimate, const Estimate& other) {
  if (!estimate.interval || !other.interval) return;
  estimate.interval->low = std::min(estimate.interval->low, other.interval->low);
  estimate.interval->high = std::max(estimate.interval->high, other.interval->high);
}

ScalingPrediction predicted_by(const ScalingData& data,
                               const FittedModel& fit,
                               std::int64_t ranks) {
  const Fitter fitter(data, fit.model, data.points.size());
  const auto logs = log_steps(data);
  const auto scatter = scatter_of(data);
  const double log_step = fitter.log_prediction(logs, ranks);
  const double missed = fit.is_judged() ? std::abs(std::log1p(fit.hold_out_error_frac)) : 0;
  const double model_error =
      std::max(missed, least_model_error_frac) * reach_in_hold_outs(data, ranks);
  const double scatter_of_one = scatter.deviation * scatter.deviation;
  auto factors =
      sensitivities(fitter, data, scatter.degrees_of_freedom > 0 ? scatter.deviation : 0, ranks);
  ScalingPrediction prediction{.ranks = ranks, .model = fit.model};
  const double log_samples = std::log(data.samples_per_step_of(ranks));
  prediction.samples_per_s = with_reach(
      log_samples - log_step, variance_of_means(factors, data, scatter.deviation) + scatter_of_one,
      scatter, model_error);
  const bool has_one_rank = data.points.front().ranks == 1;
  factors.front() -= 1;  // the time of one rank moves the prediction and what it is compared with
  prediction.speedup = with_reach(
      has_one_rank ? log_samples - log_step - std::log(data.samples_per_step) + logs.front()
                   : not_available,
      variance_of_means(factors, data, scatter.deviation) + scatter_of_one, scatter, model_error);
  return prediction;
}

}  // namespace

double ScalingData::work_ratio(std::int64_t ranks) const {
  return has_fixed_global_batch
             ? static_cast<double>(points.front().ranks) / static_cast<double>(ranks)
             : 1;
}

double ScalingData::samples_per_step_of(std::int64_t ranks) const {
  return samples_per_step * work_ratio(ranks) * static_cast<double>(ranks) /
         static_cast<double>(points.front().ranks);
}

ScalingFit::ScalingFit(ScalingData data) : data_(std::move(data)) {
  SCALESTUDY_EXPECT(data_.points.size() >= fewest_rank_counts && data_.samples_per_step > 0);
  for (const auto& row : choices<ScalingModel>)
    if (row.value != ScalingModel::link || data_.exchange_s)
      models_.push_back(judged(data_, row.value));
  std::ranges::stable_sort(models_, [](const FittedModel& a, const FittedModel& b) {
    const double of_a = std::abs(a.hold_out_error_frac), of_b = std::abs(b.hold_out_error_frac);
    return std::isfinite(of_a) && (!std::isfinite(of_b) || of_a < of_b);
  });
}

const FittedModel* ScalingFit::model_for(std::int64_t ranks) const {
  const auto is_fit = [&](const FittedModel& one) {
    return one.is_judged() && (is_near(ranks) || one.model == ScalingModel::link);
  };
  const auto found = std::ranges::find_if(models_, is_fit);
  return found == models_.end() ? nullptr : &*found;
}

bool ScalingFit::grows_faster_than_models() const {
  return std::ranges::all_of(models_, [](const FittedModel& one) {
    return !one.is_judged() || (!one.is_compatible && one.hold_out_error_frac < 0);
  });
}

ScalingPrediction ScalingFit::predict(std::int64_t ranks) const {
  const FittedModel* fit = model_for(ranks);
  SCALESTUDY_EXPECT(fit != nullptr && ranks > 0);
  auto prediction = predicted_by(data_, *fit, ranks);
  for (const auto& other : models_) {
    if (other.model == fit->model || !other.is_compatible || !is_near(ranks)) continue;
    prediction.as_good.push_back(other.model);
    const auto by_other = predicted_by(data_, other, ranks);
    widen_to(prediction.samples_per_s, by_other.samples_per_s);
    widen_to(prediction.speedup, by_other.speedup);
  }
  // Nothing in the models makes ranks faster than alone: what exceeds them is scatter of the base.
  const auto most = static_cast<double>(ranks);
  prediction.speedup =
      transformed(prediction.speedup, [most](double speedup) { return std::min(speedup, most); });
  prediction.efficiency = transformed(
      prediction.speedup, [ranks](double speedup) { return speedup / static_cast<double>(ranks); });
  return prediction;
}

double expected_largest(std::int64_t n) {
  // ∫ 1 − Φ(x)^n − (1 − Φ(x))^n over x > 0, by the trapezoidal rule.
  constexpr double step = 1.0 / 64, end = 12;
  const auto draws = static_cast<double>(n);
  const auto integrand = [draws](double x) {
    const double above = std::erfc(x / std::sqrt(2.0)) / 2;
    return -std::expm1(draws * std::log1p(-above)) - std::pow(above, draws);
  };
  double sum = integrand(0) / 2;
  for (double x = step; x < end; x += step) sum += integrand(x);
  return sum * step;
}

}  // namespace scalestudy
