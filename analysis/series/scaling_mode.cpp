#include "analysis/series/scaling_mode.hpp"

#include <algorithm>

namespace scalestudy {
namespace {

/// Whether `of_spec` gives the same for all numbers of ranks.
template <class OfSpec>
bool is_constant(const Series& series, const OfSpec& of_spec) {
  const auto value_of = [&](const auto& group) { return of_spec(group.second.front()->spec); };
  const auto first = value_of(*series.by_ranks.begin());
  return std::ranges::all_of(series.by_ranks,
                             [&](const auto& group) { return value_of(group) == first; });
}

}  // namespace

ScalingMode scaling_mode(const Series& series) {
  const auto global_batch = [](const RunSpec& spec) { return spec.plan.global_batch_size; };
  const auto batch_per_rank = [](const RunSpec& spec) {
    return static_cast<double>(spec.plan.global_batch_size) / static_cast<double>(spec.ranks);
  };
  // What integer division drops of the same work makes it no other work.
  const auto requested_work = [](const RunSpec& spec) { return spec.plan.requested_samples; };
  if (series.by_ranks.size() < 2) return ScalingMode::one_rank_count;
  if (is_constant(series, global_batch)) return ScalingMode::strong;
  if (!is_constant(series, batch_per_rank)) return ScalingMode::mixed;
  return is_constant(series, requested_work) ? ScalingMode::epoch_time : ScalingMode::weak_step;
}

}  // namespace scalestudy
