#include "record/measures/gradient_noise.hpp"

#include <cmath>

namespace scalestudy {
namespace {

/// What the square norms of one step are expected to be: square norm + trace × share.
struct BatchSizes {
  double share_of_own = 0;  ///< mean over ranks, weighted, of 1 ÷ samples of the rank
  double share_of_all = 0;  ///< 1 ÷ samples of all, where ranks weigh as their samples do
};

BatchSizes batch_sizes(const StepTable& steps, std::int64_t step, double all_weight) {
  BatchSizes sizes;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
    const double weight = steps.at(&StepRow::loss_weight, rank, step) / all_weight;
    const double samples = steps.at(&StepRow::sample_count, rank, step);
    sizes.share_of_own += weight / samples;
    sizes.share_of_all += weight * weight / samples;
  }
  return sizes;
}

/// Adds one step; nothing where some rank recorded none.
void add_step(const StepTable& steps, std::int64_t step, GradientNoise& sum) {
  double all_weight = 0, own = 0;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
    const double weight = steps.at(&StepRow::loss_weight, rank, step);
    all_weight += weight;
    own += weight * steps.at(&StepRow::local_gradient_square_norm, rank, step);
  }
  own /= all_weight;
  const double all = steps.at(&StepRow::global_gradient_square_norm, 0, step);
  const auto sizes = batch_sizes(steps, step, all_weight);
  if (!std::isfinite(own + all + sizes.share_of_own)) return;
  ++sum.steps;
  if (!(sizes.share_of_own > sizes.share_of_all * (1 + 1e-9))) return;
  sum.has_two_batch_sizes = true;
  const double trace = (own - all) / (sizes.share_of_own - sizes.share_of_all);
  sum.covariance_trace += trace;
  sum.square_norm += all - trace * sizes.share_of_all;
}

}  // namespace

GradientNoise gradient_noise(const StepTable& steps, const SteadyWindow& window) {
  GradientNoise sum{.square_norm = 0, .covariance_trace = 0};
  for (auto step = window.start; step < window.end; ++step) add_step(steps, step, sum);
  if (!sum.has_two_batch_sizes) return {.steps = sum.steps};
  const auto count = static_cast<double>(sum.steps);
  sum.square_norm /= count;
  sum.covariance_trace /= count;
  return sum;
}

}  // namespace scalestudy
