#include "workloads/noise2void/model.hpp"

#include <algorithm>

#include <torch/nn/functional/upsampling.h>
#include <torch/nn/init.h>
#include <torch/types.h>

#include "core/error.hpp"

namespace scalestudy::noise2void {
namespace {

/// Keras' defaults: Glorot uniform kernels, zero biases.
torch::nn::Conv3d make_convolution(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  torch::nn::Conv3d convolution(torch::nn::Conv3dOptions(in, out, kernel).padding(kernel / 2));
  torch::nn::init::xavier_uniform_(convolution->weight);
  torch::nn::init::zeros_(convolution->bias);
  return convolution;
}

std::string numbered(const char* name, std::int64_t level) {
  return name + std::to_string(level);
}

torch::Tensor upsampled(const torch::Tensor& input) {
  return at::upsample_nearest3d(input, {input.size(2) * 2, input.size(3) * 2, input.size(4) * 2});
}

}  // namespace

ConvBlock::ConvBlock(std::int64_t in, std::int64_t out) {
  conv = register_module("conv", make_convolution(in, out, 3));
  // Keras' momentum 0.99 and epsilon 1e-3; torch's momentum is its complement.
  norm = register_module("norm", std::make_shared<BatchNorm>(out, /*momentum=*/0.01,
                                                             /*epsilon=*/1e-3));
}

torch::Tensor ConvBlock::forward(const torch::Tensor& input) {
  return norm->forward(conv(input)).relu_();
}

UNet::UNet(std::int64_t depth, std::int64_t first_filters) : depth_(depth) {
  SCALESTUDY_EXPECT(depth >= 1 && first_filters >= 1);
  const auto filters = [&](std::int64_t level) { return first_filters << level; };
  for (std::int64_t n = 0; n < depth; ++n)
    add_level(numbered("down", n), n == 0 ? 1 : filters(n - 1), filters(n), filters(n));
  add_level("middle", filters(depth - 1), filters(depth), filters(depth - 1));
  std::int64_t below = filters(depth - 1);
  for (std::int64_t n = depth - 1; n >= 0; --n) {
    // csbdeep narrows to filters(n − 1) here; n2v 0.3.3 takes first_filters at every level but the
    // last convolution of a level, which prepares the next one up.
    const auto out = filters(std::max<std::int64_t>(n - 1, 0));
    add_level(numbered("up", n), below + filters(n), first_filters, out);
    below = out;
  }
  head = register_module("head", make_convolution(below, 1, 1));
}

void UNet::add_level(const std::string& name,
                     std::int64_t in,
                     std::int64_t middle,
                     std::int64_t out) {
  const auto add = [&](const std::string& suffix, std::int64_t from, std::int64_t to) {
    auto block = register_module(name + "_" + suffix, std::make_shared<ConvBlock>(from, to));
    blocks_.emplace_back(name + "/" + suffix, std::move(block));
  };
  add("0", in, middle);
  add("1", middle, out);
}

torch::Tensor UNet::level(const std::string& name, torch::Tensor input) {
  for (const auto& [block_name, block] : blocks_)
    if (block_name.compare(0, name.size() + 1, name + "/") == 0) input = block->forward(input);
  return input;
}

torch::Tensor UNet::forward(const torch::Tensor& input) {
  std::vector<torch::Tensor> skips;
  auto x = input;
  for (std::int64_t n = 0; n < depth_; ++n) {
    skips.push_back(level(numbered("down", n), x));
    x = at::max_pool3d(skips.back(), {2, 2, 2});
  }
  x = level("middle", x);
  for (std::int64_t n = depth_ - 1; n >= 0; --n) {
    x = at::cat({upsampled(x), skips[static_cast<std::size_t>(n)]}, 1);
    x = level(numbered("up", n), x);
  }
  return head(x);
}

}  // namespace scalestudy::noise2void
