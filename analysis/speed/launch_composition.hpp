#pragma once
/// What the wall time of a series' launches consists of, by rank count.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/measures/launch_parts.hpp"

#include "analysis/series/run_set.hpp"

namespace scalestudy {

/// Means over the runs with `ranks` ranks that have all parts.
struct LaunchComposition {
  std::int64_t ranks = 1;
  std::size_t launches = 0;
  LaunchTimes mean;
  double worst_unexplained_frac = 0;  ///< the largest |unexplained_s| ÷ wall_s of a run
};

[[nodiscard]] std::vector<LaunchComposition> launch_compositions(const Series& series);

}  // namespace scalestudy
