#pragma once
/// The U-Net that n2v 0.3.3 builds for 3D (nets/unet.py): per level two [convolution 3³ with bias,
/// batch norm, ReLU]; max pooling 2³, nearest upsampling 2³, concatenation [upsampled, skip]; the
/// decoder always has `first_filters` filters at the first level up; head 1³, linear.

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>

#include "training/batch_norm.hpp"

namespace scalestudy::noise2void {

/// Convolution, batch norm (eps 1e-3, momentum 0.01 = Keras' 0.99), ReLU.
class ConvBlock final : public torch::nn::Module {
 public:
  ConvBlock(std::int64_t in, std::int64_t out);
  torch::Tensor forward(const torch::Tensor& input);  ///< (N, in, Z, Y, X) → (N, out, Z, Y, X)

  torch::nn::Conv3d conv{nullptr};
  std::shared_ptr<BatchNorm> norm;
};

class UNet final : public torch::nn::Module {
 public:
  UNet(std::int64_t depth, std::int64_t first_filters);

  /// (N, 1, Z, Y, X) → (N, 1, Z, Y, X); sides are multiples of 2^depth.
  torch::Tensor forward(const torch::Tensor& input);

  /// All blocks by stable names: "down0/0", "down0/1", …, "middle/0", "up1/0", …, "up0/1".
  [[nodiscard]] const std::vector<std::pair<std::string, std::shared_ptr<ConvBlock>>>& blocks()
      const {
    return blocks_;
  }

  torch::nn::Conv3d head{nullptr};

 private:
  torch::Tensor level(const std::string& name, torch::Tensor input);
  void add_level(const std::string& name, std::int64_t in, std::int64_t middle, std::int64_t out);

  std::int64_t depth_;
  std::vector<std::pair<std::string, std::shared_ptr<ConvBlock>>> blocks_;
};

}  // namespace scalestudy::noise2void
