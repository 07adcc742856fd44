#include "workloads/noise2void/network_size.hpp"

#include <gtest/gtest.h>

namespace scalestudy::noise2void {
namespace {

NetworkSize size_with(const std::string& settings) {
  RunSpec spec;
  spec.workload_settings = settings;
  return network_size(spec).value();
}

TEST(NetworkSize, HasThePublishedParameterCount) {
  EXPECT_EQ(size_with("{}").parameter_count, 859521);
}

TEST(NetworkSize, ActivationsGrowWithThePatch) {
  const auto small = size_with(R"({"patch": [8, 32, 32]})");
  const auto large = size_with(R"({"patch": [16, 64, 64]})");
  EXPECT_EQ(large.parameter_count, small.parameter_count);
  EXPECT_EQ(large.kept_elements, 8 * small.kept_elements);
  EXPECT_EQ(large.kept_index_bytes, 8 * small.kept_index_bytes);
  EXPECT_EQ(large.largest_elements, 64 * 16 * 64 * 64);  // what the last level reads
}

}  // namespace
}  // namespace scalestudy::noise2void
