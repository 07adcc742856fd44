#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/workload_descriptor.hpp"

namespace scalestudy {

const WorkloadDescriptor& unet_descriptor();

namespace unet {
namespace {

using testing::HasSubstr;

RunSpec plain_run() {
  RunSpec spec;
  spec.workload = "unet";
  spec.workload_settings = "{}";
  return spec;
}

TEST(Refusal, SettingsOfDenoisingHaveNoMeaning) {
  const auto& reason = unet_descriptor().reason_to_skip;
  EXPECT_EQ(reason(plain_run()), "");
  auto with_reference = plain_run();
  with_reference.data.reference_path = "clean.tif";
  EXPECT_THAT(reason(with_reference), HasSubstr("data.reference_path has no meaning for unet"));
  auto with_noise = plain_run();
  with_noise.data.added_noise_std = 1;
  EXPECT_THAT(reason(with_noise), HasSubstr("data.added_noise_std has no meaning for unet"));
}

}  // namespace
}  // namespace unet
}  // namespace scalestudy
