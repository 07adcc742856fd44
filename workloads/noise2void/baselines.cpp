#include "workloads/noise2void/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "core/statistics.hpp"

namespace scalestudy::noise2void {
namespace {

/// The mean of `error_of(target)`.
template <class Error>
double mean_error(const std::vector<double>& targets, const Error& error_of) {
  double sum = 0;
  for (const double target : targets) sum += error_of(target);
  return sum / static_cast<double>(targets.size());
}

}  // namespace

double psnr_db(const Volume& reference, const Volume& volume) {
  double squares = 0;
  for (std::size_t i = 0; i < reference.voxels.size(); ++i) {
    const double error = reference.voxels[i] - volume.voxels[i];
    squares += error * error;
  }
  const auto [low, high] = std::minmax_element(reference.voxels.begin(), reference.voxels.end());
  const double range = *high - *low;
  return 10.0 * std::log10(range * range * static_cast<double>(reference.voxels.size()) / squares);
}

double constant_loss(LossKind loss, const std::vector<double>& targets) {
  if (targets.empty()) return std::numeric_limits<double>::quiet_NaN();
  switch (loss) {
    case LossKind::mse: {
      const double centre =
          std::accumulate(targets.begin(), targets.end(), 0.0) / double(targets.size());
      return mean_error(targets, [=](double t) { return (t - centre) * (t - centre); });
    }
    case LossKind::mae: {
      const double centre = median(targets);
      return mean_error(targets, [=](double t) { return std::abs(t - centre); });
    }
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy::noise2void
