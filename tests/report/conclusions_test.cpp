#include "analysis/report/page/conclusions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"
#include "tests/report/answer_text.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ConclusionsOfStudy : public AnalysedStudy {
 protected:
  static SyntheticRun small() { return {.steps_per_epoch = 20, .time_noise = 0.005}; }
  void add(const SyntheticRun& run, int repeats = 4) { AnalysedStudy::add(run, repeats); }
  void add_one_and_two(SyntheticRun one, SyntheticRun two, int repeats = 4) {
    add(one, repeats);
    two.ranks = 2;
    two.epochs = 2;
    add(two, repeats);
  }
  Conclusions conclusions() { return conclusions_of(series()); }
  std::string quality() { return all(conclusions().quality); }
};

TEST_F(ConclusionsOfStudy, AParagraphForEachQuestionWithTheLargestRankCountAhead) {
  add(small());
  for (const std::int64_t ranks : {2, 4}) {
    auto run = small();
    run.ranks = ranks;
    run.epochs = 4 / ranks;
    add(run);
  }
  const auto found = conclusions();
  EXPECT_THAT(found.headline, StartsWith("Four ranks trained "));
  ASSERT_EQ(found.answers().size(), 5U);
  EXPECT_THAT(all(found.speed), HasSubstr("Training speed-up at two ranks: "));
  EXPECT_THAT(all(found.quality), HasSubstr("PSNR"));
  EXPECT_THAT(all(found.smoothness), HasSubstr("loss curve of four ranks"));
}

TEST_F(ConclusionsOfStudy, RunsWithoutTheirCoresAreCountedWithTheReasonOfOne) {
  auto quiet = small(), busy = small();
  quiet.cpu_share = 0.95;
  busy.cpu_share = 0.5;
  add_one_and_two(quiet, busy);
  const auto speed = all(conclusions().speed);
  EXPECT_THAT(conclusions().headline, StartsWith("The machine was busy: that two ranks trained "));
  EXPECT_THAT(all(conclusions().causes), StartsWith("Not told on a busy machine"));
  EXPECT_THAT(speed, StartsWith("BUSY MACHINE: 4 of 8 runs did not have the cores to themselves"));
  EXPECT_THAT(speed, ContainsRegex("noise2void-r2-.*at work only 5[0-9] % of the time"));
}

/// 0.787 on a busy machine was 1.45 on a quiet one.
TEST_F(ConclusionsOfStudy, NoVerdictIsGivenOnRunsOfABusyMachine) {
  auto busy = small(), slow = small();
  busy.cpu_share = slow.cpu_share = 0.5;
  slow.exposed_communication_s = 0.2;
  add_one_and_two(busy, slow);
  const auto speed = all(conclusions().speed);
  EXPECT_THAT(speed, Not(HasSubstr("slower than one")));
  EXPECT_THAT(speed, HasSubstr("then run the study again with --redo-busy."));
}

TEST_F(ConclusionsOfStudy, RepeatsThatResumedRunsWasteAreAskedFor) {
  auto resumed = small();
  resumed.labels = {"resumed"};
  resumed.repeat = 2;
  add_one_and_two(small(), small(), 2);
  add_run(resumed);
  resumed.ranks = 2;
  add_run(resumed);
  EXPECT_THAT(all(conclusions().speed), HasSubstr("run it again with --set repeats=4."))
      << "repeat 2 is there, but its times do not count";
  EXPECT_THAT(all(conclusions().causes), HasSubstr("--set repeats=4."));
}

/// Runs of one rank first, those of two so much later.
class ConclusionsOfBlocks : public ConclusionsOfStudy {
 protected:
  std::string with_two_ranks_later_by(double later_s) {
    for (std::int64_t repeat = 0; repeat < 3; ++repeat) {
      auto run = small();
      run.repeat = repeat;
      run.started_unix_s = 1e9 + 100 * double(repeat);
      add_run(run);
      run.ranks = 2;
      run.started_unix_s += later_s;
      add_run(run);
    }
    return all(conclusions().speed);
  }
};

TEST_F(ConclusionsOfBlocks, ThatWereAddedLaterAreNotPairedAndThatIsSaid) {
  EXPECT_THAT(with_two_ranks_later_by(5000),
              HasSubstr("3 runs each, not paired because repeats were not made together)"));
}

TEST_F(ConclusionsOfBlocks, ThatWereMadeTogetherNeedNoWord) {
  EXPECT_THAT(with_two_ranks_later_by(50), HasSubstr("; 3 runs each), "));
}

TEST_F(ConclusionsOfStudy, AQuietMachineIsNotSpokenOf) {
  auto quiet = small();
  quiet.cpu_share = 0.9;
  add_one_and_two(quiet, quiet);
  EXPECT_THAT(all(conclusions().speed), Not(HasSubstr("BUSY")));
  EXPECT_THAT(conclusions().headline, Not(HasSubstr("busy")));
  EXPECT_THAT(all(conclusions().causes), HasSubstr(" step of "));
}

TEST_F(ConclusionsOfStudy, EqualQualityIsNotCalledBetter) {
  auto run = small();
  add(run);
  run.ranks = 2;  // as many epochs: the validation loss falls as far
  add(run);
  EXPECT_THAT(quality(), HasSubstr("All models were evaluated on the same 64 validation samples "
                                   "(hash 7f3a0000…)."));
  EXPECT_THAT(quality(), HasSubstr("Whether more ranks are better or worse is not resolved: "));
  EXPECT_THAT(quality(), Not(HasSubstr("More ranks are")));
}

TEST_F(ConclusionsOfStudy, WorseQualityIsSaidWithItsUnit) {
  auto worse = small();
  worse.quality = {{&EvaluationRow::psnr_db, 24.0}};
  add_one_and_two(small(), worse);
  EXPECT_THAT(quality(), ContainsRegex("PSNR of the best weights in dB: .*More ranks are worse by "
                                       "−[34]\\.[0-9] dB"));
}

TEST_F(ConclusionsOfStudy, BetterQualityIsSaidToo) {
  auto better = small();
  better.quality = {{&EvaluationRow::psnr_db, 32.0}};
  add_one_and_two(small(), better);
  EXPECT_THAT(quality(), ContainsRegex("More ranks are better by [34]\\.[0-9] dB"));
}

TEST_F(ConclusionsOfStudy, TwoRunsEachAllowNoStatement) {
  add_one_and_two(small(), small(), 2);
  EXPECT_THAT(quality(), HasSubstr("no statement is possible"));
  EXPECT_THAT(conclusions().headline,
              ContainsRegex("^1 more repeat needed: two ranks trained [0-9.]+ times as fast as one "
                            "in these runs$"));
  EXPECT_THAT(all(conclusions().speed), HasSubstr("interval not determinable; 2 runs each"));
  EXPECT_THAT(all(conclusions().speed), HasSubstr("run it again with --set repeats=3."));
  EXPECT_THAT(all(conclusions().smoothness), HasSubstr("beside the"));
}

TEST_F(ConclusionsOfStudy, OneRunEachStillHasItsRatio) {
  add_one_and_two(small(), small(), 1);
  EXPECT_THAT(
      conclusions().headline,
      ContainsRegex("^2 more repeats needed: two ranks trained [0-9.]+ times as fast as one "
                    "in the only run each$"));
  EXPECT_THAT(all(conclusions().speed), HasSubstr("interval not determinable; 1 run each"));
}

TEST_F(ConclusionsOfStudy, FromOneRunEachNothingIsCalledSlower) {
  auto slow = small();
  slow.exposed_communication_s = 0.2;
  add_one_and_two(small(), slow, 1);
  EXPECT_THAT(all(conclusions().speed), Not(HasSubstr("slower")));
  EXPECT_THAT(all(conclusions().speed), HasSubstr("nobody can say"));
}

TEST_F(ConclusionsOfStudy, WhatTheRuleDidToTheTrainingIsSaid) {
  add_one_and_two(small(), small());
  EXPECT_THAT(
      all(conclusions().speed),
      HasSubstr("The rule linear_fixed_samples changed the training too: with two ranks the "
                "batch is twice as large, the learning rate twice as high, the weights are "
                "updated half as often; the rule strong keeps all three."));
}

TEST_F(ConclusionsOfStudy, FasterStepsThatDoNotShortenTheTrainingAreSaid) {
  auto two = small();
  two.between_epochs_s = 2;
  add_one_and_two(small(), two);
  EXPECT_THAT(all(conclusions().speed), HasSubstr("Throughput and training time disagree: "));
}

TEST_F(ConclusionsOfStudy, ThroughputAndTimeThatAgreeNeedNoWord) {
  add_one_and_two(small(), small());
  EXPECT_THAT(all(conclusions().speed), Not(HasSubstr("disagree")));
}

TEST_F(ConclusionsOfStudy, RepeatsLeftForTimesAreCounted) {
  add_one_and_two(small(), small());
  auto resumed = small();
  resumed.repeat = 4;
  resumed.labels = {"resumed"};
  add_run(resumed);
  EXPECT_THAT(all(conclusions().speed),
              HasSubstr("Resumed runs are left out of all times; repeats left for them: 4 of 5 at "
                        "one rank."));
}

TEST_F(ConclusionsOfStudy, UnequalGroupsAreCounted) {
  add(small(), 3);
  auto two = small();
  two.ranks = 2;
  two.epochs = 2;
  add(two, 5);
  EXPECT_THAT(all(conclusions().speed), HasSubstr("5 runs against 3"));
}

TEST_F(ConclusionsOfStudy, OneRankOnlyStatesNoSpeedup) {
  add(small(), 1);
  const auto found = conclusions();
  EXPECT_EQ(found.headline, "No speed-up can be stated");
  EXPECT_THAT(all(found.speed),
              ContainsRegex("^Not told: only runs of one rank count .*\\. One rank: [0-9.]+ "
                            "samples/s, .* of training \\(1 run\\)\\.$"));
  EXPECT_THAT(all(found.quality), Not(HasSubstr("difference")));
}

TEST_F(ConclusionsOfStudy, WithoutAOneRankBaseNothingIsCompared) {
  for (const std::int64_t ranks : {2, 4}) {
    auto run = small();
    run.ranks = ranks;
    add(run);
  }
  const auto found = conclusions();
  EXPECT_EQ(found.headline, "No speed-up can be stated");
  EXPECT_THAT(
      all(found.speed),
      StartsWith("Not told: no run of one rank is complete (axes.ranks has to list 1). Two "));
  EXPECT_THAT(all(found.speed), HasSubstr("; four ranks: "));
  EXPECT_THAT(all(found.causes), StartsWith("Not told: no run of one rank is complete"));
}

/// Whatever is missing, each question says why it has no answer.
TEST_F(ConclusionsOfStudy, NoQuestionVanishes) {
  const auto expect_all = [](const Conclusions& found) {
    const auto answers = found.answers();
    EXPECT_EQ(answers.size(), 5U);
    for (const auto& [question, text, notes] : answers) EXPECT_FALSE(text.empty()) << question;
  };
  add(small(), 1);
  expect_all(conclusions());
  auto two = small();
  two.ranks = 2;
  two.epochs = 2;
  SyntheticRuns few, busy, without_base;
  few.add(study_, small(), 1);
  few.add(study_, two, 1);
  expect_all(conclusions_of(StudyAnalysis(few.of({study_})).studies().at(0)));
  without_base.add(study_, two, 3);
  expect_all(conclusions_of(StudyAnalysis(without_base.of({study_})).studies().at(0)));
  auto disturbed = small();
  disturbed.cpu_share = two.cpu_share = 0.5;
  busy.add(study_, disturbed, 3);
  busy.add(study_, two, 3);
  expect_all(conclusions_of(StudyAnalysis(busy.of({study_})).studies().at(0)));
}

TEST_F(ConclusionsOfStudy, SlowerThanOneIsSaid) {
  auto slow = small();
  slow.exposed_communication_s = 0.2;
  add_one_and_two(small(), slow);
  EXPECT_THAT(all(conclusions().speed), HasSubstr("They are slower than one."));
}

TEST_F(ConclusionsOfStudy, ABaseBesideResumedRunsIsNotCalledMissing) {
  auto resumed = small();
  resumed.ranks = 2;
  resumed.epochs = 2;
  resumed.labels = {"resumed"};
  add(small());
  add(resumed);
  EXPECT_THAT(all(conclusions().speed),
              AllOf(StartsWith("Not told: no run of several ranks has times that count"),
                    HasSubstr("0 of 4 at two ranks. More repeats bring others")));
}

TEST_F(ConclusionsOfStudy, AnOutlierIsNamedAndCounts) {
  add(small(), 6);
  auto two = small();
  two.ranks = 2;
  two.epochs = 2;
  add(two, 5);
  two.repeat = 5;
  two.compute_s *= 1.5;
  add_run(two);
  EXPECT_THAT(all(conclusions().speed),
              ContainsRegex("An outlier, which counts as any other run: noise2void-r2-.*-rep5-.* "
                            "trained 1[.]4[0-9] times as long as its like[.]"));
  EXPECT_THAT(all(conclusions().speed), HasSubstr("6 runs each"));
}

TEST_F(ConclusionsOfStudy, OtherEvaluationSetsAreNotCompared) {
  auto other = small();
  other.evaluation_hash = "ffffffffffffffff";
  other.quality = {{&EvaluationRow::psnr_db, 20.0}};
  add_one_and_two(small(), other);
  EXPECT_THAT(quality(), StartsWith("The models were evaluated on different sets"));
  EXPECT_THAT(quality(), Not(HasSubstr("More ranks are")));
}

TEST_F(ConclusionsOfStudy, WithoutAnyEvaluationHashNothingIsClaimed) {
  auto run = small();
  run.evaluation_hash = "";
  add_one_and_two(run, run);
  EXPECT_EQ(quality(), "No evaluation was recorded.");
}

TEST_F(ConclusionsOfStudy, ControlArmsAreNoStudiesOfTheirOwn) {
  add_one_and_two(small(), small());
  auto arm = small();
  arm.control_arm = choices<ControlArm>[0].value;
  arm.compute_s = 0.01;
  arm.ranks = 4;
  add(arm);
  EXPECT_EQ(analysis().studies().size(), 1U);
  EXPECT_THAT(conclusions().headline, StartsWith("Two ranks"));
}

TEST_F(ConclusionsOfStudy, LabelsStandInTheFirstParagraph) {
  auto run = small();
  run.labels = {"oversubscribed", "external"};
  add_one_and_two(run, run);
  const auto first = all(conclusions().speed);
  EXPECT_THAT(first, HasSubstr("OVERSUBSCRIBED: the runs with 1 and 2 ranks had"));
  EXPECT_THAT(first, HasSubstr("EXTERNAL"));
  EXPECT_THAT(first, Not(HasSubstr("EMULATED INPUT")));
}

TEST_F(ConclusionsOfStudy, WhatIsInjectedIsNamedInTheFirstParagraph) {
  auto run = small();
  run.injections = {"slow-rank=1:1.2x", "jitter=5%"};
  add_one_and_two(run, run);
  // One rank has no rank 1.
  EXPECT_THAT(all(conclusions().speed),
              HasSubstr("INJECTED on purpose: slow-rank=1:1.2x in the runs with 2 ranks only; "
                        "jitter=5% in every run."));
}

TEST_F(ConclusionsOfStudy, AnEmulatedLinkIsDescribedInTheFirstParagraph) {
  auto run = small();
  run.link_bandwidth_bytes_per_s = 5e7;
  run.labels = {"emulated_link", "no_payload"};
  add_one_and_two(run, run);
  const auto first = all(conclusions().speed);
  EXPECT_THAT(first, HasSubstr("EMULATED LINK: collectives took as long as a model says (ring, "
                               "0.05 GB/s a rank, 0 µs) and ranks shared no wire"));
  EXPECT_THAT(first, HasSubstr("NO PAYLOAD"));
}

TEST_F(ConclusionsOfStudy, ThatNoCoreWasSpareIsSaid) {
  auto run = small();
  run.labels = {"no_spare_core"};
  add_one_and_two(small(), run);
  const auto first = all(conclusions().speed);
  EXPECT_THAT(first, HasSubstr("NO SPARE CORE: in the runs with 2 ranks threads"));
  EXPECT_THAT(first, Not(HasSubstr("OVERSUBSCRIBED")));
}

TEST_F(ConclusionsOfStudy, WhereOnlyOneOfThemHadNoCoreToSpareItSaysSome) {
  auto run = small();
  add_one_and_two(run, run);
  run.labels = {"no_spare_core"};
  add(run, 1);  // in the place of the first of them
  EXPECT_THAT(all(conclusions().speed),
              HasSubstr("NO SPARE CORE: in some of the runs with 1 rank threads"));
}

/// Of a rank count whose runs were all resumed.
TEST_F(ConclusionsOfStudy, TheMostRanksWithTimesAreAhead) {
  add(small());
  auto two = small();
  two.ranks = 2;
  two.epochs = 2;
  add(two);
  auto resumed = small();
  resumed.ranks = 4;
  resumed.epochs = 1;
  resumed.labels = {"resumed"};
  add(resumed);
  const auto found = conclusions();
  EXPECT_TRUE(states_speedup(series()));
  EXPECT_EQ(stated_speedup(series()).ranks, 2);
  EXPECT_THAT(found.headline, StartsWith("Two ranks trained "));
  EXPECT_THAT(all(found.speed), HasSubstr("0 of 4 at four ranks"));
  EXPECT_THAT(all(found.causes), StartsWith("A step of two ranks"));
}

}  // namespace
}  // namespace scalestudy
