#pragma once
/// One training step with Adam, exported for a peer script that repeats it with the real PyTorch
/// (tests/support/adam_step.py).

#include <filesystem>
#include <functional>
#include <numeric>
#include <vector>

#include "training/flat_parameters.hpp"
#include "training/optimizer.hpp"

#include "tests/support/step_file.hpp"

namespace scalestudy::test {

/// What a step is made from; all of the model's type.
struct AdamStep {
  torch::Tensor input;
  torch::Tensor target;
  torch::Tensor mask;  ///< may be undefined
  /// Of the prediction: a sum whose mean over `loss_weight` is minimised.
  std::function<torch::Tensor(const torch::Tensor& prediction)> loss_sum;
  double loss_weight = 1;
};

/// Takes the step as the trainer does and writes all tensors that belong to it.
template <class Model>
void export_adam_step(Model& model, const AdamStep& step, const std::filesystem::path& file) {
  StepFile out;
  out.add("input", step.input);
  out.add("target", step.target);
  if (step.mask.defined()) out.add("mask", step.mask);

  std::vector<std::size_t> order(model.parameters().size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  FlatParameters parameters(model.parameters(), order);
  parameters.accumulate();
  out.add_state("before.", model);
  OptimizerSettings settings;
  settings.epsilon = 1e-8;
  settings.epsilon_rule = EpsilonRule::torch;
  const auto optimizer =
      make_optimizer(settings, {parameters.values(), parameters.element_counts()});

  const auto prediction = model.forward(step.input);
  const auto loss_sum = step.loss_sum(prediction);
  loss_sum.backward();
  out.add("prediction", prediction);
  out.add("loss", loss_sum / step.loss_weight);
  for (const auto& parameter : model.named_parameters())
    out.add("gradient." + parameter.key(), parameter.value().grad() / step.loss_weight);
  parameters.weight().fill_(step.loss_weight);
  optimizer->step(1e-3, parameters.gradients(), parameters.weight(), {});
  out.add_state("after.", model);
  out.write(file);
}

}  // namespace scalestudy::test
