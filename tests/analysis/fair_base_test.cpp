#include "analysis/speed/fair_base.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/speed/fair_base_report.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class FairBaseOfStudy : public AnalysedStudy {
 protected:
  /// One rank of one thread and two, the latter by this much faster a step.
  void add_ranks(double step_ratio) {
    SyntheticRun run{.time_noise = 0.01, .started_unix_s = 1, .core_count = 2};
    add(run, 4);
    run.ranks = 2;
    run.epochs = 2;
    run.compute_s /= step_ratio;
    add(run, 4);
  }
  /// One rank of `threads`, so many times as fast a step as of one.
  void add_threads(std::int64_t threads,
                   double step_ratio,
                   std::int64_t epochs = 4,
                   double cpu_share = 0) {
    SyntheticRun run{.epochs = epochs,
                     .time_noise = 0.01,
                     .cpu_share = cpu_share,
                     .started_unix_s = 1,
                     .core_count = 2};
    run.threads_per_rank = threads;
    run.compute_s /= step_ratio;
    add(run, 4);
  }
  /// The one that has two ranks.
  const SeriesAnalysis& of_two_ranks() {
    for (const SeriesAnalysis& one : analysis().studies())
      if (one.series.by_ranks.contains(2)) return one;
    throw std::logic_error("none");
  }
  std::string sentence() { return fair_base_sentence(of_two_ranks().fair_base, false); }
};

TEST_F(FairBaseOfStudy, OneRankThatMakesMoreOfTheCoresIsSaid) {
  add_ranks(0.9);       // 1.8 times as fast as one
  add_threads(2, 2.2);  // one rank on the same cores: faster
  const FairBase& fair = of_two_ranks().fair_base;
  ASSERT_EQ(fair.candidates.size(), 2U);
  EXPECT_TRUE(fair.has_equal_cores());
  EXPECT_EQ(fair.best()->threads, 2);
  EXPECT_LT(fair.best()->speedup.interval->high, 1);
  EXPECT_THAT(
      sentence(),
      ContainsRegex("^ Two ranks are 0.8[0-9]+ .* as one rank with 2 threads on the same 2"));
  EXPECT_THAT(sentence(), HasSubstr(": one rank makes more of the 2 cores."));
  EXPECT_THAT(conclusions_of(of_two_ranks()).speed.text, HasSubstr(sentence().substr(1)));
}

TEST_F(FairBaseOfStudy, RanksThatBeatItHelpNotOnlyByTheirCores) {
  add_ranks(0.9);
  add_threads(2, 1.3);
  EXPECT_THAT(sentence(), HasSubstr(": the ranks help, not only their cores."));
}

/// Also where it looks slower than one thread.
TEST_F(FairBaseOfStudy, OneThatOtherProgramsDisturbedSaysLittle) {
  add_ranks(0.9);
  add_threads(2, 1.3, 4, 0.5);
  const FairBase& fair = of_two_ranks().fair_base;
  ASSERT_NE(fair.disturbed(), nullptr);
  EXPECT_EQ(fair.disturbed()->busy_launches, 4U);
  EXPECT_THAT(sentence(), ContainsRegex("^ That two ranks are 1\\..* says little: other programs "
                                        "disturbed 4 of its 4 runs\\. --redo-busy"));
  EXPECT_THAT(conclusions_of(series()).headline,
              ContainsRegex("times as fast on 2 cores as one rank on 1$"));
}

TEST_F(FairBaseOfStudy, EquallyFastTheyAreNotToldApart) {
  add_ranks(1.0);
  add_threads(2, 2.105);  // what is no computing does not shrink
  const auto text = sentence();
  EXPECT_THAT(text, HasSubstr(": these runs cannot tell whether either is faster."));
  EXPECT_THAT(text, Not(HasSubstr("help")));
  EXPECT_THAT(fair_base_sentence(of_two_ranks().fair_base, true), Not(HasSubstr("cannot tell")))
      << "no verdict on a busy machine";
}

TEST_F(FairBaseOfStudy, WithoutSuchRunsTheIdleCoreAndTheSettingAreNamed) {
  add_ranks(0.9);
  EXPECT_EQ(of_two_ranks().fair_base.idle_cores(), 1);
  EXPECT_THAT(sentence(), HasSubstr("One rank used 1 of the 2 cores that two ranks had"));
  EXPECT_THAT(sentence(), HasSubstr("--set fair_base=true"));
  EXPECT_TRUE(fair_base_table(of_two_ranks()).rows.empty());
}

TEST_F(FairBaseOfStudy, MoreThreadsThatDoNotHelpLeaveTheBaseAsItIs) {
  add_ranks(0.9);
  add_threads(2, 0.8);
  EXPECT_EQ(of_two_ranks().fair_base.best()->threads, 1);
  EXPECT_THAT(sentence(), HasSubstr("With more threads (2) one rank was no faster"));
}

TEST_F(FairBaseOfStudy, TheHeadlineNamesBothFactorsThatOfTheSameCoresFirst) {
  add_ranks(0.9);
  add_threads(2, 1.3);
  ASSERT_EQ(analysis().studies().size(), 1U) << "the base has no answer of its own";
  EXPECT_THAT(conclusions_of(series()).headline,
              ContainsRegex("^Two ranks trained 1\\.[34][0-9]* times as fast as one process on the "
                            "same 2 cores, 1\\.[78][0-9]* times as fast as one rank on 1 core$"));
  EXPECT_EQ(series().series.name.find("settings 2"), std::string::npos);
}

TEST_F(FairBaseOfStudy, WithoutItTheHeadlineSaysTheCores) {
  add_ranks(0.9);
  EXPECT_THAT(conclusions_of(series()).headline,
              ContainsRegex(
                  "^Two ranks trained 1\\.[78][0-9]* times as fast on 2 cores as one rank on 1$"));
}

TEST_F(FairBaseOfStudy, OtherWorkIsNoBase) {
  add_ranks(0.9);
  SyntheticRun other{.local_batch = 8, .threads_per_rank = 2};
  add(other, 4);
  EXPECT_EQ(of_two_ranks().fair_base.candidates.size(), 1U);
}

TEST_F(FairBaseOfStudy, MoreThreadsThanTheRanksHaveCoresAreNotCompared) {
  add_ranks(0.9);
  add_threads(4, 3);
  EXPECT_EQ(of_two_ranks().fair_base.candidates.size(), 1U);
}

/// The study has a fair base already, of four threads.
TEST_F(FairBaseOfStudy, ABaseForRanksWithoutTimesIsNotAskedForAgain) {
  add_ranks(0.9);
  SyntheticRun four{.started_unix_s = 1, .core_count = 4};
  four.ranks = 4;
  four.epochs = 1;
  four.labels = {"resumed"};
  add(four, 4);
  add_threads(4, 3);
  EXPECT_TRUE(of_two_ranks().fair_base.has_larger_base);
  EXPECT_THAT(sentence(), Not(HasSubstr("--set fair_base=true")));
}

TEST_F(FairBaseOfStudy, TheBestOfSeveralIsChosenWithHolm) {
  add_ranks(1.0);
  add_threads(2, 1.9);
  const auto& candidates = of_two_ranks().fair_base.candidates;
  ASSERT_EQ(candidates.size(), 2U);
  const auto alone = compare(of_two_ranks().series.group(2), of_two_ranks().series.group(1),
                             &SummaryRow::training_time_s);
  EXPECT_DOUBLE_EQ(candidates[0].speedup.p_value, std::min(1.0, 2 * alone.p_value));
}

TEST_F(FairBaseOfStudy, AReplayComputesOnNoCore) {
  SyntheticRun run{.labels = {"emulated_compute"}};
  add(run, 3);
  run.ranks = 2;
  add(run, 3);
  EXPECT_EQ(sentence(), "");
}

TEST_F(FairBaseOfStudy, TheTableHasARowForEach) {
  add_ranks(0.9);
  add_threads(2, 2.2);
  const auto table = fair_base_table(of_two_ranks());
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(shown_in(table, 1, "is_best"), "fastest");
  EXPECT_EQ(shown_in(table, 0, "is_best"), "");
  EXPECT_EQ(raw_in(table, 0, "idle_cores"), "1");
}

}  // namespace
}  // namespace scalestudy
