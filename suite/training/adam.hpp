#pragma once
/// Adam (Kingma & Ba 2015) on flat storage, by LibTorch's fused kernel.

#include <map>
#include <string>

#include <torch/types.h>

#include "study/settings.hpp"

#include "training/named_numbers.hpp"

namespace scalestudy {

class Adam {
 public:
  /// `values`: (n), updated in place.
  Adam(const OptimizerSettings& settings, torch::Tensor values);

  /// `gradients`: (n) sums over the global batch; `weight`: (1), what to divide them by (0 counts
  /// as 1: then the sums are 0 too). Device work only, never waits.
  void step(double learning_rate, const torch::Tensor& gradients, const torch::Tensor& weight);

  /// By name, (n) like the values and in place: copying into them restores them.
  [[nodiscard]] std::map<std::string, torch::Tensor> moments() const;
  [[nodiscard]] NamedNumbers numbers() const;
  void restore(const NamedNumbers& numbers);

 private:
  [[nodiscard]] double kernel_rate(double learning_rate) const;
  [[nodiscard]] double kernel_epsilon() const;

  OptimizerSettings settings_;
  torch::Tensor values_;
  torch::Tensor first_moment_;
  torch::Tensor second_moment_;
  torch::Tensor step_tensor_;
  std::int64_t steps_ = 0;
};

}  // namespace scalestudy
