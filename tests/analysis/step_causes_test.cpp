#include "analysis/step/step_causes.hpp"

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "tests/support/simulated_steps.hpp"
#include "tests/support/traced_run.hpp"

namespace scalestudy {
namespace {

using namespace simulated;
using testing::ElementsAre;
using testing::IsEmpty;

StepDecision decision_of(const Study& study, unsigned seed = 1) {
  Random random(seed);
  return decide_causes(evidence_of(study, random));
}

std::vector<StepCause> causes_with(const StepDecision& decision, Verdict verdict) {
  std::vector<StepCause> causes;
  for (const auto& finding : decision.findings)
    if (finding.verdict == verdict) causes.push_back(finding.cause);
  return causes;
}

TEST(Verdicts, NothingIsSupportedWhereNothingIsLost) {
  const std::vector<Chances> surely_more{{.of_more = 1e-6, .of_less = 1}};
  EXPECT_THAT(verdicts(surely_more, true), ElementsAre(Verdict::supported));
  EXPECT_THAT(verdicts(surely_more, false), ElementsAre(Verdict::undecided));
}

TEST(StepCauses, EachPlantedOneIsFoundAndNoOther) {
  for (const auto& row : choices<StepCause>) {
    const auto decision = decision_of(planted_study(row.value, 0.2));
    EXPECT_TRUE(decision.is_loss) << row.name;
    EXPECT_THAT(causes_with(decision, Verdict::supported), ElementsAre(row.value));
    EXPECT_THAT(decision.main, ElementsAre(row.value));
    EXPECT_EQ(causes_with(decision, Verdict::refuted).size(), choices<StepCause>.size() - 1)
        << row.name << ": the records tell that it was nothing else";
  }
}

TEST(StepCauses, WithoutALossThereIsNone) {
  const auto decision = decision_of(planted_study(StepCause::input, 0.01));
  EXPECT_FALSE(decision.is_loss);
  EXPECT_THAT(causes_with(decision, Verdict::supported), IsEmpty());
  EXPECT_THAT(decision.main, IsEmpty());
}

TEST(StepCauses, TwoEqualOnesAreBothNamed) {
  auto study = planted_study(StepCause::input, 0.2);
  study.nuisance.paired_sd = 0.02;
  at(study.planted, StepCause::optimizer) = 0.2;
  const auto decision = decision_of(study);
  EXPECT_THAT(causes_with(decision, Verdict::supported),
              ElementsAre(StepCause::input, StepCause::optimizer));
  EXPECT_EQ(decision.main.size(), 2U);
}

/// A tenth of a millisecond is a lead that every launch shows and nobody can use.
TEST(StepCauses, ALeadOfLessThanHalfTheMarginNamesBoth) {
  auto study = planted_study(StepCause::input, 0.210);
  study.nuisance.paired_sd = study.nuisance.block_sd = 0.0005;
  at(study.planted, StepCause::optimizer) = 0.2;
  EXPECT_THAT(decision_of(study).main, ElementsAre(StepCause::input, StepCause::optimizer));
  at(study.planted, StepCause::input) = 0.23;
  EXPECT_THAT(decision_of(study).main, ElementsAre(StepCause::input));
}

Study with_arms(Study study, const std::vector<ControlArm>& some) {
  std::erase_if(study.arms, [&](const LaunchArm& arm) {
    return arm.left_out && std::ranges::find(some, *arm.left_out) == some.end();
  });
  return study;
}

/// Gradients that move slow computing down: one arm without them tells it from neighbours.
TEST(StepCauses, WhatTheExchangeAddsToComputingIsNoInterference) {
  const auto study = planted_study(StepCause::exchange_contention, 0.2);
  for (const auto& arms :
       {std::vector{ControlArm::barrier_only}, std::vector{ControlArm::no_communication},
        std::vector{ControlArm::barrier_only, ControlArm::no_communication}}) {
    const auto decision = decision_of(with_arms(study, arms));
    EXPECT_THAT(decision.main, ElementsAre(StepCause::exchange_contention)) << arms.size();
    EXPECT_THAT(causes_with(decision, Verdict::refuted),
                testing::IsSupersetOf({StepCause::interference, StepCause::transfer}));
    EXPECT_NEAR(decision.findings.at(2).growth_s().value, 0.02, 0.001);
  }
}

TEST(StepCauses, WithoutSuchAnArmInterferenceStandsForBoth) {
  for (const auto cause : {StepCause::interference, StepCause::exchange_contention}) {
    const auto decision = decision_of(with_arms(planted_study(cause, 0.2), {}));
    EXPECT_THAT(decision.main, ElementsAre(StepCause::interference));
    EXPECT_EQ(decision.findings.size(), choices<StepCause>.size() - 1);
  }
}

TEST(StepCauses, NeighboursAreNoContentionWithAnyArm) {
  const auto study = planted_study(StepCause::interference, 0.2);
  EXPECT_THAT(decision_of(with_arms(study, {ControlArm::barrier_only})).main,
              ElementsAre(StepCause::interference));
  EXPECT_THAT(decision_of(with_arms(study, {ControlArm::no_communication})).main,
              ElementsAre(StepCause::interference));
}

/// Each launch has a slow rank by chance, and the others are faster than one rank alone.
TEST(StepCauses, AChangingSlowRankCountsAgainstTheMeanOverRanks) {
  auto study = planted_study(StepCause::slow_rank, 0.12);
  study.ranks = 2;
  study.nuisance.is_slow_rank_changing = true;
  const auto decision = decision_of(study, 3);
  EXPECT_EQ(decision.slowest_rank, std::nullopt);
  EXPECT_THAT(decision.main, ElementsAre(StepCause::slow_rank));
  EXPECT_NEAR(decision.findings.at(3).growth_s().value, 0.012, 0.001) << "not twice as much";
  EXPECT_NEAR(decision.loss_s.value, 0.012, 0.001);
}

/// Steps scatter so that the loss is not sure; what the ranks waited for is recorded all the same.
TEST(StepCauses, WithoutASureLossRecordsStillTellWhatTookTime) {
  auto study = planted_study(StepCause::transfer, 0.06);
  study.nuisance.paired_sd = 0.08;
  const auto decision = decision_of(study);
  ASSERT_FALSE(decision.is_loss);
  for (const auto& finding : decision.findings) {
    EXPECT_EQ(finding.is_recorded, finding.cause == StepCause::transfer) << finding.cause;
    EXPECT_NE(finding.verdict, Verdict::supported);
  }
}

/// Planted equal, but where a rank is slow, chance makes the others wait less.
TEST(StepCauses, ASlowRankAndImbalanceAreBothNamed) {
  auto study = planted_study(StepCause::slow_rank, 0.2);
  at(study.planted, StepCause::imbalance) = 0.2;
  const auto decision = decision_of(study);
  EXPECT_GT(decision.findings.at(3).growth_s().value,
            1.3 * decision.findings.at(4).growth_s().value);
  EXPECT_THAT(decision.main,
              testing::UnorderedElementsAre(StepCause::slow_rank, StepCause::imbalance));
}

/// Of equal ones the records prove one sooner than the arms prove the other.
TEST(StepCauses, AnOpenCauseThatMayBeAsLargeNamesNoMainOne) {
  auto study = planted_study(StepCause::input, 0.15);
  study.nuisance.paired_sd = 0.06;
  study.steps = 40;
  at(study.planted, StepCause::interference) = 0.15;
  int open = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto decision = decision_of(study, seed);
    const auto supported = causes_with(decision, Verdict::supported);
    const bool is_one_open = supported.size() == 1 &&
                             causes_with(decision, Verdict::undecided).size() > 0 &&
                             decision.is_explained();
    if (!is_one_open) continue;
    ++open;
    EXPECT_THAT(decision.main, IsEmpty()) << seed;
  }
  EXPECT_GT(open, 2);
}

TEST(StepCauses, OfUnequalOnesTheLargerIsTheMainOne) {
  auto study = planted_study(StepCause::transfer, 0.4);
  at(study.planted, StepCause::slow_rank) = 0.15;
  EXPECT_THAT(decision_of(study).main, ElementsAre(StepCause::transfer));
}

/// The records show transfer; without it the ranks would wait for batches instead.
TEST(StepCauses, WhatHidesBehindAnotherIsNotPromised) {
  auto study = planted_study(StepCause::transfer, 0.3);
  at(study.planted, StepCause::input) = 0.3;
  study.nuisance.is_input_ahead = true;
  const auto decision = decision_of(study);
  EXPECT_THAT(causes_with(decision, Verdict::supported), IsEmpty());
  ASSERT_TRUE(decision.hidden);
  EXPECT_NEAR(decision.hidden->without_both_s.value, 0.3 * step_of_one_rank_s, 0.003);
  EXPECT_LT(decision.hidden->without_one_s, 0.1 * step_of_one_rank_s);
}

TEST(StepCauses, NothingHidesBehindASoleOne) {
  EXPECT_FALSE(decision_of(planted_study(StepCause::transfer, 0.3)).hidden);
}

TEST(StepCauses, AMeetingInForwardDisguisesNoSlowRank) {
  auto study = planted_study(StepCause::slow_rank, 0.2);
  study.nuisance.meets_in_forward = true;
  EXPECT_THAT(decision_of(study).main, ElementsAre(StepCause::slow_rank));
}

/// Real replays showed it: the others wait for a rank whose batch is late.
TEST(StepCauses, AnUnevenInputIsNoWaitingForComputing) {
  auto study = planted_study(StepCause::input, 0.2);
  study.nuisance.is_input_of_one_rank = true;
  const auto decision = decision_of(study);
  EXPECT_THAT(causes_with(decision, Verdict::supported), ElementsAre(StepCause::input));
  EXPECT_THAT(causes_with(decision, Verdict::refuted),
              testing::IsSupersetOf({StepCause::slow_rank, StepCause::imbalance}));
}

TEST(StepCauses, AnUpdateOfOneRankIsNoWaitingForComputing) {
  auto study = planted_study(StepCause::optimizer, 0.2);
  study.nuisance.is_update_of_one_rank = true;
  const auto decision = decision_of(study);
  EXPECT_THAT(decision.main, ElementsAre(StepCause::optimizer));
  for (const auto cause : {StepCause::slow_rank, StepCause::imbalance, StepCause::interference}) {
    const auto found = std::ranges::find(decision.findings, cause, &CauseFinding::cause);
    EXPECT_NEAR(found->contrast_s.value, 0, 0.01 * decision.ideal_step_s) << cause;
    EXPECT_EQ(found->verdict, Verdict::refuted) << cause;
  }
}

/// Counted once, as the slow rank that it makes.
TEST(StepCauses, ARankWithoutACoreIsASlowOne) {
  auto study = planted_study(StepCause::oversubscription, 0.2);
  study.nuisance.is_queue_of_one_rank = true;
  const auto decision = decision_of(study);
  EXPECT_THAT(causes_with(decision, Verdict::supported), ElementsAre(StepCause::slow_rank));
  EXPECT_TRUE(decision.slow_rank_lacks_core);
  for (const auto cause : {StepCause::oversubscription, StepCause::interference}) {
    const auto found = std::ranges::find(decision.findings, cause, &CauseFinding::cause);
    EXPECT_NEAR(found->column_s.value, 0, 0.01 * decision.ideal_step_s) << cause;
  }
  EXPECT_FALSE(decision_of(planted_study(StepCause::slow_rank, 0.2)).slow_rank_lacks_core);
}

TEST(StepCauses, ASlowRankIsNamedOnlyIfItIsAlwaysTheSame) {
  const auto study = planted_study(StepCause::slow_rank, 0.2);
  Random random(1);
  auto evidence = evidence_of(study, random);
  EXPECT_EQ(decide_causes(evidence).slowest_rank, 3);
  for (auto& launch : evidence.launches)
    if (launch.path) launch.path->slowest_rank = launch.block % 4;
  const auto decision = decide_causes(evidence);
  EXPECT_THAT(decision.main, ElementsAre(StepCause::slow_rank));
  EXPECT_EQ(decision.slowest_rank, std::nullopt);
}

/// Many launches make both looks so sharp that they always part a little.
TEST(StepCauses, LooksThatPartByLessThanTheMarginAgree) {
  auto study = planted_study(StepCause::transfer, 0.2);
  study.blocks = 40;
  study.nuisance.block_sd = 0;
  Random random(1);
  auto evidence = evidence_of(study, random);
  for (auto& launch : evidence.launches)
    if (launch.arm.left_out == ControlArm::barrier_only) launch.step_s += 0.02 * step_of_one_rank_s;
  EXPECT_THAT(decide_causes(evidence).main, ElementsAre(StepCause::transfer));
}

/// Of studies that left it open, made again with as many launches as they asked for.
TEST(StepCauses, LaunchesThatWouldDecideDoSo) {
  auto study = planted_study(StepCause::transfer, 0.05);
  study.ranks = 2;
  study.steps = 40;
  study.nuisance.paired_sd = 0.015;
  Random random(5);
  int asked = 0, decided = 0;
  for (int i = 0; i < 30; ++i) {
    study.blocks = 5;
    const auto first = decide_causes(evidence_of(study, random)).findings.at(1);
    if (!first.launches_to_decide || *first.launches_to_decide > 40) continue;
    study.blocks = *first.launches_to_decide;
    ++asked;
    decided +=
        decide_causes(evidence_of(study, random)).findings.at(1).verdict == Verdict::supported;
  }
  EXPECT_GT(asked, 5);
  EXPECT_GE(decided, 0.6 * asked);
}

TEST(StepCauses, WithoutArmsRecordsDecide) {
  const auto study = planted_study(StepCause::transfer, 0.2);
  Random random(1);
  auto evidence = evidence_of(study, random);
  std::erase_if(evidence.launches, [](const CauseLaunch& launch) { return !launch.path; });
  EXPECT_THAT(decide_causes(evidence).main, ElementsAre(StepCause::transfer));
}

TEST(StepCauses, UnknownWaitingForACoreLeavesItOpenBesideInterference) {
  Random random(1);
  auto evidence = evidence_of(planted_study(StepCause::interference, 0.2), random);
  for (auto& launch : evidence.launches)
    if (launch.path) launch.path->run_queue_wait_s = not_available;
  const auto decision = decide_causes(evidence);
  EXPECT_THAT(causes_with(decision, Verdict::undecided),
              ElementsAre(StepCause::interference, StepCause::oversubscription));
}

TEST(StepCauses, TwoLaunchesDecideNothing) {
  auto study = planted_study(StepCause::transfer, 0.4);
  study.blocks = 2;
  EXPECT_THAT(decision_of(study).findings, IsEmpty());
}

TEST(StepCauses, TooMuchScatterLeavesThemOpen) {
  auto study = planted_study(StepCause::transfer, 0.05);
  study.nuisance.paired_sd = 0.05;
  EXPECT_THAT(causes_with(decision_of(study), Verdict::supported), IsEmpty());
}

TEST(PathStep, PartsAddUpToTheStep) {
  for (const auto& row : choices<StepCause>) {
    const Study study = planted_study(row.value, 0.3);
    Random random(2);
    const auto path = Launch(study, LaunchArm::whole, 1, random).run(0).path;
    ASSERT_TRUE(path);
    EXPECT_NEAR(path->input_s + path->compute_s + path->imbalance_s + path->transfer_s +
                    path->optimizer_s + path->other_s,
                path->step_s, 1e-12);
    EXPECT_NEAR(path->other_s, 0, 1e-12);
  }
}

/// Between steps, and in no step_s.
TEST(PathStep, RecordingIsNoPartOfIt) {
  auto run = traced_run(2, 6);
  for (const StepColumn column : {&StepRow::phase_wait_s, &StepRow::phase_transfer_s,
                                  &StepRow::host_to_device_s, &StepRow::device_step_s})
    std::ranges::fill(run.steps.values(column), 0);
  std::ranges::fill(run.steps.values(&StepRow::epoch), 0);
  const auto with = path_step(run.steps, {0, 6});
  std::ranges::fill(run.steps.values(&StepRow::recording_s), 0);
  const auto without = path_step(run.steps, {0, 6});
  ASSERT_TRUE(with && without);
  EXPECT_NEAR(without->step_s, traced_step_s, 1e-12);
  EXPECT_NEAR(with->step_s, traced_step_s - 0.001, 1e-12);
  EXPECT_NEAR(without->other_s - with->other_s, 0.001, 1e-12);
}

TEST(PathStep, OnlyASlowRankIsPersistent) {
  const auto path = [](StepCause cause) {
    auto study = planted_study(cause, 0.3);
    study.steps = 400;
    Random random(3);
    return *Launch(study, LaunchArm::whole, 1, random).run(0).path;
  };
  EXPECT_NEAR(path(StepCause::slow_rank).persistent_s, 0.03, 0.002);
  EXPECT_EQ(path(StepCause::slow_rank).slowest_rank, 3);
  EXPECT_NEAR(path(StepCause::slow_rank).compute_s, 0.095, 0.001) << "that of the others";
  EXPECT_LT(std::abs(path(StepCause::imbalance).persistent_s), 0.003);
  EXPECT_NEAR(path(StepCause::imbalance).imbalance_s, 0.03, 0.004);
}

}  // namespace
}  // namespace scalestudy
