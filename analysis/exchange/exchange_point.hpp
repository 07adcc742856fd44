#pragma once
/// The exchange of gradients at one number of ranks, and what other runs say of it: control arms,
/// and runs that measured collective operations (METRICS.md#exchange). Pure.

#include <span>
#include <string>
#include <vector>

#include "analysis/exchange/collectives_analysis.hpp"
#include "analysis/exchange/exchanges.hpp"
#include "analysis/step/arm_contrast.hpp"

namespace scalestudy {

/// Of all-reduces that runs of another series measured.
struct FitBeside {
  std::string series;
  CollectiveFit fit;
};

struct ExchangePoint : Exchange {
  Estimate slowed_computing_s;  ///< METRICS.md#arm-contrasts; NaN where no arm was run
  std::vector<FitBeside> fits_beside;
};

/// By ranks; of runs that have an exchange and as many buckets as the first of them.
[[nodiscard]] std::vector<ExchangePoint> exchange_points(
    const Series& series,
    std::span<const ArmContrast> contrasts,
    std::span<const CollectivesAnalysis> collectives);

}  // namespace scalestudy
