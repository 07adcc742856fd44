#include "study/study_matrix.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "tests/study/toy_workload.hpp"

namespace scalestudy {
namespace {

using ::testing::HasSubstr;

StudyMatrix resolved(const std::vector<std::string>& overrides = {},
                     const Environment& environment = {},
                     std::int64_t cores = 2) {
  return expand(StudyFile(small_study()).read(overrides), environment, cores, toy_workloads(),
                toy_launchers());
}

TEST(StudyMatrix, RunIdsAreUnique) {
  const auto matrix = resolved({R"(axes.scaling_rule=["strong", "batch_only", "linear_warmup"])",
                                R"(axes.reduction=["bucketed_overlap", "flat_after_backward"])"});
  std::set<std::string> ids;
  for (const auto& run : matrix.runs) ids.insert(run.run_id());
  EXPECT_EQ(ids.size(), matrix.runs.size());
  EXPECT_EQ(matrix.runs.size(), 2U * (3 * 2 * 3 + 3 * 3));
}

TEST(StudyMatrix, TheInputArmReplacesTheInputAndIsSharedByInputs) {
  const auto matrix = resolved(
      {R"(axes.input=["sharded", "serial"])", "repeats=1", R"(control_arms=["synthetic_input"])"});
  EXPECT_EQ(matrix.runs.size(), 2U * 3 + 3);
  for (const auto& run : matrix.runs)
    EXPECT_EQ(run.input == InputKind::synthetic, run.control_arm == ControlArm::synthetic_input);
}

TEST(StudyMatrix, WhatCannotBeIsLeftOutWithItsReason) {
  const auto reason = [](const std::vector<std::string>& overrides) {
    const auto matrix = resolved(overrides);
    return matrix.skipped.empty() ? std::string("nothing left out") : matrix.skipped.front().reason;
  };
  EXPECT_THAT(reason({"settings.precision=fp16"}), HasSubstr("precision fp16 needs device cuda"));
  EXPECT_THAT(reason({"settings.precision=tf32"}), HasSubstr("precision tf32 needs device cuda"));
  EXPECT_EQ(reason({"settings.precision=bf16"}), "nothing left out");
  EXPECT_THAT(reason({"settings.cuda_graph=true"}), HasSubstr("cuda_graph needs device cuda"));
  EXPECT_THAT(reason({R"(axes.input=["synthetic"])"}), HasSubstr("control arm synthetic_input"));
  EXPECT_THAT(reason({R"(axes.input=["device"])", "settings.input.sample_cost_s=0.1"}),
              HasSubstr("sample_cost_s"));
}

TEST(StudyMatrix, WhatSendsNoGradientCompressesNone) {
  const auto matrix = resolved({"settings.compression=bf16", R"(axes.reduction=["packs", "none"])",
                                R"(control_arms=["no_communication", "synthetic_input"])"});
  for (const auto& run : matrix.runs)
    EXPECT_EQ(run.settings.compression == Compression::bf16, run.reduction == Reduction::packs)
        << run.run_id();
  ASSERT_FALSE(matrix.skipped.empty());
  EXPECT_THAT(matrix.skipped[0].reason,
              HasSubstr("settings.compression bf16 has no meaning with reduction none"));
}

TEST(StudyMatrix, AStrategyStandsOnlyBesideWhatItCanDo) {
  const auto reason = [](const std::string& reduction, std::vector<std::string> overrides) {
    overrides.push_back("control_arms=[]");
    overrides.push_back(cat("axes.reduction=[\"", reduction, "\"]"));
    const auto skipped = resolved(overrides).skipped;
    return skipped.empty() ? "nothing left out" : skipped.front().reason;
  };
  for (const std::string reduction : {"reduce_to_one", "tower", "sharded_optimizer"}) {
    EXPECT_EQ(reason(reduction, {}), "nothing left out");
    EXPECT_THAT(reason(reduction, {"settings.compression=fp16"}),
                HasSubstr(cat("no meaning with reduction ", reduction)));
  }
  EXPECT_THAT(reason("pytorch_ddp", {}), HasSubstr("is PyTorch's, which trains no toy"));
  EXPECT_EQ(reason("hierarchical", {"settings.compression=fp16"}), "nothing left out");
  EXPECT_THAT(reason("sharded_optimizer", {"settings.optimizer.name=lars"}),
              HasSubstr("reduction sharded_optimizer cuts tensors in two"));
  EXPECT_EQ(reason("tower", {"settings.optimizer.name=lars"}), "nothing left out");
  const auto hosts_of = [&](const std::string& ranks) {
    return reason("hierarchical",
                  {"axes.ranks=[" + ranks + "]", "settings.hierarchical.ranks_per_host=2"});
  };
  EXPECT_THAT(hosts_of("3"), HasSubstr("ranks_per_host 2 does not divide 3 ranks"));
  for (const std::string ranks : {"1", "2", "4"}) EXPECT_EQ(hosts_of(ranks), "nothing left out");
}

TEST(StudyMatrix, ACoreForCommunicatingNeedsAThreadAndACore) {
  const auto skipped = [](const std::string& reduction, std::int64_t cores) {
    return resolved({"settings.communication_thread=own_core", "axes.ranks=[1,2]",
                     cat("axes.reduction=[\"", reduction, "\"]")},
                    {}, cores)
        .skipped;
  };
  EXPECT_TRUE(skipped("bucketed_overlap", 4).empty()) << "nor are its arms left out";
  ASSERT_FALSE(skipped("bucketed_overlap", 3).empty());
  EXPECT_THAT(skipped("bucketed_overlap", 3).front().reason,
              HasSubstr("own_core needs 4 cores for 2 ranks, this machine has 3"));
  ASSERT_FALSE(skipped("packs", 4).empty());
  EXPECT_THAT(skipped("packs", 4).front().reason, HasSubstr("no meaning with reduction packs"));
}

TEST(StudyMatrix, APlateauNeedsTheEndOfEveryEpochEvaluated) {
  const auto by_samples = [](const std::string& schedule) {
    return resolved({"settings.evaluation.every_samples=100", "settings.schedule.name=" + schedule})
        .skipped;
  };
  ASSERT_FALSE(by_samples("reduce_on_plateau").empty());
  EXPECT_THAT(by_samples("reduce_on_plateau").front().reason, HasSubstr("every_samples"));
  EXPECT_TRUE(by_samples("constant").empty());
}

TEST(StudyMatrix, OnAGpuOneRankMayUseAGraphOfWhatItDoesAlone) {
  const auto skipped = [](std::vector<std::string> overrides) {
    overrides.insert(overrides.end(),
                     {"settings.device=cuda", "settings.cuda_graph=true", "control_arms=[]"});
    std::string reasons;
    for (const auto& run : resolved(overrides).skipped) reasons += run.reason + "; ";
    return reasons;
  };
  EXPECT_EQ(skipped({"axes.ranks=[1]"}), "");
  EXPECT_EQ(skipped({"axes.ranks=[2]"}), "");
  EXPECT_THAT(skipped({"axes.ranks=[1]", R"(axes.input=["device"])"}),
              HasSubstr("needs batches from the host"));
  EXPECT_THAT(skipped({"axes.ranks=[1]", "settings.warmup_steps=3"}),
              HasSubstr("warmup_steps 3 that step"));
  EXPECT_THAT(skipped({"axes.ranks=[1]", "settings.batch_norm=synchronised"}),
              HasSubstr("the host takes part"));
}

TEST(StudyMatrix, WholePassesComeFromTheData) {
  const auto matrix = resolved({"settings.steps_per_epoch=0", "settings.last_batch=drop",
                                R"(axes.scaling_rule=["linear_fixed_epochs"])"});
  ASSERT_FALSE(matrix.runs.empty());
  for (const auto& run : matrix.runs) EXPECT_EQ(run.plan.steps_per_epoch, 112 / run.ranks);
}

TEST(StudyMatrix, CommunicatorFollowsLauncherAndRanks) {
  Environment environment;
  for (const auto& run : resolved().runs) {
    EXPECT_EQ(run.communicator, run.ranks == 1 ? CommunicatorKind::local : CommunicatorKind::shm);
  }
  environment.launcher = "mpirun";
  for (const auto& run : resolved({}, environment).runs) {
    EXPECT_EQ(run.communicator, run.ranks == 1 ? CommunicatorKind::local : CommunicatorKind::mpi);
    EXPECT_EQ(run.launcher, "mpirun");
  }
  environment.launcher = "slurm";
  EXPECT_THROW(resolved({}, environment), BadInput);
}

std::set<std::string> run_ids(const std::vector<std::string>& overrides, std::int64_t cores = 2) {
  std::set<std::string> ids;
  for (const auto& run : resolved(overrides, {}, cores).runs) ids.insert(run.run_id());
  return ids;
}

/// One rank of `threads`, in each block, that is no arm.
std::ptrdiff_t of_one_rank(const StudyMatrix& matrix, std::int64_t threads) {
  return std::ranges::count_if(matrix.runs, [&](const RunSpec& run) {
    return run.ranks == 1 && !run.control_arm && run.settings.threads_per_rank == threads;
  });
}

TEST(StudyMatrix, TheFairBaseIsOneRankOnTheCoresOfTheMost) {
  const auto matrix = resolved({"fair_base=true"}, {}, 16);
  EXPECT_EQ(matrix.runs.size(), 14U);
  EXPECT_EQ(of_one_rank(matrix, 4), 2);
  EXPECT_EQ(of_one_rank(resolved({"fair_base=true"}, {}, 3), 3), 2)
      << "no more than there are cores";
  EXPECT_EQ(of_one_rank(resolved({}, {}, 16), 4), 0) << "only where it is asked for";
  EXPECT_EQ(of_one_rank(resolved({"fair_base=true", "axes.ranks=[1,2,13]"}, {}, 16), 2), 2)
      << "13 ranks are left out";
}

TEST(StudyMatrix, AFairBaseThatIsNoneIsLeftOutWithItsReason) {
  const auto reason = [](std::vector<std::string> overrides, std::int64_t cores) {
    overrides.emplace_back("fair_base=true");
    const auto skipped = resolved(overrides, {}, cores).skipped;
    return skipped.empty() ? std::string("nothing left out") : skipped.back().reason;
  };
  EXPECT_THAT(reason({"axes.ranks=[1]", "control_arms=[]"}, 16),
              HasSubstr("no more than one rank"));
  EXPECT_THAT(reason({}, 1), HasSubstr("as many threads already"));
  EXPECT_THAT(reason({"axes.ranks=[2,4]", "control_arms=[]"}, 16), HasSubstr("does not list 1"));
}

TEST(StudyMatrix, ManyThreadsBesideFewRunWithManyRanksOnlyWhenAskedForAlone) {
  const auto beside = resolved({"axes.threads_per_rank=[1,2]", "axes.ranks=[1,2]"});
  EXPECT_EQ(of_one_rank(beside, 2), 2);
  for (const auto& run : beside.runs) EXPECT_FALSE(run.oversubscribed) << run.run_id();
  ASSERT_FALSE(beside.skipped.empty());
  EXPECT_THAT(beside.skipped.front().reason, HasSubstr("axes.threads_per_rank=[2]"));
  const auto alone = resolved({"axes.threads_per_rank=[2]", "axes.ranks=[1,2]"});
  EXPECT_TRUE(std::ranges::any_of(alone.runs, &RunSpec::oversubscribed));
}

TEST(StudyMatrix, AStudyThatGrowsKeepsTheIdsOfItsRuns) {
  const std::vector<std::string> small{"axes.ranks=[1, 2]", "repeats=2",
                                       R"(control_arms=["no_communication"])"};
  const auto kept = run_ids(small);
  const std::vector<std::string> growths{
      "axes.ranks=[1, 2, 4]", "axes.ranks=[4, 2, 1]", "repeats=5",
      R"(axes.scaling_rule=["strong", "linear_fixed_samples"])",
      R"(control_arms=["synthetic_input", "no_communication", "no_distributed_path"])"};
  for (const auto& growth : growths) {
    auto overrides = small;
    overrides.push_back(growth);
    const auto more = run_ids(overrides);
    EXPECT_TRUE(std::includes(more.begin(), more.end(), kept.begin(), kept.end())) << growth;
  }
  EXPECT_EQ(run_ids(small, 1), kept) << "the number of cores is no setting";
}

TEST(StudyMatrix, SkipsHaveReasons) {
  Environment gpu;
  gpu.device = Device::cuda;
  const auto on_gpu =
      resolved({"settings.link.algorithm=ring", "settings.link.bandwidth_bytes_per_s=1e9"}, gpu);
  for (const auto& run : on_gpu.runs) {
    EXPECT_EQ(run.settings.device, Device::cuda);
    EXPECT_EQ(run.carried_by(), run.ranks == 1 ? "local" : "nccl");
  }
  ASSERT_EQ(on_gpu.skipped.size(), 4U);  // of 2 and 4 ranks, and their arms
  EXPECT_THAT(on_gpu.skipped[0].combination, HasSubstr("ranks=2, scaling_rule=linear_fixed_sam"));
  EXPECT_THAT(on_gpu.skipped[0].reason, HasSubstr("not between GPUs"));

  const auto few = resolved({"settings.epochs=3"});
  ASSERT_EQ(few.skipped.size(), 2U);
  EXPECT_THAT(few.skipped[0].reason, HasSubstr("leaves 0 epochs for 4 ranks"));

  const auto unlucky = resolved({"axes.ranks=[13]", "control_arms=[\"no_distributed_path\"]"});
  EXPECT_TRUE(unlucky.runs.empty());
  ASSERT_EQ(unlucky.skipped.size(), 2U);
  EXPECT_EQ(unlucky.skipped[0].reason, "thirteen is unlucky");
  EXPECT_THAT(unlucky.skipped[1].reason, HasSubstr("axes.ranks does not list"));

  const auto drifting = resolved({"axes.reduction=[\"none\"]", "control_arms=[]"});
  EXPECT_EQ(drifting.runs.size(), 2U);  // N = 1, two repeats
  EXPECT_THAT(drifting.skipped[0].reason, HasSubstr("drift apart"));
}

RunSpec golden_spec() {
  RunSpec spec;
  spec.study = "golden";
  spec.workload = "noise2void";
  spec.ranks = 4;
  spec.scaling_rule = ScalingRule::linear_fixed_samples;
  spec.reduction = Reduction::bucketed_overlap;
  spec.input = InputKind::sharded;
  spec.repeat = 2;
  spec.launcher = "local";
  spec.communicator = CommunicatorKind::shm;
  spec.data.path = "/data/stack.tif";
  spec.plan = apply(spec.scaling_rule, {spec.settings, spec.ranks});
  return spec;
}

TEST(RunSpec, HashIsStable) {
  // Changes only when the layout of a specification changes: then stored runs are made again.
  EXPECT_EQ(golden_spec().run_id(),
            "noise2void-r4-linear_fixed_samples-bucketed_overlap-rep2-5b093727");
}

TEST(StudyMatrix, HasAsManyRunsAsSomebodyMayWaitFor) {
  const auto runs_of = [](std::size_t repeats) {
    return resolved({"axes.ranks=[1]", cat("repeats=", repeats)}).runs.size();
  };
  const auto most_repeats = 20'000 / runs_of(1);
  EXPECT_EQ(runs_of(most_repeats), most_repeats * runs_of(1));
  EXPECT_THROW(static_cast<void>(runs_of(most_repeats + 1)), BadInput);
  EXPECT_THROW(static_cast<void>(runs_of(1'000'000'000)), BadInput);
}

}  // namespace
}  // namespace scalestudy
