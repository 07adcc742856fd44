/// What a replay is not asked to do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/shipped_runs.hpp"
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
}

std::string refusal_with(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), "settings.steps_per_epoch=4");
  return message_of([&] { return shipped_runs("replay", "replay-layers", overrides); });
}

TEST(ReplaySettings, WhatOnlyATrainingAppliesIsRefused) {
  EXPECT_EQ(refusal_with({}), "accepted");
  for (const auto* const setting :
       {"optimizer.weight_decay=0.1", "optimizer.beta1=0.5", "precision=bf16",
        "memory_format=contiguous", "evaluation_threads=2", "input.cache_shared=false",
        "gradients.accumulated=true"})
    EXPECT_THAT(refusal_with({cat("settings.", setting)}), HasSubstr("a workload that computes"));
  EXPECT_EQ(refusal_with(
                {"settings.buckets.bucket_cap_bytes=9000", "settings.checkpoint.every_epochs=0"}),
            "accepted");
}

TEST(ReplaySettings, CheckpointsAndTheirTimeNeedEachOther) {
  const std::string time = "settings.checkpoint_us=100",
                    often = "settings.checkpoint.every_epochs=2";
  EXPECT_THAT(refusal_with({often}), HasSubstr("writes no checkpoints"));
  EXPECT_THAT(refusal_with({time}), HasSubstr("acts only with settings.checkpoint"))
      << "the study has every_epochs 0";
  EXPECT_EQ(refusal_with({often, time}), "accepted");
}

TEST(ReplaySettings, SharesArePartsOfOne) {
  for (const auto* const setting : {"noise_frac=", "drift_frac=", "seed_spread_frac="}) {
    EXPECT_THAT(refusal_with({cat("settings.", setting, 5)}), HasSubstr("out of range"));
    EXPECT_EQ(refusal_with({cat("settings.", setting, 1), "settings.samples_to_quality=9"}),
              "accepted");
  }
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
