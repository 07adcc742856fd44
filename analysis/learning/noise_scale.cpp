#include "analysis/learning/noise_scale.hpp"

#include "core/text.hpp"

namespace scalestudy {
namespace {

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
