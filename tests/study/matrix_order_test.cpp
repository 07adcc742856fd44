#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "study/study_matrix.hpp"

#include "tests/study/toy_workload.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

StudyMatrix matrix_of(const std::vector<std::string>& overrides,
                      const Environment& environment = {},
                      std::int64_t cores = 64) {
  return expand(StudyFile(small_study()).read(overrides), environment, cores, toy_workloads(),
                toy_launchers());
}

/// As lists have them.
std::vector<RunSpec> listed(const StudyMatrix& matrix) {
  auto runs = matrix.runs;
  std::sort(runs.begin(), runs.end(), stands_before);
  return runs;
}

template <class Describe>
std::vector<std::string> described(const std::vector<RunSpec>& runs, const Describe& describe) {
  std::vector<std::string> texts;
  for (const auto& run : runs) texts.push_back(describe(run));
  return texts;
}

std::vector<std::string> ids_of(const StudyMatrix& matrix) {
  return described(matrix.runs, [](const RunSpec& run) { return run.run_id(); });
}

TEST(MatrixBlocks, EachHasOneRepeatOfAllInAnOrderThatIsSaid) {
  const auto matrix = matrix_of({"repeats=4"});
  constexpr std::size_t block_size = 6;
  ASSERT_EQ(matrix.runs.size(), 4 * block_size);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < matrix.runs.size(); ++i) {
    EXPECT_EQ(matrix.runs[i].repeat, static_cast<std::int64_t>(i / block_size));
    EXPECT_EQ(matrix.runs[i].block_position, static_cast<std::int64_t>(i % block_size));
    ids.insert(matrix.runs[i].run_id());
  }
  EXPECT_EQ(ids.size(), matrix.runs.size()) << "none twice";
}

TEST(MatrixBlocks, TheSeedDecidesTheOrder) {
  const auto order = ids_of(matrix_of({"repeats=3"}));
  EXPECT_EQ(ids_of(matrix_of({"repeats=3"})), order);
  auto other = matrix_of({"repeats=3", "settings.seed=2"});
  for (auto& run : other.runs) run.settings.seed = 1;
  EXPECT_NE(ids_of(other), order);
}

TEST(MatrixBlocks, NoRunIsAlwaysFirst) {
  constexpr int blocks = 600;
  std::map<std::string, double> first;
  for (const auto& run : matrix_of({cat("repeats=", blocks)}).runs)
    if (run.block_position == 0) first[cat(run.ranks, to_string(run.control_arm))] += 1;
  EXPECT_EQ(first.size(), 6U);
  for (const auto& [run, times] : first) EXPECT_NEAR(times, blocks / 6.0, 50) << run;
}

TEST(MatrixBlocks, AreNotInOneOrder) {
  std::map<std::int64_t, std::string> order_of;  // by repeat
  for (const auto& run : matrix_of({"repeats=9"}).runs)
    order_of[run.repeat] += cat(run.ranks, to_string(run.control_arm), " ");
  std::set<std::string> orders;
  for (const auto& [repeat, order] : order_of) orders.insert(order);
  EXPECT_GT(orders.size(), 6U);
}

TEST(MatrixOrder, InListsRanksVaryFastestAndTheFirstAxisSlowest) {
  const auto matrix = matrix_of({"repeats=1", "control_arms=[]", "axes.ranks=[2, 1]",
                                 R"(axes.scaling_rule=["strong", "batch_only"])",
                                 R"(axes.input=["serial", "sharded"])"});
  EXPECT_THAT(described(listed(matrix),
                        [](const RunSpec& run) {
                          return cat(run.scaling_rule, " ", run.input, " ", run.ranks);
                        }),
              ElementsAre("batch_only sharded 1", "batch_only sharded 2", "batch_only serial 1",
                          "batch_only serial 2", "strong sharded 1", "strong sharded 2",
                          "strong serial 1", "strong serial 2"));
}

TEST(MatrixOrder, RepeatsDifferInNothingButTheirNumber) {
  const auto matrix = matrix_of({"repeats=3", "control_arms=[]"});
  const auto runs = listed(matrix);
  ASSERT_EQ(runs.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) {
    auto run = runs[i];
    EXPECT_EQ(run.repeat, static_cast<std::int64_t>(i % 3));
    run.repeat = 0;
    EXPECT_EQ(run.content_hash(), runs[i - i % 3].content_hash());
  }
}

TEST(MatrixOrder, AllAxesTogetherAreTheirProduct) {
  const auto matrix = matrix_of(
      {"repeats=2", "control_arms=[]", "axes.ranks=[1, 2]",
       R"(axes.scaling_rule=["strong", "batch_only", "linear_fixed_epochs"])",
       R"(axes.reduction=["bucketed_overlap", "flat_after_backward"])",
       R"(axes.input=["sharded", "serial"])", R"(axes.precision=["fp32", "bf16"])",
       R"(axes.memory_format=["contiguous", "channels_last"])", "axes.threads_per_rank=[1, 3]"});
  EXPECT_TRUE(matrix.skipped.empty());
  std::set<std::string> ids;
  for (const auto& run : matrix.runs) ids.insert(run.run_id());
  EXPECT_EQ(ids.size(), 2U * 2 * 3 * 2 * 2 * 2 * 2 * 2);
}

TEST(MatrixOrder, AnEmptyAxisKeepsTheStudysSetting) {
  for (const auto& run : matrix_of({"settings.precision=bf16", "axes.precision=[]"}).runs)
    EXPECT_EQ(run.settings.precision, Precision::bf16);
  for (const auto& run : matrix_of({"settings.precision=bf16", R"(axes.precision=["fp32"])"}).runs)
    EXPECT_EQ(run.settings.precision, Precision::fp32) << "the axis stands in its place";
}

TEST(MatrixOrder, ThreadsPerRankAreAnAxis) {
  const auto matrix = matrix_of({"repeats=1", "control_arms=[]", "axes.ranks=[1, 2]",
                                 "settings.threads_per_rank=7", "axes.threads_per_rank=[2, 1]"},
                                {}, 4);
  EXPECT_THAT(
      described(listed(matrix),
                [](const RunSpec& run) {
                  const auto& settings = run.settings;
                  return cat(settings.threads_per_rank, " × ", run.ranks, " evaluate ",
                             settings.evaluation_threads, run.oversubscribed ? "*" : "");
                }),
      ElementsAre("1 × 1 evaluate 1", "1 × 2 evaluate 1", "2 × 1 evaluate 2", "2 × 2 evaluate 2"));
}

TEST(MatrixArms, InListsArmsComeAfterTheStudyProper) {
  const auto matrix = matrix_of({"repeats=2", "axes.ranks=[1, 2]",
                                 R"(control_arms=["no_distributed_path", "no_communication"])"});
  EXPECT_THAT(
      described(listed(matrix),
                [](const RunSpec& run) {
                  return cat(run.repeat, " ", run.ranks, " ", to_string(run.control_arm));
                }),
      ElementsAre("0 1 ", "1 1 ", "0 2 ", "1 2 ", "0 2 no_communication", "1 2 no_communication",
                  "0 1 no_distributed_path", "1 1 no_distributed_path"));
}

TEST(MatrixArms, ReductionsShareTheirArmInputsDoNot) {
  const auto shared = matrix_of({"repeats=1", "axes.ranks=[2]",
                                 R"(axes.reduction=["bucketed_overlap", "flat_after_backward"])",
                                 R"(control_arms=["no_communication"])"});
  EXPECT_EQ(shared.runs.size(), 2U + 1);
  const auto own = matrix_of({"repeats=1", "axes.ranks=[2]", R"(axes.input=["sharded", "serial"])",
                              R"(control_arms=["no_communication"])"});
  EXPECT_EQ(own.runs.size(), 2U + 2);
}

// What an arm leaves out at N ranks is compared with what the same costs at one.
TEST(MatrixArms, EveryArmHasItsPartnerAtOneRank) {
  for (const auto& arm : choices<ControlArm>) {
    const auto matrix = matrix_of({"repeats=2", R"(axes.input=["sharded", "serial"])",
                                   cat(R"(control_arms=[")", arm.name, R"("])")});
    for (const auto& run : matrix.runs) {
      if (!run.control_arm) continue;
      const auto is_partner = [&](const RunSpec& other) {
        return other.ranks == 1 && other.repeat == run.repeat && other.input == run.input &&
               other.control_arm == partner_at_one_rank(*run.control_arm);
      };
      EXPECT_EQ(std::count_if(matrix.runs.begin(), matrix.runs.end(), is_partner), 1)
          << run.run_id();
    }
  }
}

TEST(MatrixArms, AllTogetherShareAPartner) {
  const auto matrix = matrix_of(
      {"repeats=1", R"(control_arms=["synthetic_input", "no_communication", "barrier_only",
                       "synthetic_input_no_communication"])"});
  EXPECT_TRUE(matrix.skipped.empty());
  EXPECT_THAT(
      described(listed(matrix),
                [](const RunSpec& run) {
                  return cat(to_string(run.control_arm), " ", run.ranks, " ", run.reduction, " ",
                             run.input);
                }),
      ElementsAre(" 1 bucketed_overlap sharded", " 2 bucketed_overlap sharded",
                  " 4 bucketed_overlap sharded", "barrier_only 2 barrier_only sharded",
                  "barrier_only 4 barrier_only sharded", "no_communication 2 none sharded",
                  "no_communication 4 none sharded", "synthetic_input 1 bucketed_overlap synthetic",
                  "synthetic_input 2 bucketed_overlap synthetic",
                  "synthetic_input 4 bucketed_overlap synthetic",
                  "synthetic_input_no_communication 1 none synthetic",
                  "synthetic_input_no_communication 2 none synthetic",
                  "synthetic_input_no_communication 4 none synthetic",
                  "no_distributed_path 1 none sharded"));
}

TEST(MatrixArms, WhatLeavesAllGradientsAloneIsForArmsOnly) {
  const auto matrix = matrix_of({"control_arms=[]", R"(axes.reduction=["barrier_only"])"});
  EXPECT_TRUE(matrix.runs.empty());
  EXPECT_THAT(matrix.skipped.at(0).reason, HasSubstr("use control arm barrier_only"));
}

TEST(MatrixArms, AnArmTrainsByTheSamePlanAsWhatItIsComparedWith) {
  const auto matrix = matrix_of(
      {"repeats=1", "axes.ranks=[4]", R"(control_arms=["no_communication", "synthetic_input"])"});
  ASSERT_EQ(matrix.runs.size(), 3U);
  for (const auto& run : matrix.runs) {
    EXPECT_EQ(run.plan.steps_per_epoch, matrix.runs[0].plan.steps_per_epoch);
    EXPECT_EQ(run.plan.global_batch_size, matrix.runs[0].plan.global_batch_size);
    EXPECT_EQ(run.repeat_seed(), matrix.runs[0].repeat_seed());
  }
  const auto synthetic = listed(matrix)[2];
  EXPECT_EQ(synthetic.reduction, Reduction::bucketed_overlap);
  EXPECT_EQ(synthetic.input, InputKind::synthetic);
}

TEST(MatrixArms, AnArmWithoutItsRankCountsIsNamed) {
  const auto many = matrix_of({"axes.ranks=[1]", R"(control_arms=["no_communication"])"});
  ASSERT_EQ(many.skipped.size(), 1U);
  EXPECT_EQ(many.skipped[0].combination, "control_arm=no_communication");
  EXPECT_THAT(many.skipped[0].reason, HasSubstr("N > 1, of which axes.ranks lists none"));
  const auto one = matrix_of({"axes.ranks=[2]", R"(control_arms=["no_distributed_path"])"});
  ASSERT_EQ(one.skipped.size(), 1U);
  EXPECT_EQ(one.skipped[0].combination, "control_arm=no_distributed_path");
}

TEST(MatrixSkips, ACombinationIsSkippedOnceWhateverTheRepeats) {
  const auto matrix = matrix_of({"repeats=5", "axes.ranks=[1, 13]", "control_arms=[]"});
  ASSERT_EQ(matrix.skipped.size(), 1U);
  EXPECT_EQ(matrix.skipped[0].combination,
            "ranks=13, scaling_rule=linear_fixed_samples, reduction=bucketed_overlap, "
            "input=sharded, precision=fp32, memory_format=channels_last, threads_per_rank=1");
  EXPECT_EQ(matrix.runs.size(), 5U);
}

TEST(MatrixSkips, ASkippedArmNamesItself) {
  const auto matrix = matrix_of({"axes.ranks=[13]", R"(control_arms=["no_communication"])"});
  ASSERT_EQ(matrix.skipped.size(), 2U);
  EXPECT_THAT(matrix.skipped[1].combination,
              AllOf(HasSubstr("reduction=none"), HasSubstr("control_arm=no_communication")));
}

TEST(MatrixSkips, OnlyTheOffendingValueOfAnAxisIsLeftOut) {
  const auto matrix = matrix_of({"repeats=1", "control_arms=[]", "axes.ranks=[1, 2]",
                                 R"(axes.precision=["fp32", "tf32"])",
                                 R"(axes.reduction=["bucketed_overlap", "none"])"});
  std::vector<std::string> reasons;
  for (const auto& skipped : matrix.skipped) reasons.push_back(skipped.reason);
  EXPECT_THAT(reasons, ElementsAre(StartsWith("precision tf32"), StartsWith("precision tf32"),
                                   StartsWith("reduction none"), StartsWith("precision tf32"),
                                   StartsWith("reduction none")));
  EXPECT_EQ(matrix.runs.size(), 3U);
}

TEST(MatrixSkips, PrecisionsOfAGpuRunThere) {
  Environment gpu;
  gpu.device = Device::cuda;
  const auto matrix = matrix_of({"repeats=1", "control_arms=[]", "axes.ranks=[1]",
                                 R"(axes.precision=["fp32", "tf32", "bf16", "fp16"])"},
                                gpu);
  EXPECT_EQ(matrix.runs.size(), 4U);
  EXPECT_TRUE(matrix.skipped.empty());
}

TEST(MatrixMachine, CoresDecideExactlyAtTheirNumber) {
  const auto flags = [](std::int64_t cores) {
    const auto matrix =
        matrix_of({"repeats=1", "control_arms=[]", "settings.threads_per_rank=2"}, {}, cores);
    return described(listed(matrix),
                     [](const RunSpec& run) { return run.oversubscribed ? "*" : "."; });
  };
  EXPECT_THAT(flags(8), ElementsAre(".", ".", "."));
  EXPECT_THAT(flags(7), ElementsAre(".", ".", "*"));
  EXPECT_THAT(flags(1), ElementsAre("*", "*", "*"));
}

TEST(MatrixMachine, ThreadsThatCommunicateOrLoadNeedCoresToo) {
  const auto flags = [](std::int64_t cores, const std::vector<std::string>& more = {}) {
    std::vector<std::string> overrides{"repeats=1", "control_arms=[]"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    std::string text;
    for (const auto& run : listed(matrix_of(overrides, {}, cores)))
      text += run.oversubscribed ? '*' : run.no_spare_core ? '+' : '.';
    return text;
  };
  // 1, 2 and 4 ranks: above one, each has a thread that communicates.
  EXPECT_EQ(flags(8), "...");
  EXPECT_EQ(flags(7), "..+");
  EXPECT_EQ(flags(4), "..+");
  EXPECT_EQ(flags(3), ".+*");
  EXPECT_EQ(flags(8, {R"(axes.reduction=["flat_after_backward"])"}), "...");
  EXPECT_EQ(flags(4, {R"(axes.reduction=["flat_after_backward"])"}), "...");
  EXPECT_EQ(flags(4, {R"(axes.reduction=["packs"])"}), "...");
  EXPECT_EQ(flags(4, {R"(axes.reduction=["fusion"])"}), "..+");
  EXPECT_EQ(flags(11, {"settings.input.worker_threads=1"}), "..+");
  EXPECT_EQ(flags(12, {"settings.input.worker_threads=1"}), "...");
  EXPECT_EQ(flags(1, {"settings.input.worker_threads=1"}), "+**");
  EXPECT_EQ(flags(11, {R"(axes.input=["serial"])"}), "..+");
  EXPECT_EQ(flags(12, {R"(axes.input=["serial"])", "settings.input.worker_threads=8"}), "...");
  EXPECT_EQ(flags(8, {R"(axes.input=["device"])", "settings.input.worker_threads=8"}), "...");
}

TEST(MatrixMachine, GivenEvaluationThreadsAreKept) {
  for (const auto& run :
       matrix_of({"settings.evaluation_threads=5", "settings.threads_per_rank=2"}).runs)
    EXPECT_EQ(run.settings.evaluation_threads, 5);
}

TEST(MatrixMachine, AnUnknownLauncherNamesTheEnvironment) {
  Environment environment;
  environment.name = "cluster";
  environment.launcher = "mpirum";
  const auto message = message_of([&] { return matrix_of({}, environment); });
  EXPECT_THAT(message, StartsWith("environment cluster: launcher: unknown name 'mpirum'"));
  EXPECT_THAT(message, HasSubstr("'mpirun' is meant"));
}

TEST(TwinMatrix, PairsOneRankAndTheMostEachWithItself) {
  const auto twins = twin_matrix(matrix_of({"axes.ranks=[1,2,4]", "repeats=2"}), 6);
  ASSERT_EQ(twins.runs.size(), 24U);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<RunSpec>> pairs;
  std::set<std::string> ids, orders;
  std::string order;
  for (const auto& run : twins.runs) {
    if (run.block_position == 0) orders.insert(std::exchange(order, ""));
    order += cat(run.ranks, run.twin, ' ');
    pairs[{run.repeat, run.ranks}].push_back(run);
    ids.insert(run.run_id());
    EXPECT_FALSE(run.control_arm);
  }
  EXPECT_EQ(ids.size(), 24U);
  EXPECT_GT(orders.size(), 3U) << "the order is random";
  ASSERT_EQ(pairs.size(), 12U);
  for (const auto& [place, pair] : pairs) {
    EXPECT_TRUE(place.second == 1 || place.second == 4);
    ASSERT_EQ(pair.size(), 2U);
    EXPECT_EQ(pair[0].content_hash(), pair[1].content_hash());
    EXPECT_NE(pair[0].twin, pair[1].twin);
  }
}

TEST(TwinMatrix, OfSeveralCurvesTakesTheFirst) {
  const auto twins = twin_matrix(
      matrix_of({"axes.ranks=[1,2]", "axes.scaling_rule=[\"strong\",\"linear_fixed_epochs\"]"}), 3);
  ASSERT_EQ(twins.runs.size(), 12U);
  for (const auto& run : twins.runs) EXPECT_EQ(run.scaling_rule, twins.runs[0].scaling_rule);
}

TEST(TwinMatrix, WithOneRankOnlyHasPairsOfIt) {
  EXPECT_EQ(twin_matrix(matrix_of({"axes.ranks=[1]"}), 3).runs.size(), 6U);
  EXPECT_TRUE(twin_matrix(matrix_of({"axes.ranks=[2,4]"}), 3).runs.empty());
}

}  // namespace
}  // namespace scalestudy
