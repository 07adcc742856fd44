/// What a replay is not asked to do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

RunSpec spec_with(const std::string& settings) {
  RunSpec spec;
  spec.workload = "replay";
  spec.ranks = 2;
  spec.workload_settings = settings;
  return spec;
}

std::string reason_against(const RunSpec& spec) {
  for (const auto* workload : workload_catalogue())
    if (workload->name == spec.workload) return workload->reason_to_skip(spec);
  return "no such workload";
}

TEST(ReplaySettings, WhatAReplayDoesNotDoIsRefused) {
  auto spec = spec_with("{}");
  spec.data.path = "/somewhere";
  EXPECT_THAT(reason_against(spec), HasSubstr("reads no data"));
  spec = spec_with("{}");
  spec.settings.checkpoint.every_steps = 5;
  EXPECT_THAT(reason_against(spec), HasSubstr("writes no checkpoints"));
  spec.workload_settings = R"({"checkpoint_us": 1})";
  EXPECT_EQ(reason_against(spec), "");
}

TEST(ReplaySettings, HalfOfWhatBelongsTogetherIsRefused) {
  EXPECT_THAT(reason_against(spec_with(R"({"burst_frac": 0.1})")), HasSubstr("give both"));
  EXPECT_THAT(reason_against(spec_with(R"({"burst_factor": 2})")), HasSubstr("give both"));
  EXPECT_EQ(reason_against(spec_with(R"({"burst_frac": 0.1, "burst_factor": 2})")), "");
  EXPECT_THAT(reason_against(spec_with(R"({"seed_spread_frac": 0.1})")),
              HasSubstr("samples_to_quality, which is 0"));
}

TEST(ReplaySettings, AForwardPassAsAWholeHasNoLayersToMeetIn) {
  auto spec = spec_with(R"({"layer_forward_us": [9]})");
  EXPECT_EQ(reason_against(spec), "");
  spec.settings.batch_norm = BatchNormPolicy::synchronised;
  EXPECT_THAT(reason_against(spec), HasSubstr("does not tell them apart"));
  EXPECT_THAT(reason_against(spec_with(R"({"layer_forward_us": [9, 9]})")),
              HasSubstr("give each layer all three"));
}

TEST(ReplaySettings, LayersThatNoMemoryHoldsAreRefused) {
  const auto times = R"([1, 1, 1, 1, 1])";
  const auto spec = spec_with(cat(
      R"({"layer_forward_us": )", times, R"(, "layer_backward_us": )", times,
      R"(, "layer_parameters": [1000000000, 1000000000, 1000000000, 1000000000, 1000000000]})"));
  EXPECT_THAT(reason_against(spec), HasSubstr("add up to more than"));
}

}  // namespace
}  // namespace scalestudy
