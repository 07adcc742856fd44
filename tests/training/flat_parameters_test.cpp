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
  flat.accumulate();
  EXPECT_TRUE(layer->forward(input).equal(expected));
  layer->forward(input).sum().backward();
  EXPECT_EQ(flat.gradients().sum().item<float>(), 8.0F);
  layer->forward(input).sum().backward();
  EXPECT_EQ(flat.gradients().sum().item<float>(), 16.0F);
  EXPECT_NO_THROW(flat.expect_gradients_in_place());
  flat.values().zero_();
  EXPECT_EQ(layer->weight.abs().sum().item<float>(), 0.0F);
}

TEST(FlatParameters, KeepsChannelsLastStrides) {
  torch::nn::Conv3d layer(torch::nn::Conv3dOptions(4, 8, 3));
  layer->weight.set_data(layer->weight.contiguous(at::MemoryFormat::ChannelsLast3d));
  const auto before = layer->weight.clone();
  FlatParameters flat(layer->parameters(), {0, 1});
  flat.accumulate();
  EXPECT_TRUE(layer->weight.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  EXPECT_EQ(layer->weight.grad().strides(), layer->weight.strides());
  EXPECT_TRUE(layer->weight.equal(before));
}

TEST(FlatParameters, NoticesGradientsThatWentElsewhere) {
  torch::nn::Linear layer(3, 2);
  FlatParameters flat(layer->parameters(), {0, 1});
  EXPECT_NO_THROW(flat.expect_gradients_in_place());
  layer->weight.mutable_grad() = torch::zeros_like(layer->weight);
  EXPECT_THROW(flat.expect_gradients_in_place(), InternalError);
  flat.accumulate();
  EXPECT_NO_THROW(flat.expect_gradients_in_place());
  layer->weight.mutable_grad() = torch::zeros_like(layer->weight);
  EXPECT_THROW(flat.expect_gradients_in_place(), InternalError);
}

TEST(FlatParameters, TakesGradientsInsteadOfAddingThem) {
  torch::nn::Conv2d layer(torch::nn::Conv2dOptions(4, 8, 3));
  layer->weight.set_data(layer->weight.contiguous(at::MemoryFormat::ChannelsLast));
  const auto input = torch::randn({2, 4, 6, 6});
  layer->forward(input).square().sum().backward();
  const auto weight_gradient = layer->weight.grad().clone();
  const auto bias_gradient = layer->bias.grad().clone();
  for (auto& parameter : layer->parameters()) parameter.mutable_grad().reset();
  GradientHooks hooks(layer->parameters());
  FlatParameters flat(layer->parameters(), {1, 0});
  hooks.give_to([&](std::size_t parameter, const torch::Tensor& gradient) {
    flat.set_gradient(parameter, gradient);
  });
  flat.gradients().fill_(7);  // of the step before
  std::vector<std::size_t> ready;
  hooks.on_ready([&](std::size_t parameter) {
    const auto values = flat.gradients_of(flat.position_of(parameter));
    EXPECT_TRUE(values.ne(7).all().item<bool>()) << "ready before it was placed";
    ready.push_back(parameter);
  });
  for (int step = 0; step < 2; ++step) layer->forward(input).square().sum().backward();
  EXPECT_EQ(ready.size(), 4U);
  const auto parts = flat.parts_of(flat.gradients());
  EXPECT_TRUE(parts[0].equal(weight_gradient)) << "strides are the parameter's";
  EXPECT_TRUE(parts[1].equal(bias_gradient));
  EXPECT_NO_THROW(flat.expect_gradients_in_place());
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
