#include "workloads/unet/model.hpp"

#include <torch/nn/init.h>
#include <torch/types.h>

namespace scalestudy::unet {
namespace {

/// A fresh layer holds torch's own values; Keras' are Glorot uniform kernels and zero biases.
template <class Layer>
Layer initialised(Layer layer, const Settings& settings) {
  if (settings.initialisation == Initialisation::keras) {
    torch::nn::init::xavier_uniform_(layer->weight);
    torch::nn::init::zeros_(layer->bias);
  }
  return layer;
}

/// Momentum in torch's sense; Keras' 0.99 is its complement.
std::shared_ptr<BatchNorm> make_norm(std::int64_t channels, const Settings& settings) {
  return settings.batch_norm_rule == BatchNormRule::keras
             ? std::make_shared<BatchNorm>(channels, /*momentum=*/0.01, /*epsilon=*/1e-3)
             : std::make_shared<BatchNorm>(channels, /*momentum=*/0.1, /*epsilon=*/1e-5);
}

torch::nn::Conv2d make_conv(std::int64_t in,
                            std::int64_t out,
                            std::int64_t kernel,
                            const Settings& settings) {
  return initialised(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel).padding(kernel / 2)), settings);
}

std::string at_level(const char* name, std::size_t level) {
  return name + std::to_string(level);
}

}  // namespace

ConvBlock::ConvBlock(std::int64_t in, std::int64_t out, const Settings& settings) {
  conv_ = register_module("conv", make_conv(in, out, 3, settings));
  norm_ = register_module("norm", make_norm(out, settings));
}

torch::Tensor ConvBlock::forward(const torch::Tensor& input) {
  return norm_->forward(conv_(input)).relu_();
}

DoubleBlock::DoubleBlock(std::int64_t in, std::int64_t out, const Settings& settings) {
  first_ = register_module("first", std::make_shared<ConvBlock>(in, out, settings));
  second_ = register_module("second", std::make_shared<ConvBlock>(out, out, settings));
}

torch::Tensor DoubleBlock::forward(const torch::Tensor& input) {
  return second_->forward(first_->forward(input));
}

UNet::UNet(const Settings& settings) {
  const auto block = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    return register_module(name, std::make_shared<DoubleBlock>(in, out, settings));
  };
  for (std::size_t n = 0; n < depth; ++n)
    down_[n] = block(at_level("down", n), n == 0 ? 1 : filters[n - 1], filters[n]);
  bottom_ = block("bottom", filters[depth - 1], filters[depth]);
  for (std::size_t n = depth; n-- > 0;) {
    const auto options = torch::nn::ConvTranspose2dOptions(filters[n + 1], filters[n], 2).stride(2);
    upsample_[n] = register_module(at_level("upsample", n),
                                   initialised(torch::nn::ConvTranspose2d(options), settings));
    up_[n] = block(at_level("up", n), 2 * filters[n], filters[n]);
  }
  head_ = register_module("head", make_conv(filters[0], 1, 1, settings));
}

torch::Tensor UNet::forward(const torch::Tensor& input) {
  std::array<torch::Tensor, depth> skips;
  auto x = input;
  for (std::size_t n = 0; n < depth; ++n) {
    skips[n] = down_[n]->forward(x);
    x = at::max_pool2d(skips[n], {2, 2});
  }
  x = bottom_->forward(x);
  for (std::size_t n = depth; n-- > 0;)
    x = up_[n]->forward(at::cat({upsample_[n](x), skips[n]}, 1));
  return head_(x);
}

}  // namespace scalestudy::unet
