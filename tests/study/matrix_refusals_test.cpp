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

TEST(MatrixRefusals, SettingsOfAStrategyNeedIt) {
  const auto refusal = [](const std::string& setting, const std::string& reductions) {
    return message_of([&] { return matrix_for({setting, "axes.reduction=[" + reductions + "]"}); });
  };
  const std::vector<std::pair<std::string, std::string>> settings{
      {"settings.packs.count=7", "packs"},
      {"settings.fusion.cycle_time_s=0.5", "fusion"},
      {"settings.fusion.threshold_bytes=7", "fusion"},
      {"settings.hierarchical.ranks_per_host=2", "hierarchical"}};
  for (const auto& [setting, strategy] : settings) {
    EXPECT_THAT(refusal(setting, R"("bucketed_overlap", "tower")"),
                HasSubstr(cat("settings.", strategy, " is given, but no reduction of the study is ",
                              strategy)));
    EXPECT_EQ(refusal(setting, cat("\"bucketed_overlap\", \"", strategy, "\"")), "accepted");
  }
  EXPECT_EQ(refusal("settings.packs.count=1", "\"bucketed_overlap\""), "accepted") << "the default";
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

}  // namespace
}  // namespace scalestudy
