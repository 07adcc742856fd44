#include "workloads/unet/network_size.hpp"

#include <gtest/gtest.h>

namespace scalestudy::unet {
namespace {

RunSpec spec_of(const std::string& size) {
  RunSpec spec;
  spec.workload_settings = R"({"size": )" + size + "}";
  return spec;
}

TEST(NetworkSize, HasThePublishedParameterCount) {
  EXPECT_EQ(network_size(spec_of("[768, 1024]")).value().parameter_count, 487145);
}

TEST(NetworkSize, ActivationsGrowWithThePicture) {
  const auto small = network_size(spec_of("[64, 64]")).value();
  const auto large = network_size(spec_of("[128, 256]")).value();
  EXPECT_EQ(large.kept_elements, 8 * small.kept_elements);
  EXPECT_EQ(large.largest_elements, 16 * 128 * 256);
}

TEST(NetworkSize, OfPicturesAsTheyAreStoredOnlyTheDataTell) {
  EXPECT_FALSE(network_size(spec_of("[0, 0]")));
}

}  // namespace
}  // namespace scalestudy::unet
