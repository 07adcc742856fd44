#include "workloads/unet/model.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <torch/types.h>

namespace scalestudy::unet {
namespace {

std::int64_t elements(const std::vector<torch::Tensor>& tensors) {
  std::int64_t count = 0;
  for (const auto& tensor : tensors)
    if (tensor.is_floating_point()) count += tensor.numel();
  return count;
}

TEST(UNet2d, HasThePublishedParameterCounts) {
  UNet model{Settings{}};
  EXPECT_EQ(elements(model.parameters()), 487145);
  EXPECT_EQ(elements(model.parameters()) + elements(model.buffers()), 488617);
}

/// Per level: two convolutions 3² with bias and batch norm scale and shift; transposed convolutions
/// 2² with bias and no batch norm.
TEST(UNet2d, HasThePublishedLevels) {
  UNet model{Settings{}};
  std::map<std::string, std::int64_t> counts;
  for (const auto& level : model.named_children())
    counts[level.key()] = elements(level.value()->parameters());
  const auto level = [](std::int64_t in, std::int64_t out) {
    return in * out * 9 + out + out * out * 9 + out + 4 * out;
  };
  const auto upsample = [](std::int64_t in, std::int64_t out) { return in * out * 4 + out; };
  const std::map<std::string, std::int64_t> expected{
      {"down0", level(1, 8)},     {"down1", level(8, 16)},
      {"down2", level(16, 32)},   {"down3", level(32, 64)},
      {"bottom", level(64, 128)}, {"upsample3", upsample(128, 64)},
      {"up3", level(128, 64)},    {"upsample2", upsample(64, 32)},
      {"up2", level(64, 32)},     {"upsample1", upsample(32, 16)},
      {"up1", level(32, 16)},     {"upsample0", upsample(16, 8)},
      {"up0", level(16, 8)},      {"head", 9}};
  EXPECT_EQ(counts, expected);
}

TEST(UNet2d, KeepsTheShapeOfItsInputAndTakesEmptyBatches) {
  UNet model{Settings{}};
  EXPECT_EQ(model.forward(torch::rand({2, 1, 32, 48})).sizes(),
            (std::vector<std::int64_t>{2, 1, 32, 48}));
  const auto nothing = model.forward(torch::zeros({0, 1, 32, 48}));
  EXPECT_EQ(nothing.sizes(), (std::vector<std::int64_t>{0, 1, 32, 48}));
  nothing.sum().backward();
  for (const auto& parameter : model.parameters()) {
    ASSERT_TRUE(parameter.grad().defined());
    EXPECT_EQ(parameter.grad().abs().max().item<float>(), 0.0F);
  }
}

TEST(UNet2d, InitialisationIsTheOneAskedFor) {
  const auto kernel_and_bias = [](Initialisation initialisation) {
    Settings settings;
    settings.initialisation = initialisation;
    auto parameters = UNet(settings).named_parameters();
    return std::pair(parameters["bottom.second.conv.weight"],
                     parameters["bottom.second.conv.bias"]);
  };
  const auto [keras, keras_bias] = kernel_and_bias(Initialisation::keras);
  const auto [torch_kernel, torch_bias] = kernel_and_bias(Initialisation::torch);
  EXPECT_EQ(keras_bias.abs().max().item<float>(), 0.0F);
  EXPECT_GT(torch_bias.abs().max().item<float>(), 0.0F);
  const double fan = 9.0 * 128;
  EXPECT_NEAR(keras.abs().max().item<double>(), std::sqrt(3 / fan), 1e-4);
  EXPECT_NEAR(torch_kernel.abs().max().item<double>(), std::sqrt(1 / fan), 1e-4);
}

}  // namespace
}  // namespace scalestudy::unet
