#include "analysis/report/published/published_report.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "analysis/report/published/published_figures.hpp"
#include "analysis/report/published/published_tables.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

PublishedRun run_of(std::int64_t ranks, double time_s) {
  PublishedRun run;
  run.ranks = ranks;
  run.training_time_s = time_s;
  return run;
}

PublishedAnalysis analysed(
    const std::vector<PublishedRun>& runs,
    const std::function<void(PublishedStudy&)>& change = [](auto&) {}) {
  PublishedArm arm;
  arm.name = "one <arm>";
  arm.runs = runs;
  PublishedStudy study{.name = "invented",
                       .title = "Invented",
                       .repository = "https://x.example",
                       .workload = "nothing",
                       .sample_noun = "images",
                       .arms = {arm}};
  change(study);
  return analyse_published(study);
}

std::string text_of(const PublishedAnalysis& analysis) {
  return join(published_paragraphs(analysis.study, analysis.arms.at(0)), "\n");
}

TEST(PublishedReportText, EveryStudySaysThatItIsExternalAndWhereItIsFrom) {
  const auto text = text_of(analysed({run_of(1, 100), run_of(2, 60)}));
  EXPECT_THAT(text, HasSubstr("EXTERNAL: published at https://x.example; nothing, device not "
                              "stated, precision not stated, rule not stated."));
  EXPECT_THAT(text, HasSubstr("One rank: 1 min 40 s; two ranks: 1 min 0 s."));
  EXPECT_THAT(text, HasSubstr("what the factor is made of cannot be told"));
}

TEST(PublishedReportText, WithoutWorkTheRestIsOneFactor) {
  auto one = run_of(1, 100), two = run_of(2, 60);
  one.samples_per_s = 10;
  two.samples_per_s = 20;
  const auto text = text_of(analysed({one, two}));
  EXPECT_THAT(text, HasSubstr("throughput 2.000 × 0.8333, which is what samples trained and fixed "
                              "cost are together"));
  EXPECT_THAT(text, HasSubstr("how much was trained is not published, so fixed share"));
  one.epochs = two.epochs = 3;
  EXPECT_THAT(text_of(analysed({one, two})), HasSubstr("how many samples an epoch has is not"));
}

TEST(PublishedReportText, DoubtfulRatiosSayWhatIsLikely) {
  const auto* doubt = "Ranks alone hardly make that (";
  EXPECT_THAT(text_of(analysed({run_of(1, 100), run_of(2, 60), run_of(4, 1)})),
              HasSubstr(cat(doubt, "four ranks 100): most likely numbers are in different units")));
  EXPECT_THAT(text_of(analysed({run_of(1, 100), run_of(2, 60)})), Not(HasSubstr(doubt)));
  EXPECT_THAT(text_of(analysed({run_of(1, 420), run_of(2, 220), run_of(4, 120), run_of(8, 3800)})),
              HasSubstr(cat(doubt, "eight ranks 0.111)")))
      << "31 times slower than the next fewer";
  auto whole = run_of(1, 100), stopped = run_of(4, 16);
  whole.epochs = 30;
  stopped.epochs = 18;
  whole.samples_per_epoch = stopped.samples_per_epoch = 100;
  EXPECT_THAT(
      text_of(analysed({whole, stopped})),
      HasSubstr(cat(doubt, "four ranks 6.25): one rank trained 1.67 times as many images.")));
}

TEST(PublishedReportText, CensoredRunsAreCounted) {
  auto aborted = run_of(2, 10);
  aborted.outcome = PublishedOutcome::censored;
  EXPECT_THAT(text_of(analysed({run_of(1, 100), run_of(2, 60), aborted})),
              HasSubstr("Runs that reached their end: 1 of 2 at two ranks"));
  EXPECT_THAT(text_of(analysed({run_of(1, 100), run_of(2, 60)})), Not(HasSubstr("reached")));
}

// Fast, but wrong: 0.0011 and NaN at four ranks.
TEST(PublishedReportText, AFlawIsSaidWhereverItsSpeedStands) {
  auto one = run_of(1, 1200), missed = run_of(4, 300), nan = run_of(4, 300);
  one.quality = 0.76;
  one.platform = "1xA100";
  missed.quality = 0.0011;
  missed.platform = nan.platform = "4xA100";
  missed.outcome = PublishedOutcome::quality_missed;
  nan.outcome = PublishedOutcome::quality_nan;
  const auto analysis = analysed({one, missed, nan});
  const auto* mark = " (quality not reached, quality or loss is NaN at least once)";
  EXPECT_EQ(published_headline(analysis.arms[0]),
            cat("Four ranks were 4.00 times as fast as one rank", mark,
                "; quality 0.001100 and NaN instead of 0.7600, perhaps on other samples"));
  const auto text = text_of(analysis);
  EXPECT_THAT(text,
              HasSubstr(cat("One rank: 1xA100, 20 min 0 s; four ranks: 4xA100, 5 min 0 s", mark)));
  EXPECT_THAT(text, HasSubstr(cat("4.000 times as fast as one rank by training time", mark)));
  EXPECT_THAT(text, HasSubstr("0.7600 at 1, 0.001100 and NaN at 4 ranks"));
  EXPECT_THAT(text, Not(HasSubstr("factor")));
  EXPECT_THAT(published_figures(analysis), IsEmpty()) << "never ranked";
  EXPECT_THAT(published_factors_table(analysis).rows, IsEmpty());
  EXPECT_THAT(
      to_csv(published_table(analysis)),
      HasSubstr("4,4xA100,2,\"quality not reached, quality or loss is NaN at least once\",300"));
  EXPECT_THAT(to_html(published_table(analysis)),
              HasSubstr("quality not reached, quality or loss"));
}

TEST(PublishedReportText, FlawedRunsBesideSoundOnesAreNamed) {
  auto missed = run_of(2, 10), four = run_of(4, 20);
  missed.outcome = four.outcome = PublishedOutcome::quality_missed;
  const auto analysis = analysed({run_of(1, 100), run_of(2, 60), missed, four});
  EXPECT_EQ(published_headline(analysis.arms[0]), "Two ranks were 1.67 times as fast as one rank");
  EXPECT_THAT(text_of(analysis), HasSubstr("At four ranks: 5.000 (quality not reached)."));
  EXPECT_THAT(text_of(analysis), HasSubstr("Left out: 1 run at two ranks (quality not reached)."));
  const auto figures = published_figures(analysis);
  EXPECT_THAT(figures.at(0).tsv, Not(HasSubstr("\n4\t")));
  EXPECT_THAT(figures.at(0).caption, HasSubstr("not drawn: 4 ranks (quality not reached)"));
}

TEST(PublishedReportText, NumbersThatContradictEachOtherMakeNoFactorAndSayWhy) {
  auto one = run_of(1, 100), two = run_of(2, 60), four = run_of(4, 20);
  four.launch_wall_time_s = 10;
  const auto* flaw = "(training takes longer than the job)";
  const auto alone = analysed({one, four});
  const auto sentence =
      cat("No speed-up is stated: numbers contradict each other at four ranks ", flaw);
  EXPECT_EQ(published_headline(alone.arms[0]), sentence);
  EXPECT_THAT(text_of(alone), HasSubstr(sentence + "."));
  EXPECT_THAT(text_of(alone), Not(HasSubstr("times as fast")));
  EXPECT_EQ(published_headline(analysed({four, two}).arms[0]), sentence);
  const auto beside = analysed({one, two, four});
  EXPECT_EQ(published_headline(beside.arms[0]), "Two ranks were 1.67 times as fast as one rank");
  EXPECT_THAT(text_of(beside), HasSubstr(cat("At four ranks: none ", flaw, ".")));
  two.outcome = four.outcome = PublishedOutcome::quality_missed;
  const auto missed = analysed({one, two, four});
  EXPECT_EQ(published_headline(missed.arms[0]),
            "Two ranks were 1.67 times as fast as one rank (quality not reached)");
  EXPECT_THAT(text_of(missed), HasSubstr("At four ranks: none (quality not reached, training takes "
                                         "longer than the job)."));
}

TEST(PublishedReportText, ReadingErrorsBecomeARange) {
  PublishedRun one, four;
  one.relative_time_frac = 1;
  four.ranks = 4;
  four.relative_time_frac = 0.32;
  const auto text = text_of(analysed(
      {one, four}, [](PublishedStudy& study) { study.arms[0].reading_error_frac = 0.01; }));
  EXPECT_THAT(text, HasSubstr("3.03 to 3.23"));
  EXPECT_THAT(text, HasSubstr("No absolute time or rate of a whole run is published."));
}

TEST(PublishedReportText, EpochsThatDropSamplesAreNamed) {
  auto one = run_of(1, 100), six = run_of(6, 20);
  one.samples_per_epoch = 1792;
  six.samples_per_epoch = 1728;
  one.median_epoch_s = 10;
  six.median_epoch_s = 2;
  one.epochs = six.epochs = 9;
  const auto rule = [](PublishedStudy& study) {
    study.arms[0].scaling_rule = PublishedRule::linear_fixed_epochs;
  };
  EXPECT_THAT(text_of(analysed({one, six}, rule)),
              HasSubstr("1728 at six ranks (by epoch time 5.00, per sample 4.82)"));
  six.samples_per_epoch = 1792;
  EXPECT_THAT(text_of(analysed({one, six}, rule)), Not(HasSubstr("by epoch time")));
}

TEST(PublishedReportText, QualityOnOnePopulationIsCompared) {
  auto one = run_of(1, 100), two = run_of(2, 60);
  one.quality = 0.9;
  two.quality = 0.8;
  const auto unknown = text_of(analysed({one, two}));
  EXPECT_THAT(unknown, HasSubstr("not stated everywhere, so they are not compared"));
  one.evaluated_sample_count = two.evaluated_sample_count = 50;
  const auto equal = text_of(analysed({one, two}));
  EXPECT_THAT(equal, HasSubstr("Difference of two ranks to one rank: "));
  EXPECT_THAT(equal, Not(HasSubstr("evaluation_set_differs")));
  two.evaluated_sample_count = 25;
  EXPECT_THAT(text_of(analysed({one, two})),
              HasSubstr("evaluation_set_differs: models were judged on different numbers of images "
                        "(50 at 1 rank, 25 at 2 ranks)"));
}

TEST(PublishedReportText, OnePointHasNoSpeedup) {
  const auto analysis = analysed({run_of(8, 100)});
  EXPECT_EQ(published_headline(analysis.arms[0]), "No speed-up is published");
  EXPECT_THAT(text_of(analysis), HasSubstr("There are no two numbers of ranks to compare"));
  EXPECT_THAT(published_figures(analysis), IsEmpty());
  EXPECT_THAT(published_table(analysis).rows, SizeIs(1));
  EXPECT_THAT(published_factors_table(analysis).rows, IsEmpty());
}

TEST(PublishedFigures, HaveAPointPerRankCountAndTheLabel) {
  const auto figures = published_figures(analysed({run_of(4, 100), run_of(8, 50)}));
  ASSERT_THAT(figures, SizeIs(2));
  EXPECT_EQ(figures[0].labels, "external");
  EXPECT_THAT(figures[0].tsv, HasSubstr("\n4\t1\tNaN\tNaN\n8\t2\tNaN\tNaN\n"));
  EXPECT_THAT(figures[1].tsv, HasSubstr("\n8\t100\tNaN\tNaN\n"));
  EXPECT_THAT(figures[0].drawing, HasSubstr("x/4.0 with lines")) << "ideal, from four ranks on";
  EXPECT_THAT(figures[0].caption, StartsWith("External, as published at https://x.example"));
  EXPECT_THAT(figures[0].caption, HasSubstr("4 ranks: 1 min 40 s")) << "absolute base";
}

TEST(PublishedFigures, ArmsOfDifferentBasesHaveNoCommonIdeal) {
  const auto figures =
      published_figures(analysed({run_of(1, 100), run_of(2, 50)}, [](PublishedStudy& study) {
        auto other = study.arms[0];
        other.name = "other";
        other.runs = {run_of(4, 100), run_of(8, 50)};
        study.arms.push_back(other);
      }));
  EXPECT_THAT(figures.at(0).drawing, Not(HasSubstr("'ideal'")));
  EXPECT_THAT(figures.at(0).drawing, HasSubstr("other, against 4 ranks"));
}

}  // namespace
}  // namespace scalestudy
