#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/workload_descriptor.hpp"

namespace scalestudy {

const WorkloadDescriptor& unet_descriptor();

namespace unet {
namespace {

RunSpec plain_run() {
  RunSpec spec;
  spec.workload = "unet";
  spec.workload_settings = "{}";
  return spec;
}

TEST(Refusal, SettingsOfVolumesHaveNoMeaning) {
  const auto reason = [](const DataSettings& data) {
    auto spec = plain_run();
    spec.data = data;
    return unet_descriptor().reason_to_skip(spec);
  };
  EXPECT_EQ(reason({}), "");
  const std::vector<std::pair<std::string, DataSettings>> cases{
      {"reference_path", {.reference_path = "clean.tif"}},
      {"added_noise_std", {.added_noise_std = 1}},
      {"channel", {.stack = {.channel = 1}}},
      {"time", {.stack = {.time = 1}}},
      {"frames_are_slices", {.stack = {.frames_are_slices = true}}}};
  for (const auto& [name, data] : cases)
    EXPECT_EQ(reason(data), "data." + name + " has no meaning for unet");
}

}  // namespace
}  // namespace unet
}  // namespace scalestudy
