#include "training/tensors/pointwise.hpp"

#include <tuple>

#include <ATen/native/ConvUtils.h>
#include <ATen/ops/allclose.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include "training/device.hpp"

namespace scalestudy {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;

at::native::ConvBackend backend_of(const Conv2d& convolution, const torch::Tensor& input) {
  const auto& options = convolution->options;
  const std::vector<c10::SymInt> dilation{(*options.dilation())[0], (*options.dilation())[1]};
  const std::vector<c10::SymInt> stride{1, 1}, none{0, 0};
  return at::native::select_conv_backend(input, convolution->weight, convolution->bias, stride,
                                         none, dilation, false, none, 1, {});
}

/// What LibTorch decides by is the number of threads of the whole process.
class Pointwise : public testing::Test {
 protected:
  const ThreadCount one_thread_{1};
  Conv2d pointwise_{Conv2dOptions(8, 4, 1)}, wide_{Conv2dOptions(8, 4, 3)};
};

TEST_F(Pointwise, OneThreadWithFewSamplesComputesInOneDnn) {
  const auto few = torch::randn({15, 8, 6, 6}), many = torch::randn({16, 8, 6, 6});
  EXPECT_EQ(backend_of(pointwise_, few), at::native::ConvBackend::Slow2d);
  EXPECT_EQ(backend_of(pointwise_, many), at::native::ConvBackend::Mkldnn);
  compute_pointwise_in_onednn(*torch::nn::Sequential(pointwise_));
  EXPECT_EQ(backend_of(pointwise_, few), at::native::ConvBackend::Mkldnn);
}

TEST_F(Pointwise, TheResultAndItsGradientsStay) {
  const auto input = torch::randn({3, 8, 6, 6});
  const auto pass = [&] {
    pointwise_->zero_grad();
    const auto output = pointwise_->forward(input);
    output.square().sum().backward();
    return std::tuple(output.detach(), pointwise_->weight.grad().clone());
  };
  const auto [output, gradient] = pass();
  compute_pointwise_in_onednn(*pointwise_);
  const auto [same_output, same_gradient] = pass();
  EXPECT_TRUE(at::allclose(output, same_output, 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(gradient, same_gradient, 1e-4, 1e-4));
}

TEST_F(Pointwise, LargerKernelsAreLeftAlone) {
  const torch::nn::Conv3d flat(torch::nn::Conv3dOptions(2, 2, {1, 3, 3}));
  torch::nn::Sequential model(wide_, flat);
  compute_pointwise_in_onednn(*model);
  EXPECT_EQ((*wide_->options.dilation())[0], 1);
  EXPECT_EQ((*flat->options.dilation())[0], 1);
}

TEST(PointwiseChoice, IsLibTorchsForOneThreadWithFewerThan16Samples) {
  RunSpec spec;
  spec.plan.local_batch_sizes = {16, 15};
  spec.settings.threads_per_rank = 1;
  EXPECT_TRUE(leaves_pointwise_to_libtorch(spec));
  spec.settings.threads_per_rank = 2;
  EXPECT_FALSE(leaves_pointwise_to_libtorch(spec));
  spec.settings.threads_per_rank = 1;
  spec.settings.precision = Precision::bf16;
  EXPECT_FALSE(leaves_pointwise_to_libtorch(spec));
  spec.settings.precision = Precision::fp32;
  spec.plan.local_batch_sizes = {16, 16};
  EXPECT_FALSE(leaves_pointwise_to_libtorch(spec));
}

}  // namespace
}  // namespace scalestudy
