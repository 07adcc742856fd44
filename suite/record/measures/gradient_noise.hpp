#pragma once
/// Square norm and noise of one run's gradients (METRICS.md#noise-scale). Local, pure.

#include <cstdint>

#include "core/statistics.hpp"

#include "record/measures/run_summary.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// Of one launch: means over the steps in which all ranks recorded both square norms.
struct GradientNoise {
  std::int64_t steps = 0;
  bool has_two_batch_sizes = false;    ///< of several ranks: a rank's own batch and all of them
  double square_norm = not_available;  ///< of the gradient that no sampling blurs; may be below 0
  double covariance_trace = not_available;  ///< of the gradient of one sample

  [[nodiscard]] double noise_scale_samples() const { return covariance_trace / square_norm; }
  [[nodiscard]] bool is_determined() const { return square_norm > 0 && covariance_trace > 0; }
};

[[nodiscard]] GradientNoise gradient_noise(const StepTable& steps, const SteadyWindow& window);

}  // namespace scalestudy
