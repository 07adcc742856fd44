#include "study/network_size.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// 3 → 8 channels, kernel 3², 100 positions.
constexpr NetworkSize::Convolution convolution{3, 8, 9, 100, true};

TEST(NetworkSize, LayersKeepWhatTheBackwardPassNeeds) {
  NetworkSize plain, projection, block;
  plain.add_plain(convolution);
  EXPECT_EQ(plain.parameter_count, 3 * 8 * 9 + 8);
  EXPECT_EQ(plain.kept_elements, 0);
  EXPECT_EQ(plain.largest_elements, 800);
  projection.add_projection(convolution);
  EXPECT_EQ(projection.parameter_count, 3 * 8 * 9 + 8 + 16);
  EXPECT_EQ(projection.kept_elements, 800);
  block.add_block(convolution);
  EXPECT_EQ(block.parameter_count, projection.parameter_count);
  EXPECT_EQ(block.kept_elements, 1600);
  block.add_pooling(8, 25);
  EXPECT_EQ(block.kept_elements, 1800);
  EXPECT_EQ(block.kept_index_bytes, 8 * 25 * 8);
  block.add_activation(1700);
  EXPECT_EQ(block.kept_elements, 3500);
  EXPECT_EQ(block.largest_elements, 1700);
}

RunSpec spec_with(Precision precision, OptimizerKind optimizer, double momentum) {
  RunSpec spec;
  spec.settings.precision = precision;
  spec.settings.optimizer.name = optimizer;
  spec.settings.optimizer.momentum = momentum;
  spec.plan.local_batch_sizes = {3, 4};
  return spec;
}

TEST(DeviceMemory, IsThatOfTheLargestBatchWithWhatTheOptimiserCarries) {
  const NetworkSize network{10, 1000, 64, 200};
  const auto bytes = [&](Precision precision, OptimizerKind optimizer, double momentum) {
    return estimated_device_memory_bytes(spec_with(precision, optimizer, momentum), network);
  };
  const std::int64_t wide = 4 * (4 * 1600 + 64), narrow = 4 * (2 * 1600 + 64);
  EXPECT_EQ(bytes(Precision::fp32, OptimizerKind::adam, 0), 10 * 4 * 5 + wide);
  EXPECT_EQ(bytes(Precision::tf32, OptimizerKind::sgd, 0.9), 10 * 4 * 4 + wide);
  EXPECT_EQ(bytes(Precision::fp32, OptimizerKind::sgd, 0), 10 * 4 * 4 + wide);
  EXPECT_EQ(bytes(Precision::fp32, OptimizerKind::lars, 0.9), 10 * 4 * 5 + wide);
  EXPECT_EQ(bytes(Precision::bf16, OptimizerKind::adam, 0), 10 * (4 * 5 + 2) + narrow);
}

TEST(DeviceMemory, OfAnAbsurdBatchIsLargeAndNoMore) {
  auto spec = spec_with(Precision::fp32, OptimizerKind::adam, 0);
  spec.plan.local_batch_sizes = {1'000'000'000};
  EXPECT_GT(estimated_device_memory_bytes(spec, {10, 100'000'000'000, 0, 0}),
            8'000'000'000'000'000'000);
}

}  // namespace
}  // namespace scalestudy
