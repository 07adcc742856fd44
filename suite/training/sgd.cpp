#include "training/sgd.hpp"

#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros_like.h>

namespace scalestudy {

Sgd::Sgd(const OptimizerSettings& settings, torch::Tensor values)
    : settings_(settings), values_(std::move(values)), velocity_(at::zeros_like(values_)) {}

void Sgd::step(double learning_rate,
               const torch::Tensor& gradients,
               const torch::Tensor& divisor,
               const torch::Tensor& found_inf) {
  const torch::NoGradGuard no_grad;
  const auto scale = divisor.to(torch::kFloat32).clamp_min(1.0).squeeze();
  // The velocity starts at 0, so the first step needs no case of its own.
  at::_fused_sgd_({values_}, {gradients}, {velocity_}, settings_.weight_decay, settings_.momentum,
                  learning_rate, /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false,
                  /*is_first_step=*/false, scale,
                  found_inf.defined() ? std::optional(found_inf) : std::nullopt);
  ++steps_;
}

}  // namespace scalestudy
