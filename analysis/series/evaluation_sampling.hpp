#pragma once
/// What other samples to evaluate on would change: models are judged on those that happen to be in
/// the evaluation set.

#include <cstdint>
#include <optional>
#include <span>

#include "analysis/series/run_set.hpp"

namespace scalestudy {

/// Of a difference of two means over runs, from choosing the samples of the evaluation set.
struct SamplingError {
  double standard_error = 0;  ///< in the unit of the metric
  std::int64_t samples = 0;
  [[nodiscard]] double degrees_of_freedom() const { return static_cast<double>(samples - 1); }
};

/// Of mean(compared) − mean(base) of a metric of /evaluations, by leaving out one sample at a time
/// (METRICS.md#evaluation-sampling). Nothing where some run recorded no samples, where they are
/// fewer than two or not equally many in all, or where the metric is not made of samples (PSNR of
/// one volume).
[[nodiscard]] std::optional<SamplingError> sampling_error(std::span<const Run* const> compared,
                                                          std::span<const Run* const> base,
                                                          const Column& metric);

/// Mean(compared) − mean(base) of a metric: over launches, and where `sampling` is known over
/// evaluated samples, too.
[[nodiscard]] Estimate quality_difference(const RunGroup& compared,
                                          const RunGroup& base,
                                          const Column& metric,
                                          const std::optional<SamplingError>& sampling);

}  // namespace scalestudy
