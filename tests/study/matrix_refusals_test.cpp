/// Settings that no run would apply, or keep.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "study/reduction_reach.hpp"
#include "study/study_matrix.hpp"

#include "tests/study/toy_workload.hpp"

namespace scalestudy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

StudyMatrix matrix_for(const std::vector<std::string>& overrides,
                       const UsableMachine& machine = 2) {
  return expand(StudyFile(small_study()).read(overrides), {}, machine, toy_workloads(),
                toy_launchers());
}

std::string refusal_with(const std::vector<std::string>& overrides) {
  return message_of([&] { return matrix_for(overrides); });
}

constexpr auto step = "settings.schedule.name=step", constant = "settings.schedule.name=constant",
               milestones = "settings.schedule.milestones_epochs=[3]",
               flat = R"(axes.reduction=["flat_after_backward"])",
               flat_too = R"(axes.reduction=["bucketed_overlap", "flat_after_backward"])",
               sgd = "settings.optimizer.name=sgd", device_input = R"(axes.input=["device"])",
               workers = "settings.input.worker_threads=1";

/// A setting, what of the study leaves it without effect, and what lets it act.
struct Reach {
  std::string setting, value;
  std::vector<std::string> without, with;
};

TEST(MatrixRefusals, ASettingThatActsInNoRunIsRefused) {
  const std::vector<Reach> reaches{
      {"optimizer.momentum", "0.9", {}, {sgd}},
      {"optimizer.beta1", "0.5", {sgd}, {}},
      {"optimizer.beta2", "0.5", {sgd}, {}},
      {"optimizer.epsilon", "1e-7", {sgd}, {}},
      {"optimizer.epsilon_rule", "torch", {"settings.optimizer.name=lars"}, {}},
      {"optimizer.trust_coefficient", "0.1", {sgd}, {"settings.optimizer.name=lars"}},
      {"schedule.milestones_epochs", "[10, 15]", {}, {step}},
      {"schedule.unscaled_epochs", "5", {constant}, {step}},
      {"schedule.factor", "0.3", {step}, {step, milestones}},
      {"schedule.patience_rule", "samples", {constant}, {}},
      {"schedule.patience_epochs", "3", {step}, {}},
      {"schedule.min_delta", "0.1", {constant}, {}},
      {"schedule.cooldown_epochs", "5", {constant}, {}},
      {"schedule.minimum_learning_rate", "1e-5", {constant}, {}},
      {"buckets.bucket_cap_bytes", "4000", {flat}, {flat_too}},
      {"packs.count", "7", {flat_too}, {R"(axes.reduction=["tower", "packs"])"}},
      {"fusion.cycle_time_s", "0.5", {}, {R"(axes.reduction=["fusion"])"}},
      {"fusion.threshold_bytes", "7", {}, {R"(axes.reduction=["fusion"])"}},
      {"hierarchical.ranks_per_host", "2", {}, {R"(axes.reduction=["tower", "hierarchical"])"}},
      {"gradients.updated_early", "false", {flat}, {flat_too}},
      {"gradients.in_shared_memory", "false", {R"(axes.reduction=["tower"])"}, {flat_too}},
      {"input.prefetch_batches", "8", {}, {workers}},
      {"input.prefetch_batches", "8", {workers, device_input}, {R"(axes.input=["serial"])"}},
      {"huge_pages", "true", {"settings.allocator=system"}, {}},
      {"onednn_pointwise",
       "false",
       {R"(axes.precision=["bf16"])"},
       {R"(axes.precision=["bf16", "fp32"])"}},
      {"cudnn", "deterministic", {}, {"settings.device=cuda"}}};
  for (const auto& [setting, value, without, with] : reaches) {
    const auto given = cat("settings.", setting, "=", value);
    auto overrides = without;
    EXPECT_EQ(refusal_with(overrides), "accepted") << setting << " as it is by default";
    overrides.push_back(given);
    EXPECT_THAT(refusal_with(overrides),
                HasSubstr(cat("settings.", setting, " is given, and acts only with ")));
    overrides.push_back(cat("settings.", setting, "=null"));
    EXPECT_EQ(refusal_with(overrides), "accepted") << setting << " taken out again";
    overrides = with;
    overrides.push_back(given);
    EXPECT_EQ(refusal_with(overrides), "accepted") << given;
  }
}

/// The rate at four ranks is four times that of one.
TEST(MatrixRefusals, AFloorIsBelowTheRateOfSomeRun) {
  const std::string floor = "settings.schedule.minimum_learning_rate=";
  EXPECT_EQ(refusal_with({floor + "0.0015"}), "accepted");
  EXPECT_THAT(refusal_with({floor + "0.0016"}), HasSubstr("and a learning rate above it"));
  EXPECT_THAT(refusal_with({floor + "0.0005", R"(axes.scaling_rule=["strong"])"}),
              HasSubstr("and a learning rate above it"));
}

TEST(MatrixRefusals, ARunLeftOutForAnotherReasonStillHasItsSettings) {
  EXPECT_EQ(refusal_with({R"(axes.reduction=["bucketed_overlap", "pytorch_ddp", "packs"])",
                          "settings.packs.count=3", "settings.gradients.accumulated=true"}),
            "accepted");
  EXPECT_EQ(refusal_with(
                {R"(axes.reduction=["pytorch_ddp"])", "settings.packs.count=3", "control_arms=[]"}),
            "accepted")
      << "the plan of no run says why";
}

TEST(MatrixRefusals, WhatNoRunFileCanKeepIsLeftOut) {
  const auto matrix =
      matrix_for({"axes.ranks=[1, 200000]", "settings.epochs=200000", "control_arms=[]"});
  EXPECT_EQ(matrix.runs.size(), 2U);
  ASSERT_EQ(matrix.skipped.size(), 1U);
  EXPECT_THAT(matrix.skipped.front().reason, HasSubstr("and a run file keeps"));
}

TEST(MatrixRefusals, MoreRanksThanGpusAreLeftOutWhereTheirNumberIsKnown) {
  const auto ranks_on = [](std::int64_t gpus) {
    std::set<std::int64_t> ranks;
    for (const auto& run : matrix_for({"settings.device=cuda", "control_arms=[]"}, {2, gpus}).runs)
      ranks.insert(run.ranks);
    return ranks;
  };
  EXPECT_THAT(ranks_on(2), ElementsAre(1, 2));
  EXPECT_THAT(ranks_on(8), ElementsAre(1, 2, 4));
  EXPECT_THAT(ranks_on(0), ElementsAre(1, 2, 4)) << "planned for another machine";
}

TEST(MatrixRefusals, BetweenGpusWhatOnlyProcessorsDoIsLeftOut) {
  const auto skipped = [](std::vector<std::string> overrides) {
    overrides.insert(overrides.end(),
                     {"settings.device=cuda", "axes.ranks=[2]", "control_arms=[]"});
    std::string reasons;
    for (const auto& run : matrix_for(overrides).skipped) reasons += run.reason + "; ";
    return reasons;
  };
  EXPECT_EQ(skipped({}), "");
  EXPECT_EQ(skipped({R"(axes.reduction=["hierarchical"])", "settings.compression=fp16"}), "");
  EXPECT_THAT(skipped({"settings.link.algorithm=ring", "settings.link.bandwidth_bytes_per_s=1e9"}),
              HasSubstr("not between GPUs"));
}

TEST(MatrixRefusals, AGraphHasNoPlaceForCollectivesOfTheBackwardPass) {
  RunSpec spec;
  spec.settings.device = Device::cuda;
  spec.reduction = Reduction::pytorch_ddp;
  EXPECT_EQ(unusable_reduction(spec), "");
  spec.settings.cuda_graph = true;
  EXPECT_THAT(unusable_reduction(spec), HasSubstr("records the backward pass"));
}

TEST(MatrixRefusals, OverflowIsSeenByAllRanksOrNotAllowed) {
  RunSpec spec;
  spec.settings.device = Device::cuda;
  spec.settings.precision = Precision::fp16;
  for (const auto& row : choices<Reduction>) {
    spec.reduction = row.value;
    spec.ranks = 2;
    const bool is_everywhere = properties_of(row.value).updating == Updating::everywhere;
    EXPECT_EQ(unusable_reduction(spec).find("overflow") == std::string::npos, is_everywhere)
        << row.name;
    spec.ranks = 1;
    EXPECT_EQ(unusable_reduction(spec).find("overflow"), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace scalestudy
