#include "training/optimizer.hpp"

#include <utility>

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

/// The published rule, tensor by tensor and number by number.
class LarsByHand {
 public:
  LarsByHand(const OptimizerSettings& settings, std::vector<torch::Tensor> tensors)
      : settings_(settings), tensors_(std::move(tensors)) {
    for (const auto& tensor : tensors_) velocities_.push_back(torch::zeros_like(tensor));
  }

  void step(double learning_rate, const std::vector<torch::Tensor>& gradients) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const auto& w = tensors_[i];
      const bool adapts = w.dim() > 1;
      const double decay = adapts ? settings_.weight_decay : 0;
      const double size = w.norm().item<double>();
      const double pull = gradients[i].norm().item<double>() + decay * size;
      const double local =
          adapts && size > 0 && pull > 0 ? settings_.trust_coefficient * size / pull : 1;
      velocities_[i] =
          settings_.momentum * velocities_[i] + learning_rate * local * (gradients[i] + decay * w);
      tensors_[i] = w - velocities_[i];
    }
  }

  [[nodiscard]] torch::Tensor flat() const {
    std::vector<torch::Tensor> parts;
    for (const auto& tensor : tensors_) parts.push_back(tensor.flatten());
    return torch::cat(parts);
  }

 private:
  OptimizerSettings settings_;
  std::vector<torch::Tensor> tensors_;
  std::vector<torch::Tensor> velocities_;
};

OptimizerSettings lars_settings() {
  OptimizerSettings settings;
  settings.name = OptimizerKind::lars;
  settings.momentum = 0.9;
  settings.weight_decay = 1e-2;
  settings.trust_coefficient = 0.05;
  return settings;
}

TEST(Lars, IsThePublishedRuleTensorByTensorStepByStep) {
  torch::manual_seed(3);
  const auto options = torch::TensorOptions(torch::kFloat64);
  // A matrix, a bias, a kernel of convolution, one of zeros, one that no gradient reaches.
  const std::vector<torch::Tensor> start{
      torch::randn({4, 5}, options), torch::randn({5}, options), torch::randn({3, 2, 2}, options),
      torch::zeros({2, 3}, options), torch::randn({2, 2}, options)};
  LarsByHand expected(lars_settings(), start);
  auto values = expected.flat();
  FlatView view{values};
  for (const auto& tensor : start) {
    view.element_counts.push_back(tensor.numel());
    view.dimension_counts.push_back(tensor.dim());
  }
  const auto optimizer = make_optimizer(lars_settings(), view);
  for (int step = 0; step < 20; ++step) {
    std::vector<torch::Tensor> gradients, flat;
    for (const auto& tensor : start) {
      const bool is_unreached = &tensor == &start.back();
      gradients.push_back(is_unreached ? torch::zeros_like(tensor) : torch::randn_like(tensor));
      flat.push_back(gradients.back().flatten());
    }
    expected.step(0.3, gradients);
    optimizer->step(0.3, torch::cat(flat) * 4, torch::full({1}, 4.0, options), {});
    EXPECT_LT((values - expected.flat()).abs().max().item<double>(), 1e-12) << step;
  }
  EXPECT_EQ(optimizer->steps(), 20);
}

TEST(Lars, StepsDoNotDependOnTheSizeOfGradients) {
  auto settings = lars_settings();
  settings.weight_decay = 0;
  const auto moved_by = [&](double factor) {
    auto values = torch::linspace(-1, 1, 12, torch::kFloat64);
    make_optimizer(settings, {values, {12}, {2}})
        ->step(1, wave_of_step(1).narrow(0, 0, 12) * factor, torch::ones({1}, torch::kFloat64), {});
    return (values - torch::linspace(-1, 1, 12, torch::kFloat64)).norm().item<double>();
  };
  const double size = torch::linspace(-1, 1, 12, torch::kFloat64).norm().item<double>();
  for (const double factor : {1e-6, 1.0, 1e6})
    EXPECT_NEAR(moved_by(factor), settings.trust_coefficient * size, 1e-12);
}

}  // namespace
}  // namespace scalestudy
