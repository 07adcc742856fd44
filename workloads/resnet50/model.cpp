#include "workloads/resnet50/model.hpp"

#include <utility>

#include <ATen/Functions.h>
#include <torch/nn/init.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy::resnet50 {
namespace {

using Options = torch::nn::Conv2dOptions;

constexpr std::int64_t expansion = 4;

/// Padded so that a stride of 1 keeps the sides.
torch::nn::Conv2d make_convolution(Variant variant, Options options) {
  const auto padding = options.kernel_size()->front() / 2;
  torch::nn::Conv2d convolution(options.padding(padding).bias(variant == Variant::v1));
  if (variant == Variant::v1) {
    torch::nn::init::xavier_uniform_(convolution->weight);
    torch::nn::init::zeros_(convolution->bias);
  } else {
    torch::nn::init::kaiming_normal_(convolution->weight, 0.0, torch::kFanOut, torch::kReLU);
  }
  return convolution;
}

std::shared_ptr<BatchNorm> make_norm(Variant variant, std::int64_t channels) {
  // torch's momentum is the complement of Keras' 0.99.
  return variant == Variant::v1
             ? std::make_shared<BatchNorm>(channels, /*momentum=*/0.01, /*epsilon=*/1.001e-5)
             : std::make_shared<BatchNorm>(channels, /*momentum=*/0.1, /*epsilon=*/1e-5);
}

/// v1.5 keeps what LibTorch fills it with, as torchvision does.
torch::nn::Linear make_classifier(Variant variant, std::int64_t in, std::int64_t classes) {
  torch::nn::Linear linear(in, classes);
  if (variant == Variant::v1) {
    torch::nn::init::xavier_uniform_(linear->weight);
    torch::nn::init::zeros_(linear->bias);
  }
  return linear;
}

}  // namespace

Projection::Projection(Variant variant, std::int64_t in, std::int64_t out, std::int64_t stride) {
  convolution_ =
      register_module("0", make_convolution(variant, Options(in, out, 1).stride(stride)));
  norm_ = register_module("1", make_norm(variant, out));
}

torch::Tensor Projection::forward(const torch::Tensor& input) {
  return norm_->forward(convolution_(input));
}

Bottleneck::Bottleneck(Variant variant, std::int64_t in, std::int64_t width, std::int64_t stride) {
  const auto out = expansion * width;
  const auto first_stride = variant == Variant::v1 ? stride : 1;
  conv1_ = register_module("conv1",
                           make_convolution(variant, Options(in, width, 1).stride(first_stride)));
  bn1_ = register_module("bn1", make_norm(variant, width));
  conv2_ = register_module(
      "conv2", make_convolution(variant, Options(width, width, 3).stride(stride / first_stride)));
  bn2_ = register_module("bn2", make_norm(variant, width));
  conv3_ = register_module("conv3", make_convolution(variant, Options(width, out, 1)));
  bn3_ = register_module("bn3", make_norm(variant, out));
  if (stride != 1 || in != out)
    downsample_ =
        register_module("downsample", std::make_shared<Projection>(variant, in, out, stride));
}

torch::Tensor Bottleneck::forward(const torch::Tensor& input) {
  auto x = bn1_->forward(conv1_(input)).relu_();
  x = bn2_->forward(conv2_(x)).relu_();
  x = bn3_->forward(conv3_(x));
  const auto shortcut = downsample_ ? downsample_->forward(input) : input;
  return x.add_(shortcut).relu_();
}

Stage::Stage(Variant variant, const StageShape& shape) {
  auto in = shape.in, stride = shape.stride;
  for (std::int64_t i = 0; i < shape.blocks; ++i) {
    blocks_.push_back(register_module(
        std::to_string(i), std::make_shared<Bottleneck>(variant, in, shape.width, stride)));
    in = expansion * shape.width;
    stride = 1;
  }
}

torch::Tensor Stage::forward(torch::Tensor input) {
  for (const auto& block : blocks_) input = block->forward(input);
  return input;
}

ResNet50::ResNet50(Variant variant, std::int64_t classes) {
  conv1_ = register_module("conv1", make_convolution(variant, Options(3, 64, 7).stride(2)));
  bn1_ = register_module("bn1", make_norm(variant, 64));
  std::int64_t channels = 64;
  for (StageShape shape : {StageShape{.width = 64, .blocks = 3, .stride = 1},
                           StageShape{.width = 128, .blocks = 4, .stride = 2},
                           StageShape{.width = 256, .blocks = 6, .stride = 2},
                           StageShape{.width = 512, .blocks = 3, .stride = 2}}) {
    shape.in = std::exchange(channels, expansion * shape.width);
    stages_.push_back(
        register_module(cat("layer", stages_.size() + 1), std::make_shared<Stage>(variant, shape)));
  }
  fc_ = register_module("fc", make_classifier(variant, channels, classes));
}

torch::Tensor ResNet50::forward(const torch::Tensor& input) {
  auto x = bn1_->forward(conv1_(input)).relu_();
  x = at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
  for (const auto& stage : stages_) x = stage->forward(x);
  return fc_(x.mean({2, 3}));
}

}  // namespace scalestudy::resnet50
