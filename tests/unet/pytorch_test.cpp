/// The network and one training step beside the real PyTorch: unet_peer.py builds the same from
/// torch.nn.

#include <numeric>

#include <gtest/gtest.h>

#include "training/flat_parameters.hpp"
#include "training/optimizer.hpp"

#include "tests/launchers/temporary_folder.hpp"
#include "tests/support/python_torch.hpp"
#include "tests/support/requirements.hpp"
#include "tests/support/step_file.hpp"
#include "workloads/unet/model.hpp"

namespace scalestudy::unet {
namespace {

torch::Tensor loss_of(const torch::Tensor& logits, const torch::Tensor& target) {
  return at::binary_cross_entropy_with_logits(logits, target, {}, {}, at::Reduction::Sum) /
         static_cast<double>(target.size(2) * target.size(3));
}

void export_step(UNet& model, torch::ScalarType type, const std::filesystem::path& file) {
  test::StepFile out;
  model.to(type);
  const auto input = torch::rand({3, 1, 48, 64}).to(type);
  const auto target = torch::rand({3, 1, 48, 64}).gt(0.7).to(type);
  out.add("input", input);
  out.add("target", target);
  std::vector<std::size_t> order(model.parameters().size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  FlatParameters parameters(model.parameters(), order);
  out.add_state("before.", model);
  OptimizerSettings settings;
  settings.epsilon = 1e-8;
  settings.epsilon_rule = "torch";
  const auto optimizer = make_optimizer(settings, parameters.values());
  const auto logits = model.forward(input);
  const auto loss = loss_of(logits, target);
  loss.backward();
  out.add("logits", logits);
  out.add("loss", loss / 3.0);
  for (const auto& parameter : model.named_parameters())
    out.add("gradient." + parameter.key(), parameter.value().grad() / 3.0);
  parameters.weight().fill_(3.0);  // samples of the batch
  optimizer->step(1e-3, parameters.gradients(), parameters.weight(), {});
  out.add_state("after.", model);
  out.write(file);
}

struct PeerCase {
  const char* rule;
  torch::ScalarType type;
};

void PrintTo(const PeerCase& each, std::ostream* out) {
  *out << each.rule << " " << each.type;
}

class PyTorchPeer : public ::testing::TestWithParam<PeerCase> {};

TEST_P(PyTorchPeer, ForwardAndOneTrainingStepAreEqual) {
  const auto python = test::python_with_torch();
  SCALESTUDY_NEEDS("peer", !python.empty());
  const TemporaryFolder folder;
  torch::manual_seed(3);
  Settings settings;
  settings.batch_norm_rule = GetParam().rule;
  settings.initialisation = GetParam().rule;
  UNet model(settings);
  const auto file = folder.path() / "step.pt";
  export_step(model, GetParam().type, file);
  const auto script = std::string(SCALESTUDY_SOURCE_DIR) + "/tests/unet/unet_peer.py";
  EXPECT_EQ(test::run_python(python, {script, file.string(), GetParam().rule}), 0);
}

INSTANTIATE_TEST_SUITE_P(Rules,
                         PyTorchPeer,
                         ::testing::Values(PeerCase{"keras", torch::kFloat32},
                                           PeerCase{"torch", torch::kFloat32},
                                           PeerCase{"torch", torch::kFloat64}));

}  // namespace
}  // namespace scalestudy::unet
