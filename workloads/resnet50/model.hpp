#pragma once
/// ResNet50 in the two layouts that people train under this name. Both: convolution 7×7/2, max
/// pooling 3×3/2, four stages of 3, 4, 6, 3 bottlenecks (1×1, 3×3, 1×1 with four times the
/// channels), mean over the picture, fully connected (He et al. 2016, arXiv 1512.03385).
///   v1.5: torchvision's: the stride stands in the 3×3 convolution, convolutions have no bias,
///   batch
///         norm epsilon 1e-5 and momentum 0.1, kernels Kaiming normal (fan out).
///   v1:   Keras': the stride stands in the first 1×1, convolutions have biases, epsilon 1.001e-5
///         and momentum 0.01 (Keras' 0.99), kernels Glorot uniform, biases 0.
/// Parameters and buffers of both have torchvision's names (v1: with biases beside the kernels).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "training/batch_norm.hpp"

#include "workloads/resnet50/settings.hpp"

namespace scalestudy::resnet50 {

/// Two modules called "0" and "1": what the shortcut does where shapes change.
class Projection final : public torch::nn::Module {
 public:
  Projection(Variant variant, std::int64_t in, std::int64_t out, std::int64_t stride);
  torch::Tensor forward(const torch::Tensor& input);

 private:
  torch::nn::Conv2d convolution_{nullptr};
  std::shared_ptr<BatchNorm> norm_;
};

/// (N, in, H, W) → (N, 4 · width, H / stride, W / stride), sides rounded up.
class Bottleneck final : public torch::nn::Module {
 public:
  Bottleneck(Variant variant, std::int64_t in, std::int64_t width, std::int64_t stride);
  torch::Tensor forward(const torch::Tensor& input);

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr}, conv3_{nullptr};
  std::shared_ptr<BatchNorm> bn1_, bn2_, bn3_;
  std::shared_ptr<Projection> downsample_;  ///< none: the input itself is the shortcut
};

struct StageShape {
  std::int64_t in = 0, width = 0, blocks = 0, stride = 1;
};

/// Bottlenecks called "0", "1", …; the first one has the stride.
class Stage final : public torch::nn::Module {
 public:
  Stage(Variant variant, const StageShape& shape);
  torch::Tensor forward(torch::Tensor input);

 private:
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
};

class ResNet50 final : public torch::nn::Module {
 public:
  ResNet50(Variant variant, std::int64_t classes);

  /// (N, 3, H, W) → logits (N, classes); N may be 0.
  torch::Tensor forward(const torch::Tensor& input);

 private:
  torch::nn::Conv2d conv1_{nullptr};
  std::shared_ptr<BatchNorm> bn1_;
  std::vector<std::shared_ptr<Stage>> stages_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace scalestudy::resnet50
