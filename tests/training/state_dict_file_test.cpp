#include "training/weights/state_dict_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include <gmock/gmock.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "core/error.hpp"
#include "core/file_content.hpp"

#include "training/checkpoint.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/python_torch.hpp"
#include "tests/support/requirements.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The net of state_dict_peer.py.
struct Net final : torch::nn::Module {
  Net() {
    register_module("conv", conv);
    register_module("norm", norm);
    register_module("head", head);
    conv->to(torch::kFloat32);
    const torch::NoGradGuard no_grad;
    conv->weight.set_data(conv->weight.contiguous(at::MemoryFormat::ChannelsLast));
    norm->running_mean.uniform_();
    norm->running_var.uniform_(0.5, 2);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    return head->forward(torch::relu(norm->forward(conv->forward(x))).mean({2, 3}));
  }
  torch::nn::Conv2d conv{torch::nn::Conv2dOptions(3, 4, 3)};
  torch::nn::BatchNorm2d norm{4};
  torch::nn::Linear head{4, 2};
};

void expect_equal_state(const NamedTensors& a, const NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_TRUE(a[i].tensor.equal(b[i].tensor)) << a[i].name;
  }
}

torch::Tensor tensor_named(const NamedTensors& tensors, const std::string& name) {
  for (const auto& each : tensors)
    if (each.name == name) return each.tensor;
  ADD_FAILURE() << "no tensor " << name;
  return {};
}

class StateDictFile : public ::testing::Test {
 protected:
  std::filesystem::path file(const char* name) const { return folder_.path() / name; }
  TemporaryFolder folder_;
};

TEST_F(StateDictFile, ComesBackBitForBitIntoAnotherMemoryFormat) {
  Net net, other;
  other.conv->weight.set_data(other.conv->weight.contiguous());
  write_state_dict(file("weights.pt"), state_of(net));
  const auto read = read_state_dict(file("weights.pt"));
  expect_equal_state(read, state_of(net));
  load_state(other, read, "weights.pt");
  expect_equal_state(state_of(other), state_of(net));
  EXPECT_TRUE(other.conv->weight.is_contiguous());
  write_state_dict(file("again.pt"), state_of(other));
  EXPECT_EQ(content_of(file("again.pt")), content_of(file("weights.pt")));
}

TEST_F(StateDictFile, NamesWhatDoesNotFit) {
  Net net;
  const auto refusal = [&](NamedTensors state) {
    return message_of([&] { load_state(net, state, "w.pt"); });
  };
  const auto before = net.head->weight.detach().clone();
  auto state = state_of(net);
  state[0].tensor = torch::zeros({4, 3, 3, 5});
  state.back().tensor = torch::zeros({2});
  EXPECT_THAT(refusal(state), AllOf(HasSubstr("w.pt: tensor 'conv.weight' has shape [4, 3, 3, 5], "
                                              "the model needs [4, 3, 3, 3]")));
  state = state_of(net);
  state[1].tensor = state[1].tensor.to(torch::kFloat64);
  EXPECT_THAT(refusal(state), HasSubstr("'conv.bias' has type Double, the model needs Float"));
  state = state_of(net);
  state.erase(state.begin() + 3);
  EXPECT_THAT(refusal(state), HasSubstr("'norm.bias' is missing"));
  state = state_of(net);
  state.push_back({"extra", torch::zeros({1})});
  EXPECT_THAT(refusal(state), HasSubstr("'extra' does not exist in the model"));
  EXPECT_TRUE(net.head->weight.equal(before));
}

TEST_F(StateDictFile, EveryCutAndManyFlipsAreRefusedOrHarmless) {
  write_state_dict(file("weights.pt"), {{"a", torch::arange(5)}, {"b", torch::ones({2, 2})}});
  const auto intact = bytes_of_file(file("weights.pt"));
  for (std::size_t size = 0; size < intact.size(); size += 29) {
    const auto cut = std::span(intact).first(size);
    EXPECT_THAT(message_of([&] { return read_state_dict(cut, "cut.pt"); }), HasSubstr("cut.pt"))
        << size;
  }
  for (std::size_t at = 0; at < intact.size(); at += 11) {
    auto flipped = intact;
    flipped[at] ^= std::byte{0x81};
    try {  // an element's value may differ, but nothing else may happen
      for (const auto& each : read_state_dict(flipped, "flipped.pt"))
        EXPECT_LE(each.tensor.numel(), 5);
    } catch (const BadInput&) {
    }
  }
}

/// Its storage and its sizes say a million elements, of which the file holds five.
TEST_F(StateDictFile, RefusesATensorLargerThanItsRecord) {
  write_state_dict(file("weights.pt"), {{"a", torch::ones(5)}});
  auto bytes = bytes_of_file(file("weights.pt"));
  const std::array five{std::byte{'J'}, std::byte{5}, std::byte{}, std::byte{}, std::byte{}};
  const std::array million{std::byte{'J'}, std::byte{0x40}, std::byte{0x42}, std::byte{0x0f},
                           std::byte{}};
  auto found = std::ranges::search(bytes, five);
  std::size_t count = 0;
  for (; !found.empty(); ++count, found = std::ranges::search(bytes, five))
    std::ranges::copy(million, found.begin());
  EXPECT_EQ(count, 2U);
  EXPECT_THAT(message_of([&] { return read_state_dict(bytes, "large.pt"); }),
              HasSubstr("large.pt: it is no state dict"));
}

TEST_F(StateDictFile, RefusesWhatIsNoStateDict) {
  write_text(file("text.pt"), "these are no weights");
  EXPECT_THAT(message_of([&] { return read_state_dict(file("text.pt")); }),
              HasSubstr("text.pt: it is no state dict"));
  EXPECT_THAT(message_of([&] { return read_state_dict(file("none.pt")); }),
              HasSubstr("No such file"));
}

TEST_F(StateDictFile, PythonReadsOurs) {
  const auto python = test::python_with_torch();
  SCALESTUDY_NEEDS("peer", !python.empty());
  Net net;
  net.eval();
  write_state_dict(file("written.pt"), state_of(net));
  Checkpoint checkpoint;
  checkpoint.progress.epochs_done = 3;
  checkpoint.model = {{"weight", torch::full({2}, 4.0F)}};
  draft_checkpoint(file("checkpoint.pt"), checkpoint).publish();
  const std::string script = test::in_sources("tests/training/state_dict_peer.py");
  ASSERT_EQ(test::run_python(python, {script, folder_.path().string()}), 0);

  const torch::NoGradGuard no_grad;
  const auto image = torch::arange(3 * 8 * 8, torch::kFloat32).reshape({1, 3, 8, 8}).sin();
  const auto output = tensor_named(read_state_dict(file("output.pt")), "output");
  EXPECT_TRUE(torch::allclose(net.forward(image), output, 1e-5, 1e-6));
}

}  // namespace
}  // namespace scalestudy
