#pragma once
/// Stochastic gradient descent with momentum on flat storage, by LibTorch's fused kernel; steps are
/// those of torch.optim.SGD (velocity without dampening, learning rate outside of it).

#include "training/optimizer.hpp"

namespace scalestudy {

class Sgd final : public Optimizer {
 public:
  Sgd(const OptimizerSettings& settings, torch::Tensor values);
  void step(double learning_rate,
            const torch::Tensor& gradients,
            const torch::Tensor& divisor,
            const torch::Tensor& found_inf) override;
  [[nodiscard]] std::int64_t& steps() override { return steps_; }
  [[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> state() override {
    return {{"velocity", velocity_}};
  }

 private:
  OptimizerSettings settings_;
  torch::Tensor values_;
  torch::Tensor velocity_;
  std::int64_t steps_ = 0;
};

}  // namespace scalestudy
