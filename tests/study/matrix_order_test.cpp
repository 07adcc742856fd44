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

template <class Describe>
std::vector<std::string> described(const StudyMatrix& matrix, const Describe& describe) {
  std::vector<std::string> texts;
  for (const auto& run : matrix.runs) texts.push_back(describe(run));
  return texts;
}

TEST(MatrixOrder, RanksVaryFastestAndTheFirstAxisSlowest) {
  const auto matrix = matrix_of({"repeats=1", "control_arms=[]", "axes.ranks=[1, 2]",
                                 R"(axes.scaling_rule=["strong", "batch_only"])",
                                 R"(axes.input=["serial", "sharded"])"});
  EXPECT_THAT(described(matrix,
                        [](const RunSpec& run) {
                          return cat(run.scaling_rule, " ", run.input, " ", run.ranks);
                        }),
              ElementsAre("strong serial 1", "strong serial 2", "strong sharded 1",
                          "strong sharded 2", "batch_only serial 1", "batch_only serial 2",
                          "batch_only sharded 1", "batch_only sharded 2"));
}

TEST(MatrixOrder, RanksKeepTheOrderOfTheStudy) {
  const auto matrix = matrix_of({"repeats=2", "control_arms=[]", "axes.ranks=[4, 1, 2]"});
  EXPECT_THAT(described(matrix, [](const RunSpec& run) { return cat(run.ranks, run.repeat); }),
              ElementsAre("40", "10", "20", "41", "11", "21"));
}

TEST(MatrixOrder, RepeatsDifferInNothingButTheirNumber) {
  const auto matrix = matrix_of({"repeats=3", "control_arms=[]"});
  ASSERT_EQ(matrix.runs.size(), 9U);
  for (std::size_t i = 3; i < 9; ++i) {
    auto run = matrix.runs[i];
    EXPECT_EQ(run.repeat, static_cast<std::int64_t>(i / 3));
    run.repeat = 0;
    EXPECT_EQ(run.content_hash(), matrix.runs[i % 3].content_hash());
  }
}

TEST(MatrixOrder, AllAxesTogetherAreTheirProduct) {
  const auto matrix =
      matrix_of({"repeats=2", "control_arms=[]", "axes.ranks=[1, 2]",
                 R"(axes.scaling_rule=["strong", "batch_only", "linear_fixed_epochs"])",
                 R"(axes.reduction=["bucketed_overlap", "flat_after_backward"])",
                 R"(axes.input=["sharded", "serial"])", R"(axes.precision=["fp32", "bf16"])",
                 R"(axes.memory_format=["contiguous", "channels_last"])"});
  EXPECT_TRUE(matrix.skipped.empty());
  std::set<std::string> ids;
  for (const auto& run : matrix.runs) ids.insert(run.run_id());
  EXPECT_EQ(ids.size(), 2U * 2 * 3 * 2 * 2 * 2 * 2);
}

TEST(MatrixOrder, AnEmptyAxisKeepsTheStudysSetting) {
  for (const auto& run : matrix_of({"settings.precision=bf16", "axes.precision=[]"}).runs)
    EXPECT_EQ(run.settings.precision, Precision::bf16);
  for (const auto& run : matrix_of({"settings.precision=bf16", R"(axes.precision=["fp32"])"}).runs)
    EXPECT_EQ(run.settings.precision, Precision::fp32) << "the axis stands in its place";
}

TEST(MatrixArms, ArmsComeAfterTheStudyProperInEveryRepeat) {
  const auto matrix = matrix_of({"repeats=2", "axes.ranks=[1, 2]",
                                 R"(control_arms=["no_distributed_path", "no_communication"])"});
  EXPECT_THAT(described(matrix,
                        [](const RunSpec& run) {
                          return cat(run.repeat, " ", run.ranks, " ", to_string(run.control_arm));
                        }),
              ElementsAre("0 1 ", "0 2 ", "0 1 no_distributed_path", "0 2 no_communication", "1 1 ",
                          "1 2 ", "1 1 no_distributed_path", "1 2 no_communication"));
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

TEST(MatrixArms, AnArmTrainsByTheSamePlanAsWhatItIsComparedWith) {
  const auto matrix = matrix_of(
      {"repeats=1", "axes.ranks=[4]", R"(control_arms=["no_communication", "synthetic_input"])"});
  ASSERT_EQ(matrix.runs.size(), 3U);
  for (const auto& run : matrix.runs) {
    EXPECT_EQ(run.plan.steps_per_epoch, matrix.runs[0].plan.steps_per_epoch);
    EXPECT_EQ(run.plan.global_batch_size, matrix.runs[0].plan.global_batch_size);
    EXPECT_EQ(run.repeat_seed(), matrix.runs[0].repeat_seed());
  }
  EXPECT_EQ(matrix.runs[2].reduction, Reduction::bucketed_overlap);
  EXPECT_EQ(matrix.runs[2].input, InputKind::synthetic);
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
            "input=sharded, precision=fp32, memory_format=channels_last");
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

TEST(MatrixSkips, TheSmoothnessWindowDoesNotCountWhatIsLeftOut) {
  const auto matrix = matrix_of({"axes.ranks=[1, 2, 13]", "control_arms=[]"});
  for (const auto& run : matrix.runs) EXPECT_EQ(run.smoothness_window_samples, 2 * 16);
}

TEST(MatrixMachine, CoresDecideExactlyAtTheirNumber) {
  const auto flags = [](std::int64_t cores) {
    const auto matrix =
        matrix_of({"repeats=1", "control_arms=[]", "settings.threads_per_rank=2"}, {}, cores);
    return described(matrix, [](const RunSpec& run) { return run.oversubscribed ? "*" : "."; });
  };
  EXPECT_THAT(flags(8), ElementsAre(".", ".", "."));
  EXPECT_THAT(flags(7), ElementsAre(".", ".", "*"));
  EXPECT_THAT(flags(1), ElementsAre("*", "*", "*"));
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

}  // namespace
}  // namespace scalestudy
