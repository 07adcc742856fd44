#include "workloads/noise2void/model.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "training/precision.hpp"

namespace scalestudy::noise2void {
namespace {

TEST(UNetModel, HasTheOriginalsParameterCounts) {
  UNet model(2, 32);
  std::int64_t trainable = 0;
  for (const auto& parameter : model.parameters()) trainable += parameter.numel();
  std::int64_t statistics = 0;
  for (const auto& buffer : model.buffers())
    if (buffer.is_floating_point()) statistics += buffer.numel();
  EXPECT_EQ(trainable, 859521);
  EXPECT_EQ(trainable + statistics, 860545);
  EXPECT_EQ(model.parameters().size(), 42U);
}

TEST(UNetModel, DecoderHasFirstFiltersAtEveryLevel) {
  UNet model(2, 32);
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& [name, block] : model.blocks())
    shapes[name] = {block->conv->weight.size(1), block->conv->weight.size(0)};
  EXPECT_EQ(shapes["middle/0"], (std::vector<std::int64_t>{64, 128}));
  EXPECT_EQ(shapes["middle/1"], (std::vector<std::int64_t>{128, 64}));
  EXPECT_EQ(shapes["up1/0"], (std::vector<std::int64_t>{128, 32}));
  EXPECT_EQ(shapes["up1/1"], (std::vector<std::int64_t>{32, 32}));
  EXPECT_EQ(shapes["up0/0"], (std::vector<std::int64_t>{64, 32}));
}

/// On CPUs; a level of two planes would fail, which is why such patches are refused.
TEST(UNetModel, GradientsInBf16AreTheSameEveryTime) {
  torch::manual_seed(5);
  UNet model(2, 8);
  const auto input = torch::randn({4, 1, 12, 16, 16});
  std::vector<torch::Tensor> first;
  for (int pass = 0; pass < 5; ++pass) {
    model.zero_grad();
    {  // Memory that is not written must not go unnoticed.
      std::vector<torch::Tensor> poison;
      for (int bits = 6; bits < 21; ++bits) poison.push_back(torch::full({1 << bits}, NAN));
    }
    {
      const Autocast autocast(Precision::bf16, torch::kCPU);
      model.forward(input).square().sum().backward();
    }
    for (std::size_t i = 0; i < model.parameters().size(); ++i) {
      const auto gradient = model.parameters()[i].grad().clone();
      if (pass == 0) first.push_back(gradient);
      EXPECT_TRUE(gradient.equal(first[i])) << model.named_parameters()[i].key();
    }
  }
}

TEST(UNetModel, BatchNormAndInitialisationAreKeras) {
  torch::manual_seed(5);
  UNet model(2, 32);
  for (const auto& [name, block] : model.blocks()) {
    EXPECT_EQ(block->norm->epsilon(), 1e-3);
    EXPECT_EQ(block->norm->momentum(), 0.01);
    EXPECT_EQ(block->conv->bias.abs().max().item<float>(), 0.0F);
    // Glorot: uniform within sqrt(6 / (fan in + fan out)).
    const double fans =
        27.0 * static_cast<double>(block->conv->weight.size(0) + block->conv->weight.size(1));
    const double limit = std::sqrt(6.0 / fans);
    const auto& weight = block->conv->weight;
    EXPECT_LE(weight.abs().max().item<double>(), limit * 1.000001);  // they are drawn in float32
    EXPECT_NEAR(weight.std().item<double>(), limit / std::sqrt(3.0), 0.1 * limit);
  }
}

TEST(UNetModel, KeepsTheShapeOfItsInput) {
  UNet model(2, 4);
  EXPECT_EQ(model.forward(torch::zeros({2, 1, 8, 12, 16})).sizes(),
            (std::vector<std::int64_t>{2, 1, 8, 12, 16}));
}

}  // namespace
}  // namespace scalestudy::noise2void
