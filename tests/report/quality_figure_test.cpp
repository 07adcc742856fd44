/// Quality by ranks and by time: drawn is what the analysis found, and only what compares.

#include "analysis/report/learning/quality_figure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "analysis/report/page/figures.hpp"
#include "analysis/report/text/numbers.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class QualityFigure : public AnalysedStudy {
 protected:
  void add_pair(SyntheticRun run = {}, int repeats = 3) {
    run.steps_per_epoch = 10;
    add(run, repeats);
    run.ranks = 2;
    add(run, repeats);
  }
  Figure figure(const std::string& slug) {
    for (const Figure& one : figures_of(series()))
      if (one.slug.ends_with(slug)) return one;
    return {};
  }
};

TEST_F(QualityFigure, ShowsMeansIntervalsOfTheDifferencesAndEachRun) {
  add_pair();
  std::string expected = "# ranks\tpsnr_db\tlow\thigh\n";
  std::string runs = "\n\n# ranks\tpsnr_db, each run\n";
  const double base = mean(series().quality[0].metrics[0].values);
  for (const QualityPoint& point : series().quality) {
    const MetricValues& psnr = point.metrics[0];
    const bool is_base = point.ranks == 1;
    const auto shifted = [&](double limit) { return exact(base + limit); };
    expected += cat(point.ranks, '\t', exact(mean(psnr.values)), '\t',
                    is_base ? "NaN" : shifted(psnr.difference.interval->low), '\t',
                    is_base ? "NaN" : shifted(psnr.difference.interval->high), '\n');
    for (const double value : psnr.values) runs += cat(point.ranks, '\t', exact(value), '\n');
  }
  const auto shown = figure("-psnr-db-by-ranks");
  EXPECT_EQ(shown.tsv, expected + runs);
  EXPECT_THAT(shown.caption, AllOf(HasSubstr("Bars: 95 % paired t interval over launches, of the "),
                                   HasSubstr("all on the same samples")));
  EXPECT_THAT(shown.drawing, AllOf(HasSubstr("yerrorbars"), Not(HasSubstr("'margin'"))));
}

TEST_F(QualityFigure, ADeclaredMarginIsDrawnOnBothSidesOfOneRank) {
  add_pair({.goal = {.metric = "psnr_db", .margin = 0.5}});
  const double base = mean(series().quality[0].metrics[0].values);
  EXPECT_THAT(figure("-psnr-db-by-ranks").drawing,
              AllOf(HasSubstr(exact(base - 0.5) + " with lines dt 3"),
                    HasSubstr(exact(base + 0.5) + " with lines dt 3")));
}

TEST_F(QualityFigure, OtherEvaluatedSamplesAreNotDrawnBesideEachOther) {
  add({.steps_per_epoch = 10}, 3);
  add({.ranks = 2, .steps_per_epoch = 10, .evaluation_hash = "0123456789abcdef"}, 3);
  EXPECT_TRUE(quality_figures(series()).empty());
}

TEST_F(QualityFigure, OneNumberOfRanksComparesWithNothing) {
  add({.steps_per_epoch = 10}, 3);
  EXPECT_TRUE(quality_figures(series()).empty());
}

TEST_F(QualityFigure, WithoutIntervalsNoBarsAreDrawn) {
  add_pair({}, 1);
  const auto shown = figure("-psnr-db-by-ranks");
  EXPECT_THAT(shown.drawing, Not(HasSubstr("yerrorbars")));
  EXPECT_THAT(shown.caption, HasSubstr("No bars"));
}

TEST_F(QualityFigure, ABaselineIsNamed) {
  add_pair({.baselines = {{&EvaluationRow::input_psnr_db, 24}}});
  EXPECT_THAT(figure("-psnr-db-by-ranks").caption, HasSubstr("the noisy input has 24.00 dB."));
}

TEST_F(QualityFigure, ByTimeTheDeclaredTargetIsDrawn) {
  add_pair({.quality = {{&EvaluationRow::iou, 0.5}},
            .validation_iou = 0.4,
            .goal = {.metric = "iou", .target = 0.65}});
  const auto shown = figure("-iou-by-time");
  EXPECT_THAT(shown.drawing, AllOf(HasSubstr("0.65 with lines"), HasSubstr("title 'target'")));
  const auto first = series().series.by_ranks.at(1).front()->record.evaluations.front();
  EXPECT_THAT(shown.tsv, HasSubstr(cat("# samples\ttime_s\tiou\tranks\n", exact(40 * 1.0), '\t',
                                       exact(first.end_s), "\t0.4\t1\n")));
  EXPECT_THAT(figure("-validation-loss-by-time").drawing, Not(HasSubstr("target")));
}

TEST_F(QualityFigure, WhatIsMeasuredAtTheEndOnlyHasNoCurve) {
  add_pair({.test_evaluation_hash = "0123456789abcdef", .quality = {}});
  EXPECT_EQ(figure("-psnr-db-by-time").slug, "");
  EXPECT_NE(figure("-validation-loss-by-time").slug, "");
}

}  // namespace
}  // namespace scalestudy
