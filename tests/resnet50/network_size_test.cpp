#include "workloads/resnet50/network_size.hpp"

#include <gtest/gtest.h>

namespace scalestudy::resnet50 {
namespace {

NetworkSize size_with(const std::string& settings) {
  RunSpec spec;
  spec.workload_settings = settings;
  return network_size(spec).value();
}

TEST(NetworkSize, HasThePublishedParameterCounts) {
  EXPECT_EQ(size_with(R"({"variant": "v1.5", "classes": 1000})").parameter_count, 25557032);
  EXPECT_EQ(size_with(R"({"variant": "v1", "classes": 1000})").parameter_count, 25583592);
}

/// Where the first convolution of a stage strides, that one's output is a quarter.
TEST(NetworkSize, TheVariantsStrideInDifferentPlaces) {
  EXPECT_LT(size_with(R"({"variant": "v1"})").kept_elements,
            size_with(R"({"variant": "v1.5"})").kept_elements);
}

TEST(NetworkSize, ActivationsGrowWithThePicture) {
  const auto small = size_with(R"({"size": [64, 64]})");
  const auto large = size_with(R"({"size": [128, 128]})");
  EXPECT_EQ(large.kept_elements, 4 * small.kept_elements);
  EXPECT_EQ(large.largest_elements, 4 * small.largest_elements);
}

}  // namespace
}  // namespace scalestudy::resnet50
