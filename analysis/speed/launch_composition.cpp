#include "analysis/speed/launch_composition.hpp"

#include <algorithm>
#include <cmath>

namespace scalestudy {
namespace {

LaunchComposition composition_of(std::int64_t ranks, const std::vector<const Run*>& runs) {
  LaunchComposition all{.ranks = ranks};
  for (const Run* run : runs) {
    const auto& times = run->digest.launch_times;
    if (!run->is_timing_data() || !times) continue;
    ++all.launches;
    all.mean.wall_s += times->wall_s;
    all.mean.unexplained_s += times->unexplained_s;
    for (std::size_t i = 0; i < launch_part_count; ++i) all.mean.part_s[i] += times->part_s[i];
    all.worst_unexplained_frac =
        std::max(all.worst_unexplained_frac, std::abs(times->unexplained_s) / times->wall_s);
  }
  const auto n = static_cast<double>(std::max<std::size_t>(all.launches, 1));
  all.mean.wall_s /= n;
  all.mean.unexplained_s /= n;
  for (double& part_s : all.mean.part_s) part_s /= n;
  return all;
}

}  // namespace

std::vector<LaunchComposition> launch_compositions(const Series& series) {
  std::vector<LaunchComposition> compositions;
  for (const auto& [ranks, runs] : series.by_ranks) {
    auto composition = composition_of(ranks, runs);
    if (composition.launches > 0) compositions.push_back(composition);
  }
  return compositions;
}

}  // namespace scalestudy
