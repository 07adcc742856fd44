#include "record/measures/stationarity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace scalestudy {
namespace {

constexpr std::size_t fewest_steps = 20;
constexpr std::size_t steps_for_many_batches = 60;
/// Changes that matter less than this to the mean are none, however sure.
constexpr double smallest_stretch_frac = 0.01;
constexpr double smallest_drift_frac = 0.02;

/// Steps are not independent of each other; means of batches nearly are. With the values of t that
/// 1 % of windows without any change exceed: Student's, and for the most unusual of all stretches
/// that of 200,000 simulated windows (METRICS.md says how often that is wrong).
struct Batching {
  std::size_t batches;
  double stretch_t;
  double drift_t;
};
constexpr Batching few{10, 6.19, 3.355};
constexpr Batching many{20, 5.02, 2.878};

std::vector<double> batch_means(std::span<const double> values, std::size_t batches) {
  std::vector<double> means;
  for (std::size_t i = 0; i < batches; ++i) {
    const auto first = i * values.size() / batches;
    const auto part = values.subspan(first, (i + 1) * values.size() / batches - first);
    means.push_back(std::accumulate(part.begin(), part.end(), 0.0) /
                    static_cast<double>(part.size()));
  }
  return means;
}

struct Change {
  double t = 0;     ///< of the difference from none
  double frac = 0;  ///< of the mean
};

double t_of(double value, double squared_error) {
  if (value == 0) return 0;
  return std::abs(value) / std::sqrt(std::max(squared_error, 0.0));
}

/// Of all stretches of up to half the batches, the one whose mean differs most surely from that of
/// the others.
Change most_unusual_stretch(const std::vector<double>& means) {
  const auto m = static_cast<double>(means.size());
  const double sum = std::accumulate(means.begin(), means.end(), 0.0);
  const double squares = std::inner_product(means.begin(), means.end(), means.begin(), 0.0);
  Change most;
  for (std::size_t first = 0; first < means.size(); ++first) {
    double inside = 0;
    for (std::size_t last = first; last < means.size() && last < first + means.size() / 2; ++last) {
      inside += means[last];
      const auto in = static_cast<double>(last - first + 1);
      const double difference = inside / in - (sum - inside) / (m - in);
      const double within =
          squares - inside * inside / in - (sum - inside) * (sum - inside) / (m - in);
      const double t = t_of(difference, within / (m - 2) * (1 / in + 1 / (m - in)));
      if (t > most.t) most = {t, difference * in / sum};
    }
  }
  return most;
}

/// Along the fitted line.
Change drift(const std::vector<double>& means) {
  const auto m = static_cast<double>(means.size());
  const double centre = std::accumulate(means.begin(), means.end(), 0.0) / m;
  double covariance = 0, spread = 0, squares = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double place = static_cast<double>(i) - (m - 1) / 2;
    covariance += place * (means[i] - centre);
    spread += place * place;
    squares += (means[i] - centre) * (means[i] - centre);
  }
  const double slope = covariance / spread;
  const double residual = squares - slope * covariance;
  return {t_of(slope, residual / (m - 2) / spread), slope * (m - 1) / centre};
}

double if_sure(const Change& change, double sure_t, double smallest_frac) {
  return change.t > sure_t && std::abs(change.frac) > smallest_frac ? change.frac : 0;
}

}  // namespace

Stationarity stationarity_of(std::span<const double> step_s) {
  if (step_s.size() < fewest_steps) return {};
  const auto& batching = step_s.size() < steps_for_many_batches ? few : many;
  const auto means = batch_means(step_s, batching.batches);
  return {true, if_sure(most_unusual_stretch(means), batching.stretch_t, smallest_stretch_frac),
          if_sure(drift(means), batching.drift_t, smallest_drift_frac)};
}

}  // namespace scalestudy
