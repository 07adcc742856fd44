#include "training/flat_parameters.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

TEST(FlatParameters, AutogradAccumulatesIntoTheFlatStorage) {
  torch::nn::Linear layer(3, 2);
  const auto input = torch::ones({1, 3});
  const auto expected = layer->forward(input);
  FlatParameters flat(layer->parameters(), {1, 0});  // bias first
  EXPECT_TRUE(layer->forward(input).equal(expected));
  layer->forward(input).sum().backward();
  EXPECT_EQ(flat.gradients().sum().item<float>(), 8.0F);
  layer->forward(input).sum().backward();
  EXPECT_EQ(flat.gradients().sum().item<float>(), 16.0F);
  EXPECT_NO_THROW(flat.expect_aliases_intact());
  flat.values().zero_();
  EXPECT_EQ(layer->weight.abs().sum().item<float>(), 0.0F);
}

TEST(FlatParameters, KeepsChannelsLastStrides) {
  torch::nn::Conv3d layer(torch::nn::Conv3dOptions(4, 8, 3));
  layer->weight.set_data(layer->weight.contiguous(at::MemoryFormat::ChannelsLast3d));
  const auto before = layer->weight.clone();
  FlatParameters flat(layer->parameters(), {0, 1});
  EXPECT_TRUE(layer->weight.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  EXPECT_EQ(layer->weight.grad().strides(), layer->weight.strides());
  EXPECT_TRUE(layer->weight.equal(before));
}

TEST(FlatParameters, NoticesWhenAGradientNoLongerAliases) {
  torch::nn::Linear layer(3, 2);
  FlatParameters flat(layer->parameters(), {0, 1});
  layer->weight.mutable_grad() = torch::zeros_like(layer->weight);
  EXPECT_THROW(flat.expect_aliases_intact(), InternalError);
}

TEST(GradientHooks, FireOncePerParameterAfterAccumulation) {
  torch::nn::Linear layer(3, 2);
  GradientHooks hooks(layer->parameters());
  std::vector<std::size_t> ready;
  hooks.on_ready([&](std::size_t parameter) {
    EXPECT_TRUE(layer->parameters()[parameter].grad().defined());
    ready.push_back(parameter);
  });
  layer->forward(torch::ones({1, 3})).sum().backward();
  std::sort(ready.begin(), ready.end());
  EXPECT_EQ(ready, (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace scalestudy
