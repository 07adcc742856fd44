#pragma once
/// The parallel efficiency of a step as a product, after the methodology of POP (pop-coe.eu), from
/// recorded parts of steps instead of traces (METRICS.md#pop). Pure.

#include <cstdint>
#include <vector>

#include "record/measures/path_step.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/step/step_composition.hpp"

namespace scalestudy {

/// Of one launch; each is 1 where nothing is lost.
struct PopFactors {
  double load_balance = not_available;              ///< mean ÷ largest useful time of a rank
  double serialisation_efficiency = not_available;  ///< that ÷ the step on an ideal network
  double transfer_efficiency = not_available;       ///< the step on an ideal network ÷ the step
  double parallel_efficiency = not_available;       ///< mean useful time ÷ the step

  [[nodiscard]] double communication_efficiency() const {
    return serialisation_efficiency * transfer_efficiency;
  }
};

[[nodiscard]] PopFactors pop_factors(const PathStep& step, std::int64_t ranks);

/// Geometric means over the launches with one number of ranks: the product of the means is the mean
/// of the product.
struct PopPoint {
  std::int64_t ranks = 1;
  Estimate load_balance, communication_efficiency, serialisation_efficiency, transfer_efficiency,
      parallel_efficiency;
};

/// Without rank counts whose launches recorded no split of their steps.
[[nodiscard]] std::vector<PopPoint> pop_points(const Series& series);

}  // namespace scalestudy
