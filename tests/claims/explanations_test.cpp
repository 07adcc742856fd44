/// Verdicts on why N ranks are not N times as fast: planted causes, disguised ones, none.

#include <gmock/gmock.h>

#include "analysis/claims/verification.hpp"
#include "tests/claims/claim_texts.hpp"
#include "tests/support/simulated_steps.hpp"

namespace scalestudy {
namespace {

using namespace simulated;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::vector<StepDecision> decisions_of(const Study& study) {
  Random random(1);
  return {decide_causes(evidence_of(study, random))};
}

Decision find(const json& causes, const std::vector<StepDecision>& decisions) {
  const auto claim = claim_from(explanation_claim(causes));
  return decide_by_causes(claim, claim.points.at(0), decisions);
}

TEST(Explanations, APlantedCauseConfirmsItsOwnAndNoOther) {
  for (const auto& row : choices<StepCause>) {
    const auto decisions = decisions_of(planted_study(row.value, 0.2));
    for (const auto& named : choices<StepCause>) {
      const bool is_it = named.value == row.value;
      EXPECT_EQ(find({std::string(named.name)}, decisions).outcome,
                is_it ? Outcome::pass : Outcome::fail)
          << named.name << " where " << row.name << " is planted";
    }
  }
}

TEST(Explanations, OneOfSeveralIsEnough) {
  const auto decisions = decisions_of(planted_study(StepCause::imbalance, 0.2));
  EXPECT_EQ(find({"transfer", "imbalance"}, decisions).outcome, Outcome::pass);
  EXPECT_EQ(find({"transfer", "slow_rank"}, decisions).outcome, Outcome::fail);
}

/// A profiler would show both as time in the all-reduce.
TEST(Explanations, ASlowRankDisguisedAsTransferIsNone) {
  auto study = planted_study(StepCause::slow_rank, 0.2);
  study.nuisance.meets_in_forward = true;
  EXPECT_EQ(find({"transfer"}, decisions_of(study)).outcome, Outcome::fail);
}

TEST(Explanations, InputHiddenBehindTransferIsNotCalledIt) {
  auto study = planted_study(StepCause::transfer, 0.3);
  at(study.planted, StepCause::input) = 0.3;
  study.nuisance.is_input_ahead = true;
  EXPECT_NE(find({"transfer"}, decisions_of(study)).outcome, Outcome::pass);
}

TEST(Explanations, WithoutALossThereIsNothingToExplain) {
  const auto decisions = decisions_of(planted_study(StepCause::input, 0.01));
  for (const auto& row : choices<StepCause>) {
    const auto finding = find({std::string(row.name)}, decisions);
    EXPECT_EQ(finding.outcome, Outcome::undecided) << row.name;
    EXPECT_THAT(finding.reason, HasSubstr("there is no sure loss to explain"));
    EXPECT_FALSE(finding.launches_to_decide);
  }
}

TEST(Explanations, ASmallerCauseIsNotTheMainOne) {
  auto study = planted_study(StepCause::transfer, 0.4);
  at(study.planted, StepCause::slow_rank) = 0.15;
  const auto decisions = decisions_of(study);
  EXPECT_EQ(find({"transfer"}, decisions).outcome, Outcome::pass);
  const auto smaller = find({"slow_rank"}, decisions);
  EXPECT_EQ(smaller.outcome, Outcome::undecided) << "it is a cause, too";
  EXPECT_THAT(smaller.reason, HasSubstr("A main cause: moving gradients"));
  EXPECT_THAT(smaller.reason, HasSubstr("but not the largest: more runs will not decide."));
  EXPECT_FALSE(smaller.launches_to_decide);
  EXPECT_EQ(find({"input"}, decisions).outcome, Outcome::fail);
}

TEST(Explanations, OpenOnesSayHowManyRepeatsWouldDecide) {
  auto study = planted_study(StepCause::transfer, 0.07);
  study.nuisance.paired_sd = 0.03;
  const auto decisions = decisions_of(study);
  ASSERT_TRUE(decisions.at(0).is_loss);
  const auto finding = find({"transfer"}, decisions);
  EXPECT_EQ(finding.outcome, Outcome::undecided);
  ASSERT_TRUE(finding.launches_to_decide);
  EXPECT_EQ(finding.launches_to_decide, decisions.at(0).findings.at(1).launches_to_decide);
  EXPECT_THAT(finding.reason, HasSubstr("repeats would decide"));
}

TEST(Explanations, TooFewRunsDecideNothing) {
  const auto finding = find({"transfer"}, {});
  EXPECT_EQ(finding.outcome, Outcome::undecided);
  EXPECT_THAT(finding.reason, HasSubstr("Fewer than 3 runs"));
}

TEST(Explanations, TheNumberOfRanksIsThatOfThePointOrTheMost) {
  auto decisions = decisions_of(planted_study(StepCause::input, 0.2));
  decisions.front().ranks = 8;
  decisions.push_back(decisions_of(planted_study(StepCause::transfer, 0.2)).front());
  EXPECT_EQ(find({"transfer"}, decisions).outcome, Outcome::pass) << "of 4";
  decisions.pop_back();
  EXPECT_EQ(find({"transfer"}, decisions).outcome, Outcome::fail) << "of 8";
}

/// Without arms nothing tells contention from interference, which stands for both.
TEST(Explanations, WhatWasNotExaminedIsNotRefuted) {
  auto study = planted_study(StepCause::exchange_contention, 0.2);
  std::erase_if(study.arms, [](const LaunchArm& arm) { return arm.left_out.has_value(); });
  const auto decisions = decisions_of(study);
  ASSERT_EQ(decisions.at(0).main, std::vector{StepCause::interference});
  const auto finding = find({"transfer", "exchange_contention"}, decisions);
  EXPECT_EQ(finding.outcome, Outcome::undecided);
  EXPECT_THAT(finding.reason, HasSubstr("is not told from interference"));
  EXPECT_EQ(find({"exchange_contention"}, decisions).outcome, Outcome::undecided);
  EXPECT_EQ(find({"transfer"}, decisions).outcome, Outcome::fail);
  const auto of_interference = find({"interference"}, decisions);
  EXPECT_EQ(of_interference.outcome, Outcome::undecided);
  EXPECT_THAT(of_interference.reason, HasSubstr("is not told from interference"));
  EXPECT_THAT(of_interference.reason, Not(HasSubstr("not the largest")));
  EXPECT_EQ(find({"interference", "exchange_contention"}, decisions).outcome, Outcome::pass);
}

}  // namespace
}  // namespace scalestudy
