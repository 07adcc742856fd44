#pragma once
/// Layer-wise adaptive rate scaling (You, Gitman, Ginsburg 2017, Large Batch Training of
/// Convolutional Networks, algorithm 1) on flat storage: a tensor w moves in proportion to its own
/// size, however large its gradient g of the mean loss is.
///
///     local rate = trust_coefficient · ‖w‖ ÷ (‖g‖ + weight_decay · ‖w‖)
///     velocity ← momentum · velocity + learning rate · local rate · (g + weight_decay · w)
///     w ← w − velocity
///
/// As is usual, tensors of one dimension (biases, what batch norm learns) take the learning rate as
/// it is and do not decay. Where the local rate would be 0 or nothing defined, it is 1: a tensor of
/// zeros would never leave them.

#include "training/optimizer.hpp"

namespace scalestudy {

class Lars final : public Optimizer {
 public:
  Lars(const OptimizerSettings& settings, const FlatView& parameters);
  void step(double learning_rate,
            const torch::Tensor& gradients,
            const torch::Tensor& divisor,
            const torch::Tensor& found_inf) override;
  [[nodiscard]] std::int64_t& steps() override { return steps_; }
  [[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> state() override {
    return {{"velocity", velocity_}};
  }

 private:
  struct Layer {
    torch::Tensor values;  ///< alias
    torch::Tensor change;  ///< alias: first the gradient, then what the velocity gains
  };
  void adapt(const Layer& layer) const;

  OptimizerSettings settings_;
  torch::Tensor values_;
  torch::Tensor velocity_;
  torch::Tensor change_;
  std::vector<Layer> layers_;  ///< of more than one dimension
  std::int64_t steps_ = 0;
};

}  // namespace scalestudy
