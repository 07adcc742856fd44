#include "training/adam.hpp"

#include <cmath>

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/zeros_like.h>

namespace scalestudy {

Adam::Adam(const OptimizerSettings& settings, torch::Tensor values)
    : settings_(settings),
      values_(std::move(values)),
      first_moment_(at::zeros_like(values_)),
      second_moment_(at::zeros_like(values_)),
      step_tensor_(torch::zeros({}, values_.options().dtype(torch::kFloat32))) {}

/// Keras casts its betas to float32 before it takes their powers for the bias correction, so that
/// its first steps are 6e-6 longer than the formula says; max pooling turns even that into
/// differences of 5e-4 in what batch norm learns. Rule "keras" means Keras, so this is the rate for
/// its step length.
double Adam::kernel_rate(double learning_rate) const {
  if (settings_.epsilon_rule == EpsilonRule::torch) return learning_rate;
  const auto correction = [&](double beta1, double beta2) {
    const auto t = static_cast<double>(steps_);
    return std::sqrt(1.0 - std::pow(beta2, t)) / (1.0 - std::pow(beta1, t));
  };
  const auto rounded = [](double beta) { return static_cast<double>(static_cast<float>(beta)); };
  return learning_rate * correction(rounded(settings_.beta1), rounded(settings_.beta2)) /
         correction(settings_.beta1, settings_.beta2);
}

/// torch divides sqrt(v) by the bias correction before adding epsilon; the paper's "epsilon hat"
/// and Keras add it before: step = lr · sqrt(1−β₂ᵗ)/(1−β₁ᵗ) · m / (sqrt(v) + ε̂), so that ε = ε̂ /
/// sqrt(1−β₂ᵗ) makes torch's kernel compute Keras' step.
double Adam::kernel_epsilon() const {
  if (settings_.epsilon_rule == EpsilonRule::torch) return settings_.epsilon;
  return settings_.epsilon /
         std::sqrt(1.0 - std::pow(settings_.beta2, static_cast<double>(steps_)));
}

void Adam::step(double learning_rate,
                const torch::Tensor& gradients,
                const torch::Tensor& divisor,
                const torch::Tensor& found_inf) {
  const torch::NoGradGuard no_grad;
  ++steps_;
  step_tensor_.add_(1);
  // The kernel divides gradients by grad_scale: that is the weighted mean over the global batch.
  const auto scale = divisor.to(torch::kFloat32).clamp_min(1.0).squeeze();
  at::_fused_adam_({values_}, {gradients}, {first_moment_}, {second_moment_}, {}, {step_tensor_},
                   kernel_rate(learning_rate), settings_.beta1, settings_.beta2,
                   settings_.weight_decay, kernel_epsilon(), /*amsgrad=*/false,
                   /*maximize=*/false, scale,
                   found_inf.defined() ? std::optional(found_inf) : std::nullopt);
  if (found_inf.defined()) step_tensor_.sub_(found_inf.squeeze());
}

}  // namespace scalestudy
