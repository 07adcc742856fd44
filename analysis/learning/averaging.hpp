#pragma once
/// How much smoother a loss curve becomes when every point averages over more samples: predicted
/// from the scatter of the curve's own points, whatever their distribution (METRICS.md#averaging).
/// Light: the record layer and the standard library only. Local, pure.

#include <cstdint>
#include <span>
#include <string_view>

#include "record/measures/run_summary.hpp"

namespace scalestudy {

struct AveragingPrediction {
  double roughness_ratio = not_recorded;  ///< averaged ÷ as it is; NaN where nothing is predicted
  std::string_view problem;               ///< why nothing is, in words; else ""
};

/// Of `curve` (a point for each step) when each point averaged `k` of them. Contract: k >= 1.
[[nodiscard]] AveragingPrediction averaged(std::span<const LossPoint> curve, std::int64_t k);

}  // namespace scalestudy
