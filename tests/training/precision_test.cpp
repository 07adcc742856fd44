#include "training/precision.hpp"

#include <cmath>

#include <ATen/ops/conv2d.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/conv.h>

#include "core/error.hpp"

#include "training/optimizer.hpp"
#include "training/tensors/memory_format.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

const c10::Device cpu(c10::kCPU);

torch::Tensor convolution() {
  return at::conv2d(torch::ones({1, 2, 4, 4}), torch::ones({2, 2, 3, 3}));
}

TEST(Precision, Bf16CastsConvolutionsForAsLongAsItLives) {
  EXPECT_NO_THROW(put_precision_in_force(Precision::bf16, cpu));
  {
    const Autocast autocast(Precision::bf16, cpu);
    EXPECT_EQ(convolution().scalar_type(), torch::kBFloat16);
  }
  EXPECT_EQ(convolution().scalar_type(), torch::kFloat32);
  const Autocast autocast(Precision::fp32, cpu);
  EXPECT_EQ(convolution().scalar_type(), torch::kFloat32);
}

TEST(Precision, OneThatChangesNothingIsAnError) {
  EXPECT_NO_THROW(put_precision_in_force(Precision::fp32, cpu));
  EXPECT_THAT(message_of<Unavailable>([] { put_precision_in_force(Precision::tf32, cpu); }),
              testing::HasSubstr("Precision tf32 changes nothing on cpu"));
}

TEST(MemoryFormat, OneThatIsNotInForceIsAnError) {
  torch::nn::Conv2d layer(torch::nn::Conv2dOptions(4, 8, 3));
  EXPECT_NO_THROW(expect_memory_format(*layer, MemoryFormat::contiguous));
  EXPECT_THROW(expect_memory_format(*layer, MemoryFormat::channels_last), Unavailable);
  use_memory_format(*layer, c10::MemoryFormat::ChannelsLast);
  EXPECT_NO_THROW(expect_memory_format(*layer, MemoryFormat::channels_last));
  EXPECT_THROW(expect_memory_format(*layer, MemoryFormat::contiguous), Unavailable);
}

TEST(LossScaler, StaysOutOfTheWayUnlessFp16) {
  EXPECT_FALSE(LossScaler(Precision::fp32, cpu).is_active());
  EXPECT_FALSE(LossScaler(Precision::bf16, cpu).is_active());
  EXPECT_EQ(LossScaler(Precision::fp32, cpu).scale().item<double>(), 1);
}

TEST(LossScaler, HalvesOnOverflowAndDoublesAfter2000GoodSteps) {
  LossScaler scaler(Precision::fp16, cpu);
  EXPECT_EQ(scaler.scale().item<double>(), 65536);
  EXPECT_EQ(scaler.check(torch::tensor({1.0F, INFINITY})).item<double>(), 1);
  EXPECT_EQ(scaler.scale().item<double>(), 32768);
  EXPECT_EQ(scaler.check(torch::tensor({NAN, 1.0F})).item<double>(), 1);
  EXPECT_EQ(scaler.scale().item<double>(), 16384);
  for (int step = 0; step < 2000; ++step)
    EXPECT_EQ(scaler.check(torch::tensor({1.0F})).item<double>(), 0);
  EXPECT_EQ(scaler.scale().item<double>(), 32768);
}

TEST(LossScaler, AnOverflowSkipsTheUpdateOfEveryOptimiser) {
  for (const auto name : {OptimizerKind::adam, OptimizerKind::sgd, OptimizerKind::lars}) {
    OptimizerSettings settings;
    settings.name = name;
    settings.epsilon_rule = EpsilonRule::torch;
    auto values = torch::ones({4});
    const auto optimizer = make_optimizer(settings, {values, {values.numel()}, {2}});
    LossScaler scaler(Precision::fp16, cpu);
    const auto step = [&](const torch::Tensor& gradients) {
      const auto divisor = torch::full({1}, 2.0F) * scaler.scale();
      optimizer->step(0.1, gradients, divisor, scaler.check(gradients));
    };
    step(torch::full({4}, INFINITY));
    EXPECT_TRUE(values.eq(1).all().item<bool>()) << name;

    auto expected = torch::ones({4});
    const auto plain = make_optimizer(settings, {expected, {expected.numel()}, {2}});
    plain->step(0.1, torch::full({4}, 3.0F), torch::full({1}, 2.0F), {});
    step(torch::full({4}, 3.0F) * scaler.scale());
    EXPECT_TRUE(torch::allclose(values, expected)) << name;
  }
}

}  // namespace
}  // namespace scalestudy
