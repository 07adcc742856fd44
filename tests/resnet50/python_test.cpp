/// Our ResNet50 beside real Python PyTorch with the same weights: one forward pass and one step.

#include <numeric>

#include <gtest/gtest.h>

#include "training/device.hpp"
#include "training/flat_parameters.hpp"
#include "training/optimizer.hpp"

#include "tests/support/places.hpp"
#include "tests/support/python_torch.hpp"
#include "tests/support/requirements.hpp"
#include "tests/support/step_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/resnet50/classification.hpp"
#include "workloads/resnet50/model.hpp"

namespace scalestudy::resnet50 {
namespace {

/// One step of sgd with momentum on eight pictures of 64×64, as the trainer takes it.
void train_one_step(ResNet50& model, test::StepFile& step) {
  constexpr std::int64_t samples = 8;
  OptimizerSettings settings;
  settings.name = OptimizerKind::sgd;
  settings.base_learning_rate = 0.05;
  step.add("learning_rate", torch::tensor(settings.base_learning_rate, torch::kFloat64));
  step.add("momentum", torch::tensor(settings.momentum, torch::kFloat64));
  const auto input = torch::randn({samples, 3, 64, 64});
  const auto labels = torch::arange(samples, torch::kInt64).remainder(5);
  step.add("input", input);
  step.add("labels", labels);

  std::vector<std::size_t> order(model.parameters().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  FlatParameters parameters(model.parameters(), order);
  parameters.accumulate();
  const auto optimizer =
      make_optimizer(settings, {parameters.values(), parameters.element_counts()});
  const auto logits = model.forward(input);
  const auto loss_sum = cross_entropy(logits, labels, 0).sum();
  loss_sum.backward();
  parameters.weight().fill_(static_cast<double>(samples));
  optimizer->step(settings.base_learning_rate, parameters.gradients(), parameters.weight(), {});
  step.add("logits", logits.detach());
  step.add("loss", loss_sum.detach() / samples);
}

class BesidePython : public ::testing::TestWithParam<const char*> {};

TEST_P(BesidePython, ForwardAndOneStepAreEqual) {
  const auto python = test::python_with_torch();
  SCALESTUDY_NEEDS("peer", !python.empty());
  const ThreadCount one_thread(1);
  torch::manual_seed(7);
  ResNet50 model(choice_from<Variant>(GetParam(), "variant"), 5);
  test::StepFile step;
  step.add_state("before/", model);
  train_one_step(model, step);
  step.add_state("after/", model);
  const TemporaryFolder folder;
  step.write(folder.path() / "tensors.pt");
  const auto script = test::in_sources("tests/resnet50/resnet50_peer.py");
  EXPECT_EQ(test::run_python(python, {script, folder.path() / "tensors.pt", GetParam()}), 0);
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         BesidePython,
                         ::testing::Values("v1", "v1.5"),
                         [](const auto& each) {
                           return std::string(each.param) == "v1" ? "v1" : "v1_5";
                         });

}  // namespace
}  // namespace scalestudy::resnet50
