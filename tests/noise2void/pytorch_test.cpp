/// The network and one training step beside the real PyTorch: noise2void_peer.py builds the same
/// from torch.nn.

#include <gtest/gtest.h>

#include "tests/support/adam_step.hpp"
#include "tests/support/places.hpp"
#include "tests/support/python_torch.hpp"
#include "tests/support/requirements.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/noise2void/loss.hpp"
#include "workloads/noise2void/model.hpp"

namespace scalestudy::noise2void {
namespace {

/// Two patches of the quickstart's size, 1 voxel in 50 masked.
test::AdamStep step_on_patches(torch::ScalarType type) {
  const std::vector<std::int64_t> shape{2, 1, 8, 32, 32};
  test::AdamStep step;
  step.input = torch::randn(shape).to(type);
  step.mask = torch::rand(shape).lt(0.02).to(type);
  step.target = torch::randn(shape).to(type) * step.mask;
  step.loss_sum = [target = step.target, mask = step.mask](const torch::Tensor& prediction) {
    return masked_loss_sum(LossKind::mse, prediction, target, mask);
  };
  step.loss_weight = step.mask.sum().item<double>();
  return step;
}

class PyTorchPeer : public ::testing::TestWithParam<torch::ScalarType> {};

TEST_P(PyTorchPeer, ForwardAndOneTrainingStepAreEqual) {
  const auto python = test::python_with_torch();
  SCALESTUDY_NEEDS("peer", !python.empty());
  const TemporaryFolder folder;
  torch::manual_seed(3);
  UNet model(2, 32);  // the published depth and width
  model.to(GetParam());
  const auto file = folder.path() / "step.pt";
  test::export_adam_step(model, step_on_patches(GetParam()), file);
  const auto script = test::in_sources("tests/noise2void/noise2void_peer.py");
  EXPECT_EQ(test::run_python(python, {script, file.string()}), 0);
}

INSTANTIATE_TEST_SUITE_P(Types, PyTorchPeer, ::testing::Values(torch::kFloat32, torch::kFloat64));

}  // namespace
}  // namespace scalestudy::noise2void
