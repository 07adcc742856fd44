#pragma once
/// The U-Net of the RWTH scaling study (models.py of both repositories): 8, 16, 32, 64 filters
/// down, 128 at the bottom; per level two [convolution 3², batch norm, ReLU]; max pooling 2²,
/// transposed convolution 2² of stride 2, concatenation [upsampled, skip]; head 1², logits.

#include <array>
#include <memory>
#include <string>

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>

#include "training/batch_norm.hpp"

#include "workloads/unet/settings.hpp"

namespace scalestudy::unet {

/// Convolution 3² with bias, batch norm, ReLU.
class ConvBlock final : public torch::nn::Module {
 public:
  ConvBlock(std::int64_t in, std::int64_t out, const Settings& settings);
  torch::Tensor forward(const torch::Tensor& input);  ///< (N, in, Y, X) → (N, out, Y, X)

 private:
  torch::nn::Conv2d conv_{nullptr};
  std::shared_ptr<BatchNorm> norm_;
};

class DoubleBlock final : public torch::nn::Module {
 public:
  DoubleBlock(std::int64_t in, std::int64_t out, const Settings& settings);
  torch::Tensor forward(const torch::Tensor& input);

 private:
  std::shared_ptr<ConvBlock> first_, second_;
};

/// Modules: down0 … down3, bottom, and for each level upsample<level> and up<level>; head.
class UNet final : public torch::nn::Module {
 public:
  explicit UNet(const Settings& settings);

  /// (N, 1, Y, X) → (N, 1, Y, X) logits; sides are multiples of 16; N may be 0.
  torch::Tensor forward(const torch::Tensor& input);

 private:
  std::array<std::shared_ptr<DoubleBlock>, depth> down_, up_;
  std::array<torch::nn::ConvTranspose2d, depth> upsample_{nullptr, nullptr, nullptr, nullptr};
  std::shared_ptr<DoubleBlock> bottom_;
  torch::nn::Conv2d head_{nullptr};
};

}  // namespace scalestudy::unet
