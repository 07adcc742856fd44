/// The network and one training step beside the real PyTorch: unet_peer.py builds the same from
/// torch.nn.

#include <gtest/gtest.h>

#include "tests/support/adam_step.hpp"
#include "tests/support/places.hpp"
#include "tests/support/python_torch.hpp"
#include "tests/support/requirements.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/unet/model.hpp"

namespace scalestudy::unet {
namespace {

constexpr std::int64_t samples = 3;

test::AdamStep step_on_pictures(torch::ScalarType type) {
  test::AdamStep step;
  step.input = torch::rand({samples, 1, 48, 64}).to(type);
  step.target = torch::rand({samples, 1, 48, 64}).gt(0.7).to(type);
  step.loss_sum = [target = step.target](const torch::Tensor& logits) {
    return at::binary_cross_entropy_with_logits(logits, target, {}, {}, at::Reduction::Sum) /
           static_cast<double>(target.size(2) * target.size(3));
  };
  step.loss_weight = samples;
  return step;
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
  settings.batch_norm_rule = choice_from<BatchNormRule>(GetParam().rule, "rule");
  settings.initialisation = choice_from<Initialisation>(GetParam().rule, "rule");
  UNet model(settings);
  model.to(GetParam().type);
  const auto file = folder.path() / "step.pt";
  test::export_adam_step(model, step_on_pictures(GetParam().type), file);
  const auto script = test::in_sources("tests/unet/unet_peer.py");
  EXPECT_EQ(test::run_python(python, {script, file.string(), GetParam().rule}), 0);
}

INSTANTIATE_TEST_SUITE_P(Rules,
                         PyTorchPeer,
                         ::testing::Values(PeerCase{"keras", torch::kFloat32},
                                           PeerCase{"torch", torch::kFloat32},
                                           PeerCase{"torch", torch::kFloat64}));

}  // namespace
}  // namespace scalestudy::unet
