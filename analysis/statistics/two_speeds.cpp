#include "analysis/statistics/two_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Below the least margin of time no difference is called one.
const double least_gap = std::log1p(0.03);
/// Two-sided, of Student's t with n − 2 degrees of freedom, which the largest gap ÷ scatter of n
/// launches of one speed follows far out: METRICS.md#two-speeds.
constexpr double chance_of_one_speed = 2e-4;

/// No launch stands out from its block as far as speeds lie apart.
bool blocks_share_speeds(std::span<const Launches> groups, double gap) {
  std::map<std::int64_t, std::vector<double>> blocks;  // launches of each, group by group
  for (const auto& group : groups)
    for (std::size_t i = 0; i < group.values.size(); ++i)
      blocks[group.blocks[i]].push_back(group.values[i]);
  for (const auto& group : groups) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < group.values.size(); ++i) {
      const auto& block = blocks.at(group.blocks[i]);
      if (block.size() != groups.size()) return false;
      const double beside_block = group.values[i] - mean(block);
      low = std::min(low, beside_block);
      high = std::max(high, beside_block);
    }
    if (high - low > gap / 3) return false;
  }
  return true;
}

}  // namespace

std::optional<TwoSpeeds> two_speeds(std::span<const double> logs, std::size_t fewest) {
  std::vector<double> sorted(logs.begin(), logs.end());
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  if (n < std::max<std::size_t>(3, 2 * fewest)) return std::nullopt;
  const double degrees = static_cast<double>(n - 2);
  double most = student_t_critical(chance_of_one_speed, degrees);
  std::optional<TwoSpeeds> found;
  for (std::size_t at = fewest; at + fewest <= n; ++at) {
    const auto lower = std::span(sorted).first(at), upper = std::span(sorted).subspan(at);
    const double gap = upper.front() - lower.back();
    const double scatter =
        std::sqrt((squares_around_mean(lower) + squares_around_mean(upper)) / degrees);
    if (!(gap > least_gap) || !(scatter > 0) || !(gap / scatter > most)) continue;
    most = gap / scatter;
    found = TwoSpeeds{n - at, n, std::exp(mean(upper) - mean(lower)), gap};
  }
  return found;
}

std::string in_words(const TwoSpeeds& speeds) {
  return cat(speeds.upper, " of ", speeds.launches, " launches are ",
             std::round(100 * speeds.ratio) / 100, " times as slow as the others");
}

bool mix_speeds(std::span<const Launches> groups, bool in_blocks, std::size_t fewest) {
  bool is_sure = false;
  std::size_t with_some_apart = 0;
  double gap = std::numeric_limits<double>::infinity();
  for (const auto& group : groups) {
    is_sure |= two_speeds(group.values).has_value();
    if (const auto speeds = two_speeds(group.values, fewest)) {
      ++with_some_apart;
      gap = std::min(gap, speeds->log_gap);
    }
  }
  // A single launch apart is an outlier, unless other groups have one, too.
  if (!is_sure && with_some_apart < 2) return false;
  return !(in_blocks && blocks_share_speeds(groups, gap));
}

}  // namespace scalestudy
