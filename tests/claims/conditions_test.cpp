/// Each condition that must match, changed alone, is named; what is noted prevents no verdict.

#include "analysis/claims/conditions.hpp"

#include <gmock/gmock.h>

#include "tests/analysis/synthetic_run.hpp"
#include "tests/claims/claim_texts.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// Three runs each of one rank and two, as if they had been read.
class JudgedRuns {
 public:
  explicit JudgedRuns(const std::vector<std::string>& labels = {}) {
    for (const std::int64_t ranks : {1, 2})
      for (std::int64_t repeat = 0; repeat < 3; ++repeat) add(ranks, repeat, labels);
    for (auto& run : runs_) analysis_.series.by_ranks[run.spec.ranks].push_back(&run);
    analysis_.population = evaluation_population(analysis_.series);
  }
  [[nodiscard]] Run& run(std::size_t i) { return runs_.at(i); }
  void decide_causes(std::int64_t ranks) { analysis_.causes.emplace_back().ranks = ranks; }
  [[nodiscard]] const SeriesAnalysis& analysis() {
    analysis_.population = evaluation_population(analysis_.series);
    return analysis_;
  }

 private:
  void add(std::int64_t ranks, std::int64_t repeat, const std::vector<std::string>& labels) {
    Run run;
    run.spec = spec_of({.ranks = ranks, .repeat = repeat, .epochs = 4 / ranks});
    run.spec.workload_settings = R"({"patch": [8, 32, 32]})";
    run.spec.settings.optimizer.base_learning_rate = 4e-4;
    run.labels = labels;
    run.record.environment = R"({"cpu": {"model": "Invented CPU <1>"}})";
    run.record.evaluations.push_back({.sample_count = 64,
                                      .evaluation_set = "validation",
                                      .evaluation_set_hash = "7f3a000011112222"});
    runs_.push_back(std::move(run));
  }

  std::vector<Run> runs_;
  SeriesAnalysis analysis_;
};

class ClaimConditions : public ::testing::Test {
 protected:
  static json claim_of(const std::string& quantity) {
    auto claim = speedup_claim();
    claim["quantity"] = quantity;
    claim["points"][0]["steps"] = 80;
    claim["conditions"].update({{"device_model", "invented cpu"},
                                {"precision", "fp32"},
                                {"sample_size", {8, 32, 32}},
                                {"input", "sharded"},
                                {"reduction", "bucketed_overlap"},
                                {"base_learning_rate", 4e-4}});
    return claim;
  }
  static json quality_claim() {
    auto claim = claim_of("quality");
    claim["metric"] = "psnr_db";
    claim["points"][0]["evaluated_samples"] = 64;
    return claim;
  }

  std::vector<ConditionCheck> checks_of(const json& object) {
    const auto claim = claim_from(object);
    return check_conditions(claim, claim.points.at(0), runs_.analysis());
  }
  /// What differs and must not.
  std::vector<ClaimCondition> differing(const json& claim) {
    std::vector<ClaimCondition> all;
    for (const auto& check : checks_of(claim))
      if (check.must_match && !check.matches) all.push_back(check.condition);
    return all;
  }
  /// The same after a change of one thing.
  std::vector<ClaimCondition> differing_with(json claim, const char* name, const json& value) {
    claim["conditions"][name] = value;
    return differing(claim);
  }

  JudgedRuns runs_;
};

struct Change {
  const char* name;
  json value;
  ClaimCondition condition;
};

TEST_F(ClaimConditions, OfSecondsEachThatDiffersIsNamed) {
  const auto claim = claim_of("training_time_s");
  EXPECT_THAT(differing(claim), IsEmpty());
  for (const auto& [name, value, condition] :
       {Change{"workload", "unet", ClaimCondition::workload},
        Change{"scaling_rule", "strong", ClaimCondition::scaling_rule},
        Change{"local_batch_size", 5, ClaimCondition::local_batch_size},
        Change{"device_model", "A100", ClaimCondition::device_model},
        Change{"precision", "tf32", ClaimCondition::precision},
        Change{"sample_size", {16, 64, 64}, ClaimCondition::sample_size}})
    EXPECT_THAT(differing_with(claim, name, value), ElementsAre(condition)) << name;
  for (const auto* name : {"input", "reduction"})
    EXPECT_THAT(differing_with(claim, name, name == std::string("input") ? "serial" : "packs"),
                IsEmpty());
  auto other = claim;
  other["points"][0]["steps"] = 81;
  EXPECT_THAT(differing(other), ElementsAre(ClaimCondition::steps));
  other = claim;
  other["points"][0]["ranks"] = 1;
  EXPECT_THAT(differing(other), ElementsAre(ClaimCondition::steps)) << "one rank takes 160";
  other["points"][0]["ranks"] = 3;
  EXPECT_THAT(differing(other), Contains(ClaimCondition::ranks));
}

TEST_F(ClaimConditions, RatiosAskForLess) {
  const auto claim = claim_of("training_speedup");
  EXPECT_THAT(differing(claim), IsEmpty());
  for (const auto& [name, value, condition] :
       {Change{"workload", "unet", ClaimCondition::workload},
        Change{"scaling_rule", "strong", ClaimCondition::scaling_rule},
        Change{"local_batch_size", 5, ClaimCondition::local_batch_size}})
    EXPECT_THAT(differing_with(claim, name, value), ElementsAre(condition)) << name;
  for (const auto& [name, value] : {std::pair<const char*, json>{"device_model", "A100"},
                                    {"precision", "tf32"},
                                    {"sample_size", {16, 64, 64}},
                                    {"input", "serial"},
                                    {"reduction", "packs"},
                                    {"base_learning_rate", 0.1}})
    EXPECT_THAT(differing_with(claim, name, value), IsEmpty()) << name;
  auto other = claim;
  other["points"][0]["base_ranks"] = 4;
  EXPECT_THAT(differing(other), ElementsAre(ClaimCondition::ranks));
}

TEST_F(ClaimConditions, WhatIsNotedIsListed) {
  auto claim = claim_of("training_speedup");
  claim["conditions"]["precision"] = "tf32";
  EXPECT_THAT(checks_of(claim), Contains(ConditionCheck{.condition = ClaimCondition::precision,
                                                        .must_match = false,
                                                        .claimed = "tf32",
                                                        .found = "fp32",
                                                        .matches = false}));
}

TEST_F(ClaimConditions, OfQualityTheEvaluatedSamplesAreOne) {
  auto claim = quality_claim();
  EXPECT_THAT(differing(claim), IsEmpty());
  claim["points"][0]["evaluated_samples"] = 16;
  EXPECT_THAT(differing(claim), ElementsAre(ClaimCondition::evaluated_samples));
  claim["points"][0].erase("evaluated_samples");
  EXPECT_THAT(differing(claim), ElementsAre(ClaimCondition::evaluated_samples));
  EXPECT_THAT(differing_with(quality_claim(), "sample_size", {16, 64, 64}),
              ElementsAre(ClaimCondition::sample_size));
}

TEST_F(ClaimConditions, AsManySamplesAreNotYetTheSame) {
  runs_.run(0).record.evaluations.back().evaluation_set_hash = "0000000011112222";
  EXPECT_THAT(differing(quality_claim()), ElementsAre(ClaimCondition::evaluated_samples));
}

TEST_F(ClaimConditions, OfExplanationsWorkloadRuleAndInput) {
  const auto claim = explanation_claim({"transfer"});
  EXPECT_THAT(differing(claim), IsEmpty()) << "4 ranks, batch and device are only noted";
  for (const auto& [name, value, condition] :
       {Change{"workload", "unet", ClaimCondition::workload},
        Change{"scaling_rule", "strong", ClaimCondition::scaling_rule},
        Change{"input", "serial", ClaimCondition::input}})
    EXPECT_THAT(differing_with(claim, name, value), ElementsAre(condition)) << name;
}

TEST_F(ClaimConditions, WhatTheSourceDoesNotStateCannotMatch) {
  auto claim = speedup_claim();
  claim["conditions"].erase("local_batch_size");
  EXPECT_THAT(differing(claim), ElementsAre(ClaimCondition::local_batch_size));
}

TEST_F(ClaimConditions, AGpuIsToldByItsModelAndOneMachineByOne) {
  const auto differing_on = [&](const std::string& models) {
    for (std::size_t i = 0; i < 6; ++i) {
      runs_.run(i).spec.settings.device = Device::cuda;
      runs_.run(i).record.environment = R"({"gpu_models": ")" + models + "\"}";
    }
    return differing_with(claim_of("training_time_s"), "device_model", "A100");
  };
  EXPECT_THAT(differing_on("NVIDIA A100-SXM4-40GB"), IsEmpty());
  EXPECT_THAT(differing_on("NVIDIA H100"), ElementsAre(ClaimCondition::device_model));
  EXPECT_THAT(differing_on(""), ElementsAre(ClaimCondition::device_model)) << "not recorded";
  EXPECT_THAT(differing_on("NVIDIA A100-SXM4-40GB, NVIDIA T4"),
              ElementsAre(ClaimCondition::device_model));
}

/// What a claim about real hardware, or else about a replay, finds under "hardware".
ConditionCheck hardware_of(const std::vector<std::string>& labels, const json& object) {
  JudgedRuns runs(labels);
  const auto claim = claim_from(object);
  const auto checks = check_conditions(claim, claim.points.at(0), runs.analysis());
  EXPECT_EQ(checks.at(0).condition, ClaimCondition::hardware);
  EXPECT_TRUE(checks.at(0).must_match);
  return checks.at(0);
}

TEST(ClaimsAndLabels, WhatIsNotMeasuredOnItsOwnHardwareIsNamed) {
  for (const auto& [label, name, summary] : choices<RunLabel>) {
    const bool is_evidence = label == RunLabel::no_spare_core ||
                             label == RunLabel::one_gpu_visible || label == RunLabel::resumed ||
                             label == RunLabel::remainder_dropped;
    const auto check = hardware_of({std::string(name)}, speedup_claim());
    EXPECT_EQ(check.matches, is_evidence) << name;
    EXPECT_EQ(check.found, is_evidence ? "real" : name);
  }
  EXPECT_TRUE(hardware_of({}, speedup_claim()).matches);
}

TEST(ClaimsAndLabels, OfACauseTheRunsThatDecideAreLookedAt) {
  auto object = explanation_claim({"input"});
  object["points"] = {{{"ranks", 4}}};
  const auto claim = claim_from(object);
  const auto is_real = [&](std::size_t oversubscribed) {
    JudgedRuns runs;
    runs.run(oversubscribed).labels = {"oversubscribed"};
    runs.decide_causes(2);
    return check_conditions(claim, claim.points.at(0), runs.analysis()).at(0).matches;
  };
  EXPECT_FALSE(is_real(0)) << "of one rank";
  EXPECT_FALSE(is_real(5)) << "of two, in place of four";
  JudgedRuns quiet;
  quiet.decide_causes(2);
  EXPECT_TRUE(check_conditions(claim, claim.points.at(0), quiet.analysis()).at(0).matches);
}

TEST(ClaimsAndLabels, OfAReplayReplayedRunsAreRightAndInjectedOnesAreNot) {
  auto claim = speedup_claim();
  claim["conditions"]["workload"] = "replay";
  const auto replayed = hardware_of({"emulated_compute", "emulated_link", "spinning"}, claim);
  EXPECT_TRUE(replayed.matches);
  EXPECT_EQ(replayed.claimed, "replay");
  const auto injected = hardware_of({"emulated_compute", "injected", "external"}, claim);
  EXPECT_FALSE(injected.matches);
  EXPECT_EQ(injected.found, "injected, external");
}

TEST(ClaimsAndLabels, OfRunsThatAPointDoesNotUseAreNoMatter) {
  JudgedRuns runs;
  scalestudy::Run of_four = runs.run(0);
  of_four.labels = {"oversubscribed"};
  auto analysis = runs.analysis();
  analysis.series.by_ranks[4].push_back(&of_four);
  const auto claim = claim_from(speedup_claim());
  EXPECT_TRUE(check_conditions(claim, claim.points.at(0), analysis).at(0).matches);
}

TEST(ClaimsAndLabels, ABusyMachineSaysNothingOfTimesAndAllOfQuality) {
  auto claim = speedup_claim();
  EXPECT_FALSE(hardware_of({"busy_machine"}, claim).matches);
  claim["quantity"] = "quality";
  claim["metric"] = "psnr_db";
  EXPECT_TRUE(hardware_of({"busy_machine"}, claim).matches);
}

}  // namespace
}  // namespace scalestudy
