#pragma once
/// Launches of one thing that run at two speeds, as turbo clocks, placement in memory or a shared
/// node decide by chance: METRICS.md#two-speeds. Pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// Two groups of values and what lies between them.
struct TwoSpeeds {
  std::size_t upper = 0;         ///< launches in the group of larger values: of times the slow ones
  std::size_t launches = 0;      ///< in both
  double ratio = not_available;  ///< upper ÷ lower, of geometric means
  double log_gap = not_available;  ///< between the nearest values of both, of their logarithms
};

/// Tells whether `logs`, logarithms of one value of each launch, fall into two groups of at least
/// `fewest` launches: into those between which the gap is the largest beside the scatter within.
[[nodiscard]] std::optional<TwoSpeeds> two_speeds(std::span<const double> logs,
                                                  std::size_t fewest = 2);

/// "3 of 8 launches are 1.3 times as slow as the others", of times.
[[nodiscard]] std::string in_words(const TwoSpeeds& speeds);

/// Tells whether a mean over some of these groups of logarithms is that of two speeds: some group
/// has them, or, with `fewest` = 1, several have a launch as far apart. Not where the groups are
/// compared `in_blocks` and all launches of a block share its speed.
[[nodiscard]] bool mix_speeds(std::span<const Launches> groups,
                              bool in_blocks,
                              std::size_t fewest = 1);

}  // namespace scalestudy
