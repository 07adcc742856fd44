#include "analysis/study/deciding_runs.hpp"

#include <gmock/gmock.h>

#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DecidingRunsOf : public AnalysedStudy {
 protected:
  void add_both(SyntheticRun run, int repeats) {
    run.ranks = 1;
    add(run, repeats);
    run.ranks = 2;
    run.exposed_communication_s = exposed_s_;
    add(run, repeats);
  }
  std::optional<DecidingRuns> decided() { return deciding_runs(analysis(), series()); }

  double exposed_s_ = 0;
};

TEST_F(DecidingRunsOf, AreNoneWhereNothingIsOpen) {
  exposed_s_ = 0.0001;  // surely less than the margin
  add_both({.time_noise = 0.0001}, 5);
  EXPECT_FALSE(decided());
}

TEST_F(DecidingRunsOf, AreRepeatsWhereTheLossItselfIsNotSure) {
  exposed_s_ = 0.004;
  add_both({.time_noise = 0.03}, 4);
  const auto runs = decided();
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->open.size(), 1U);
  EXPECT_FALSE(runs->open.front().cause);
  ASSERT_TRUE(runs->open.front().repeats);
  EXPECT_GT(runs->repeats, 4);
  EXPECT_EQ(runs->launches, 2 * (runs->repeats - 4));
  EXPECT_GT(runs->wall_time_s, static_cast<double>(runs->launches));
}

/// The command repeats them, too.
TEST_F(DecidingRunsOf, CountTheFairBase) {
  exposed_s_ = 0.004;
  add_both({.time_noise = 0.03}, 4);
  add({.time_noise = 0.03, .threads_per_rank = 2}, 4);
  const auto runs = decided();
  ASSERT_TRUE(runs);
  EXPECT_GT(runs->repeats, 4);
  EXPECT_EQ(runs->launches, 3 * (runs->repeats - 4));
}

/// No repeats tell what the records do not hold, here who waited for a core.
TEST_F(DecidingRunsOf, AreTheMissingArmsOfAnOpenCause) {
  exposed_s_ = 0.02;
  add_both({.time_noise = 0.001}, 5);
  const auto runs = decided();
  ASSERT_TRUE(runs);
  const auto question =
      std::ranges::find(runs->open, StepCause::interference, &OpenQuestion::cause);
  ASSERT_NE(question, runs->open.end());
  const auto both = ElementsAre(ControlArm::barrier_only, ControlArm::no_communication);
  EXPECT_THAT(question->arms, both);
  EXPECT_FALSE(question->repeats);
  EXPECT_THAT(runs->arms, both);
  EXPECT_EQ(runs->repeats, 5);
  EXPECT_EQ(runs->launches, 5 * 3) << "both arms, and their partner at one rank";
}

/// Arms cost as many launches again; a few repeats more are cheaper, many more are not.
TEST_F(DecidingRunsOf, AreTheCheaperOfArmsAndRepeats) {
  exposed_s_ = 0.02;
  add_both({.peer_wait_frac = 0.9, .time_noise = 0.001}, 5);
  const auto with = [&](std::optional<std::int64_t> repeats) {
    auto study = series();
    auto& decision = study.causes.front();
    for (auto& finding : decision.findings)
      finding.verdict =
          finding.cause == StepCause::transfer ? Verdict::undecided : Verdict::refuted;
    decision.findings[1].launches_to_decide = repeats;
    return deciding_runs(analysis(), study).value();
  };
  EXPECT_EQ(with(7).repeats, 7);
  EXPECT_THAT(with(7).arms, IsEmpty());
  EXPECT_EQ(with(100).repeats, 5);
  EXPECT_THAT(with(100).arms, ElementsAre(ControlArm::barrier_only, ControlArm::no_communication));
  EXPECT_EQ(with(100).launches, 15) << "of both arms at two ranks and their partner at one";
  EXPECT_EQ(with({}).launches, 15);
  EXPECT_EQ(with(101).launches, 15);
}

TEST_F(DecidingRunsOf, AreNoneWhereMoreThanAHundredWouldDecide) {
  exposed_s_ = 0.004;
  add_both({.time_noise = 0.03}, 4);
  auto study = series();
  auto& loss_s = study.causes.front().loss_s;
  loss_s.value = study.causes.front().margin_s * 1.01;
  const auto runs = deciding_runs(analysis(), study).value();
  EXPECT_GT(runs.open.front().repeats.value_or(101), 100);
  EXPECT_EQ(runs.launches, 0);
}

TEST(ArmsTelling, AreThoseOfTheContrast) {
  const auto exchange = ElementsAre(ControlArm::barrier_only, ControlArm::no_communication);
  EXPECT_THAT(arms_telling(StepCause::input, true), ElementsAre(ControlArm::synthetic_input));
  EXPECT_THAT(arms_telling(StepCause::imbalance, true), exchange);
  EXPECT_THAT(arms_telling(StepCause::interference, false), exchange);
  EXPECT_THAT(arms_telling(StepCause::interference, true),
              ElementsAre(ControlArm::barrier_only, ControlArm::synthetic_input,
                          ControlArm::synthetic_input_no_communication));
  EXPECT_THAT(arms_telling(StepCause::optimizer, false), IsEmpty());
}

}  // namespace
}  // namespace scalestudy
