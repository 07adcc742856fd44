#pragma once
/// The gradient noise scale, which says up to which batch more samples a step pay, from the square
/// norms of the ranks' own gradients and of all ranks' together (METRICS.md#noise-scale;
/// McCandlish et al. 2018, arXiv:1812.06162, appendix A.1). Local, pure.

#include <cstdint>
#include <string>
#include <vector>

#include "record/run_record.hpp"

#include "analysis/run_summary.hpp"
#include "analysis/statistics.hpp"

namespace scalestudy {

struct Series;

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

/// Of the launches with one number of ranks.
struct NoiseScale {
  std::int64_t ranks = 0;
  Estimate samples;  ///< also the critical batch; NaN where refused
  /// With as many ranks the global batch is the noise scale; NaN where it does not grow with them.
  Estimate reached_at_ranks;
  double global_batch_size = not_available;
  std::string refusal;  ///< why there is none, "" where there is one
};

/// By the most ranks; refused, with the reason, where no launch tells it.
[[nodiscard]] NoiseScale noise_scale(const Series& series);

}  // namespace scalestudy
