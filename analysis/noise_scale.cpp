#include "analysis/noise_scale.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/run_set.hpp"

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

struct Group {
  Launches samples;
  std::int64_t recorded = 0, of_two_sizes = 0, undetermined = 0;
};

Group group_of(const std::vector<const Run*>& runs) {
  Group group;
  for (const Run* run : runs) {
    const auto& noise = run->digest.gradient_noise;
    if (noise.steps > 0) ++group.recorded;
    if (!noise.has_two_batch_sizes) continue;
    ++group.of_two_sizes;
    if (noise.is_determined())
      group.samples.add(run->spec.repeat, noise.noise_scale_samples());
    else
      ++group.undetermined;
  }
  return group;
}

std::string refusal_of(const Group& group, const RunSpec& spec) {
  if (group.recorded == 0)
    return cat("no square norms of gradients were recorded (a replay has none, nor has reduction ",
               spec.reduction == Reduction::tower || spec.reduction == Reduction::sharded_optimizer
                   ? cat(spec.reduction, ", whose ranks do not get all sums")
                   : std::string("tower or sharded_optimizer, whose ranks do not get all sums"),
               ")");
  if (group.of_two_sizes == 0)
    return "one rank has one batch size, and two are needed to tell the noise from the gradient";
  if (group.undetermined > 0)
    return cat("in ", group.undetermined, " of ", counted(group.of_two_sizes, "launch"),
               " the noise hides the gradient");
  return "";
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

NoiseScale noise_scale(const Series& series) {
  NoiseScale result;
  if (series.by_ranks.empty()) return result;
  const auto& [ranks, runs] = *series.by_ranks.rbegin();
  const auto& plan = runs.front()->spec.plan;
  result.ranks = ranks;
  result.global_batch_size = static_cast<double>(plan.global_batch_size);
  const auto group = group_of(runs);
  result.refusal = refusal_of(group, runs.front()->spec);
  if (!result.refusal.empty()) return result;
  result.samples = geometric_level(group.samples);
  if (series.spec.scaling_rule == ScalingRule::strong) return result;
  const double of_a_rank = result.global_batch_size / static_cast<double>(ranks);
  result.reached_at_ranks =
      transformed(result.samples, [of_a_rank](double samples) { return samples / of_a_rank; });
  return result;
}

}  // namespace scalestudy
