#pragma once
/// Square norms of a rank's own gradient and of all ranks' together. Their difference at two batch
/// sizes is what the gradient noise scale is estimated from (McCandlish et al. 2018, An Empirical
/// Model of Large-Batch Training, appendix A.1).

#include <vector>

#include <torch/types.h>

#include "core/ids.hpp"

#include "record/run_file/column.hpp"

namespace scalestudy {

/// Of the gradients of mean losses. NaN where none were taken, and where fp16 overflowed.
struct GradientSquareNorms {
  double local = not_recorded;
  double global = not_recorded;
};

class GradientNorms {
 public:
  /// Reading all gradients twice takes 1.4 % of a ResNet50 step on a processor
  /// (benchmarks/timeline_benchmark): every eleventh step is asked, which is no multiple of what
  /// epochs are usually long.
  static constexpr std::int64_t every_steps = 11;

  /// `are_taken` is false where a rank does not get the sums of all gradients.
  explicit GradientNorms(bool are_taken = true) : are_taken_(are_taken) {}

  void begin_step(StepIndex step);

  /// Whether those of this step are taken: after begin_step().
  [[nodiscard]] bool is_due() const { return is_due_; }

  /// A part of this rank's gradient of its loss sum, before the reduction.
  void add_local(const torch::Tensor& part);

  /// `gradients`: sums over all ranks. `local_weight`, `global_weight` (1): what makes means of
  /// sums; `scale` (1): the loss scale that is still in them.
  void finish_step(const torch::Tensor& gradients,
                   double local_weight,
                   const torch::Tensor& global_weight,
                   const torch::Tensor& scale);

  /// Of the steps since the last call, in order; waits for the device.
  [[nodiscard]] std::vector<GradientSquareNorms> take();

 private:
  bool are_taken_;
  bool is_due_ = false;
  torch::Tensor local_sum_;
  std::size_t steps_ = 0;             ///< since take()
  std::vector<std::size_t> due_;      ///< those of them whose norms were taken
  std::vector<torch::Tensor> taken_;  ///< (2) each, still on the device
};

}  // namespace scalestudy
