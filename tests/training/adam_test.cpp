#include "training/adam.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <torch/optim/adam.h>

namespace scalestudy {
namespace {

OptimizerSettings settings_with(EpsilonRule rule, double epsilon) {
  OptimizerSettings settings;
  settings.epsilon_rule = rule;
  settings.epsilon = epsilon;
  return settings;
}

torch::Tensor gradient_of_step(int step) {
  return torch::sin(torch::arange(50, torch::kFloat64) * (step + 1.0)) * 1e-3;
}

TEST(FlatAdam, EqualsTorchsAdamWithTorchsEpsilon) {
  auto ours = torch::linspace(-1, 1, 50, torch::kFloat64);
  auto theirs = ours.clone().requires_grad_(true);
  Adam adam(settings_with(EpsilonRule::torch, 1e-8), ours);
  torch::optim::Adam reference({theirs}, torch::optim::AdamOptions(1e-2));
  for (int step = 0; step < 20; ++step) {
    adam.step(1e-2, gradient_of_step(step) * 4, torch::full({1}, 4.0, torch::kFloat64), {});
    theirs.mutable_grad() = gradient_of_step(step);
    reference.step();
  }
  EXPECT_LT((ours - theirs.detach()).abs().max().item<double>(), 1e-12);
}

TEST(FlatAdam, EqualsKerasFormulaWithEpsilonHat) {
  const double rate = 4e-4, beta1 = 0.9, beta2 = 0.999, epsilon_hat = 1e-3;
  const double beta1_f = 0.9F,
               beta2_f =
                   0.999F;  // Keras takes powers of float32 betas  // large, so that it matters
  auto ours = torch::linspace(-1, 1, 50, torch::kFloat64);
  auto expected = ours.clone();
  auto m = torch::zeros({50}, torch::kFloat64);
  auto v = torch::zeros({50}, torch::kFloat64);
  Adam adam(settings_with(EpsilonRule::keras, epsilon_hat), ours);
  for (int step = 1; step <= 10; ++step) {
    const auto gradient = gradient_of_step(step);
    adam.step(rate, gradient.clone(), torch::ones({1}, torch::kFloat64), {});
    m = beta1 * m + (1 - beta1) * gradient;
    v = beta2 * v + (1 - beta2) * gradient * gradient;
    expected -= rate * std::sqrt(1 - std::pow(beta2_f, step)) / (1 - std::pow(beta1_f, step)) * m /
                (v.sqrt() + epsilon_hat);
  }
  EXPECT_LT((ours - expected).abs().max().item<double>(), 1e-12);
}

TEST(FlatAdam, AZeroWeightIsNoNaN) {
  auto values = torch::ones({5});
  Adam adam(settings_with(EpsilonRule::keras, 1e-7), values);
  adam.step(1e-3, torch::zeros({5}), torch::zeros({1}), {});
  EXPECT_TRUE(values.eq(1).all().item<bool>());
}

}  // namespace
}  // namespace scalestudy
