#include "analysis/step/pop_factors.hpp"

#include <algorithm>
#include <functional>

namespace scalestudy {

PopFactors pop_factors(const PathStep& step, std::int64_t ranks) {
  const double mean_useful_s =
      step.compute_s + step.persistent_s / static_cast<double>(ranks) + step.optimizer_s;
  // By chance the slowest of equal ranks may come out faster than their mean: then all are equal.
  const double largest_useful_s =
      std::max(mean_useful_s, step.compute_s + step.persistent_s + step.optimizer_s);
  const double on_ideal_network_s = step.step_s - step.transfer_s;
  return {.load_balance = mean_useful_s / largest_useful_s,
          .serialisation_efficiency = largest_useful_s / on_ideal_network_s,
          .transfer_efficiency = on_ideal_network_s / step.step_s,
          .parallel_efficiency = mean_useful_s / step.step_s};
}

std::vector<PopPoint> pop_points(const Series& series) {
  std::vector<PopPoint> points;
  for (const auto& [ranks, runs] : series.by_ranks) {
    const auto group = with_steps(series.group(ranks));
    const auto has_path = [](const Run* run) { return run->digest.path_step.has_value(); };
    if (std::ranges::none_of(group.runs, has_path)) continue;
    const auto of = [&](const auto& factor) {
      return geometric_level(group.launches({[&](const Run& run) {
        const auto& path = run.digest.path_step;
        if (!path) return not_available;
        const auto factors = pop_factors(*path, run.spec.ranks);
        return double{std::invoke(factor, factors)};
      }}));
    };
    points.push_back({.ranks = ranks,
                      .load_balance = of(&PopFactors::load_balance),
                      .communication_efficiency = of(&PopFactors::communication_efficiency),
                      .serialisation_efficiency = of(&PopFactors::serialisation_efficiency),
                      .transfer_efficiency = of(&PopFactors::transfer_efficiency),
                      .parallel_efficiency = of(&PopFactors::parallel_efficiency)});
  }
  return points;
}

}  // namespace scalestudy
