#pragma once
/// Optimisers on flat storage, by LibTorch's fused kernels where it has one.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "study/settings.hpp"

namespace scalestudy {

class Optimizer {
 public:
  virtual ~Optimizer();

  /// `gradients`: (n) sums over the global batch. `divisor`: (1), what to divide them by: the
  /// summed loss weight (0 counts as 1: then the sums are 0 too), times the loss scale.
  /// `found_inf`: (1) float32 or undefined; where it is 1, nothing is updated. Device work only,
  /// never waits.
  virtual void step(double learning_rate,
                    const torch::Tensor& gradients,
                    const torch::Tensor& divisor,
                    const torch::Tensor& found_inf) = 0;

  /// Updates asked for so far.
  [[nodiscard]] virtual std::int64_t& steps() = 0;

  /// What it carries from step to step beside the count: one value per parameter each, (n), or a
  /// count of steps, (); aliases, to be saved and restored.
  [[nodiscard]] virtual std::vector<std::pair<std::string, torch::Tensor>> state() = 0;
};

/// What an optimiser updates in place.
struct FlatView {
  torch::Tensor values;                             ///< (n)
  std::vector<std::int64_t> element_counts;         ///< of the parameters that lie there one by one
  std::vector<std::int64_t> dimension_counts = {};  ///< likewise; for lars
};

[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                                        const FlatView& parameters);

}  // namespace scalestudy
