#pragma once
/// Launches that took unusually long beside their equals. They are named and kept: whether the
/// machine or the program was slow, no statistic knows. METRICS.md#outliers.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/two_speeds.hpp"

namespace scalestudy {

/// Fewer launches than this in a group: none is called an outlier.
inline constexpr std::size_t minimum_launches_for_outliers = 5;

/// Times of launches that differ in nothing but their block.
using TimeGroup = std::vector<double>;

struct SlowLaunch {
  std::size_t group = 0;
  std::size_t launch = 0;             ///< in its group
  double time_ratio = not_available;  ///< to the geometric mean of the others of its group
};

/// Of groups whose times scatter alike (of one rank count): those named among `asked` launches in
/// all, slowest first. In at most 5 % of studies without any is one named.
[[nodiscard]] std::vector<SlowLaunch> slow_launches(const std::vector<TimeGroup>& groups,
                                                    std::size_t asked);

struct Outlier {
  const Run* run;
  double time_ratio = not_available;  ///< of training, to the other runs like it
};

/// Of a study and its control arms, by rank count; none of launches that run at two speeds.
[[nodiscard]] std::vector<Outlier> outliers(std::span<const Series* const> study_and_arms);

/// Launches of one rank count of a series, by their training time.
struct SpeedsAt {
  const Series* series;
  std::int64_t ranks = 1;
  TwoSpeeds speeds;
};

/// Those of a study and its control arms that run at two speeds.
[[nodiscard]] std::vector<SpeedsAt> speeds_of(std::span<const Series* const> study_and_arms);

}  // namespace scalestudy
