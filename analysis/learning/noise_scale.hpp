#pragma once
/// The gradient noise scale, which says up to which batch more samples a step pay, from the square
/// norms of the ranks' own gradients and of all ranks' together (METRICS.md#noise-scale;
/// McCandlish et al. 2018, arXiv:1812.06162, appendix A.1). Local, pure.

#include <cstdint>
#include <string>

#include "record/measures/gradient_noise.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

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
