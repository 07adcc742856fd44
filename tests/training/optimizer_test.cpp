#include "training/optimizer.hpp"

#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

torch::Tensor wave_of_step(int step) {
  return torch::sin(torch::arange(50, torch::kFloat64) * (step + 1.0));
}

/// The largest difference to a LibTorch optimiser after 20 steps on sums of 4 equal gradients.
template <class Reference, class Options>
double difference_to(const OptimizerSettings& settings, const Options& options) {
  auto ours = torch::linspace(-1, 1, 50, torch::kFloat64);
  auto theirs = ours.clone().requires_grad_(true);
  const auto optimizer = make_optimizer(settings, {ours, {ours.numel()}});
  Reference reference({theirs}, options);
  for (int step = 0; step < 20; ++step) {
    optimizer->step(1e-2, wave_of_step(step) * 4, torch::full({1}, 4.0, torch::kFloat64), {});
    theirs.mutable_grad() = wave_of_step(step);
    reference.step();
  }
  EXPECT_EQ(optimizer->steps(), 20);
  return (ours - theirs.detach()).abs().max().template item<double>();
}

TEST(Sgd, WithMomentumAndWeightDecayEqualsTorchs) {
  OptimizerSettings settings;
  settings.name = OptimizerKind::sgd;
  settings.momentum = 0.9;
  settings.weight_decay = 1e-2;
  const auto options = torch::optim::SGDOptions(1e-2).momentum(0.9).weight_decay(1e-2);
  EXPECT_LT((difference_to<torch::optim::SGD>(settings, options)), 1e-12);
  settings.momentum = 0.8;
  EXPECT_GT((difference_to<torch::optim::SGD>(settings, options)), 1e-3);
}

TEST(Optimizer, AdamsWeightDecayIsTorchsToo) {
  OptimizerSettings settings;
  settings.epsilon_rule = EpsilonRule::torch;
  settings.epsilon = 1e-8;
  settings.weight_decay = 1e-2;
  const auto options = torch::optim::AdamOptions(1e-2).weight_decay(1e-2);
  EXPECT_LT((difference_to<torch::optim::Adam>(settings, options)), 1e-12);
}

}  // namespace
}  // namespace scalestudy
