#pragma once
/// Adam (Kingma & Ba 2015) on flat storage, by LibTorch's fused kernel.

#include "training/optimizer.hpp"

namespace scalestudy {

class Adam final : public Optimizer {
 public:
  Adam(const OptimizerSettings& settings, torch::Tensor values);
  void step(double learning_rate,
            const torch::Tensor& gradients,
            const torch::Tensor& divisor,
            const torch::Tensor& found_inf) override;
  [[nodiscard]] std::int64_t& steps() override { return steps_; }
  [[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> state() override {
    return {{"first_moment", first_moment_},
            {"second_moment", second_moment_},
            {"applied_steps", step_tensor_}};
  }

 private:
  [[nodiscard]] double kernel_rate(double learning_rate) const;
  [[nodiscard]] double kernel_epsilon() const;

  OptimizerSettings settings_;
  torch::Tensor values_;
  torch::Tensor first_moment_;
  torch::Tensor second_moment_;
  torch::Tensor step_tensor_;  ///< (), float32: updates not skipped
  std::int64_t steps_ = 0;
};

}  // namespace scalestudy
