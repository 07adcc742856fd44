#include "analysis/learning/quality.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

class QualityOfStudy : public AnalysedStudy {
 protected:
  void write(double two_rank_loss, const std::string& two_rank_hash) {
    add({.steps_per_epoch = 10}, 4);
    add({.ranks = 2,
         .steps_per_epoch = 10,
         .validation_loss = two_rank_loss,
         .evaluation_hash = two_rank_hash},
        4);
  }
};

TEST_F(QualityOfStudy, EqualModelsAreNotTakenApart) {
  write(0.05, SyntheticRun{}.evaluation_hash);
  const SeriesAnalysis& one = series();
  EXPECT_TRUE(one.population.identical);
  ASSERT_EQ(one.population.sets.size(), 1U);
  EXPECT_EQ(one.population.sets[0],
            (EvaluatedSet{"validation", SyntheticRun{}.evaluation_hash, 64}));
  ASSERT_TRUE(one.quality[1].validation_loss.difference.interval);
  EXPECT_TRUE(one.quality[1].validation_loss.difference.interval->contains(0));
  ASSERT_EQ(one.quality[1].metrics.size(), 2U) << "only what the runs recorded";
  EXPECT_EQ(one.quality[1].metrics[0].metric->column->name, "psnr_db");
  EXPECT_EQ(one.quality[1].metrics[0].values.size(), 4U);
  EXPECT_TRUE(analysis().flags().empty());
}

TEST_F(QualityOfStudy, AWorseModelIsResolved) {
  write(0.08, SyntheticRun{}.evaluation_hash);
  const MetricValues& loss = series().quality[1].metrics[1];
  EXPECT_EQ(loss.metric->column->name, "loss");
  EXPECT_FALSE(loss.is_asked) << "PSNR is";
  const Estimate& d = loss.difference;
  EXPECT_NEAR(d.value, 0.03, 0.005);
  EXPECT_GT(d.interval->low, 0);
}

TEST_F(QualityOfStudy, DifferentEvaluationSetsAreFlaggedAndNotCompared) {
  write(0.05, "ffffffffffffffff");
  const SeriesAnalysis& one = series();
  EXPECT_FALSE(one.population.identical);
  EXPECT_EQ(one.population.differences.size(), 2U);
  EXPECT_TRUE(std::isnan(one.quality[1].validation_loss.difference.value));
  ASSERT_EQ(analysis().flags().size(), 1U);
  EXPECT_EQ(analysis().flags()[0].code, "evaluation_set_differs");
}

TEST_F(QualityOfStudy, EveryRecordedMetricIsCompared) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .steps_per_epoch = 10,
         .quality = {{&EvaluationRow::iou, ranks == 1 ? 0.9 : 0.8}, {&EvaluationRow::dice, 0.94}}},
        4);
  const auto& metrics = series().quality[1].metrics;
  ASSERT_EQ(metrics.size(), 3U);
  EXPECT_EQ(metrics[0].metric->label, "IoU");
  EXPECT_NEAR(metrics[0].difference.value, -0.1, 0.02);
  EXPECT_LT(metrics[0].difference.interval->high, 0);
  EXPECT_TRUE(metrics[1].difference.interval->contains(0));
}

TEST_F(QualityOfStudy, BaselinesStandBesideTheirMetricsOnly) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .steps_per_epoch = 10,
         .quality = {{&EvaluationRow::psnr_db, ranks == 1 ? 28 : 20}, {&EvaluationRow::dice, 0.5}},
         .baselines = {{&EvaluationRow::input_psnr_db, 24}, {&EvaluationRow::constant_loss, 0.9}}},
        3);
  const auto& quality = series().quality;
  ASSERT_EQ(quality[0].metrics.size(), 3U) << "a baseline is no metric";
  for (const auto& point : quality) {
    EXPECT_EQ(point.metrics[0].baseline, 24);
    EXPECT_TRUE(std::isnan(point.metrics[1].baseline)) << "Dice has none";
    EXPECT_DOUBLE_EQ(point.metrics[2].baseline, 0.9);
    EXPECT_FALSE(point.metrics[2].is_no_better()) << "a loss is better below it";
  }
  EXPECT_FALSE(quality[0].metrics[0].is_no_better());
  EXPECT_TRUE(quality[1].metrics[0].is_no_better());
}

TEST_F(QualityOfStudy, WithoutARecordedBaselineNothingIsNoBetter) {
  write(0.05, SyntheticRun{}.evaluation_hash);
  for (const auto& point : series().quality) {
    EXPECT_TRUE(std::isnan(point.metrics[0].baseline));
    EXPECT_FALSE(point.metrics[0].is_no_better());
  }
}

TEST_F(QualityOfStudy, AnAccuracyIsHeldAgainstTheMostFrequentClass) {
  add({.steps_per_epoch = 10,
       .quality = {{&EvaluationRow::top1_frac, 0.9}},
       .confusion = {30, 0, 5, 5}},
      2);
  const auto& accuracy = series().quality[0].metrics[0];
  EXPECT_DOUBLE_EQ(accuracy.baseline, 0.75);
  EXPECT_EQ(accuracy.metric->baseline->name(), "majority_frac");
}

/// Training looks at one set, the end of it at another: each is compared with its like.
TEST_F(QualityOfStudy, TwoEvaluationSetsAreOnePopulationWhenAllRunsHaveBoth) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .steps_per_epoch = 10, .test_evaluation_hash = "0123456789abcdef"}, 2);
  const auto& population = series().population;
  EXPECT_TRUE(population.identical);
  ASSERT_EQ(population.sets.size(), 2U);
  EXPECT_EQ(population.sets[0].name, "test");
  EXPECT_TRUE(analysis().flags().empty());
  add({.ranks = 4, .steps_per_epoch = 10}, 2);
  const StudyAnalysis with_four(runs_.of({study_}));
  EXPECT_FALSE(with_four.studies().at(0).population.identical);
}

/// One rank's share of the set, with the remainder dropped, as published studies evaluated.
TEST_F(QualityOfStudy, ADroppedRemainderIsFlagged) {
  add({.steps_per_epoch = 10}, 2);
  add({.ranks = 2, .steps_per_epoch = 10, .evaluated_samples = 60}, 2);
  ASSERT_EQ(analysis().flags().size(), 1U);
  EXPECT_EQ(analysis().flags()[0].code, "evaluation_set_differs");
  EXPECT_NE(analysis().flags()[0].text.find("60 validation samples"), std::string::npos);
}

TEST_F(QualityOfStudy, AskedIsTheDeclaredMetricAndOtherwiseTheLoss) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .steps_per_epoch = 10,
         .quality = {{&EvaluationRow::dice, 0.9}},
         .goal = {.metric = "dice", .margin = 0.05}},
        3);
  const auto& metrics = series().quality[1].metrics;
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_TRUE(metrics[0].is_asked);
  EXPECT_EQ(metrics[0].margin, 0.05);
  EXPECT_TRUE(metrics[1].is_asked) << "the loss, where a workload has nothing better";
  EXPECT_EQ(metrics[1].margin, 0) << "no margin is declared of it";
  EXPECT_TRUE(std::isfinite(metrics[0].difference.p_value));
}

/// As many chances to find a best model, at the same samples; judged on others.
TEST_F(QualityOfStudy, FairSelectionHasNoLabel) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .steps_per_epoch = ranks == 1 ? 20 : 10,
         .test_evaluation_hash = "0123456789abcdef"},
        2);
  EXPECT_TRUE(series().quality_labels.empty());
  EXPECT_EQ(series().population.reported, "test");
}

std::vector<std::string> codes_of(const std::vector<QualityLabel>& labels) {
  return values_of(labels, &QualityLabel::code);
}

TEST_F(QualityOfStudy, FewerChancesOfMoreRanksAreLabelled) {
  add({.epochs = 6, .steps_per_epoch = 10, .test_evaluation_hash = "0123456789abcdef"}, 2);
  add({.ranks = 2, .epochs = 3, .steps_per_epoch = 10, .test_evaluation_hash = "0123456789abcdef"},
      2);
  EXPECT_EQ(codes_of(series().quality_labels), std::vector<std::string>{"unequal_selection"});
  EXPECT_NE(series().quality_labels[0].text.find("6 evaluations with 1 rank and from 3 with 2"),
            std::string::npos);
}

/// As many, but at other numbers of samples.
TEST_F(QualityOfStudy, ChancesElsewhereAreLabelled) {
  add({.steps_per_epoch = 10, .test_evaluation_hash = "0123456789abcdef"}, 2);
  add({.ranks = 2, .steps_per_epoch = 10, .test_evaluation_hash = "0123456789abcdef"}, 2);
  EXPECT_EQ(codes_of(series().quality_labels), std::vector<std::string>{"unequal_selection"});
}

TEST_F(QualityOfStudy, ModelsJudgedOnWhatChoseThemAreLabelled) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .steps_per_epoch = ranks == 1 ? 20 : 10}, 2);
  EXPECT_EQ(codes_of(series().quality_labels), std::vector<std::string>{"selected_on_test"});
}

/// All runs of a rank count have the same right answers, so that launches say nothing of the
/// scatter.
std::vector<SampleRow> answers(const std::string& right) {
  std::vector<SampleRow> rows;
  for (const char c : right)
    rows.push_back({.sample = std::ssize(rows), .top1_count = c == '1' ? 1.0 : 0.0});
  return rows;
}

TEST_F(QualityOfStudy, TheIntervalCountsTheEvaluatedSamplesToo) {
  add({.steps_per_epoch = 10,
       .quality = {{&EvaluationRow::top1_frac, 0.75}},
       .samples = answers("11111100")},
      4);
  add({.ranks = 2,
       .steps_per_epoch = 10,
       .quality = {{&EvaluationRow::top1_frac, 0.5}},
       .samples = answers("11010010")},
      4);
  const MetricValues& one = series().quality[1].metrics[0];
  ASSERT_TRUE(one.sampling);
  EXPECT_EQ(one.sampling->samples, 8);
  // Differences of answers: 0 0 -1 0 -1 -1 1 0; the standard error of their mean.
  EXPECT_NEAR(one.sampling->standard_error, std::sqrt((4 - 4.0 / 8) / 7 / 8), 1e-12);
  EXPECT_GT(one.difference.standard_error, one.sampling->standard_error);
  EXPECT_TRUE(one.difference.interval->contains(0)) << "eight samples cannot tell";
}

TEST_F(QualityOfStudy, WithoutRecordedSamplesOnlyLaunchesCount) {
  write(0.05, SyntheticRun{}.evaluation_hash);
  for (const auto& metric : series().quality[1].metrics) EXPECT_FALSE(metric.sampling);
}

/// Enlarged after the first runs were seen, a margin was never declared.
TEST_F(QualityOfStudy, AGoalThatChangedBetweenRunsIsNone) {
  for (const std::int64_t ranks : {1, 2})
    for (const double margin : {0.01, 0.5})
      add_run({.ranks = ranks,
               .repeat = margin > 0.1 ? 1 : 0,
               .steps_per_epoch = ranks == 1 ? 20 : 10,
               .test_evaluation_hash = "0123456789abcdef",
               .goal = {.metric = "psnr_db", .margin = margin}});
  EXPECT_EQ(codes_of(series().quality_labels), std::vector<std::string>{"goal_changed"});
  for (const auto& metric : series().quality[1].metrics) EXPECT_EQ(metric.margin, 0);
}

/// The folder's plan has what was declared last.
TEST_F(QualityOfStudy, AGoalDeclaredAfterTheRunsIsUsedAndCalledSo) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .steps_per_epoch = ranks == 1 ? 20 : 10,
         .test_evaluation_hash = "0123456789abcdef",
         .goal = {.metric = "psnr_db", .margin = 0.01}},
        3);
  auto runs = runs_.of({study_});
  runs.goals[study_] = {.metric = "psnr_db", .margin = 5};
  const StudyAnalysis later(std::move(runs));
  const auto& found = later.studies().at(0);
  EXPECT_EQ(codes_of(found.quality_labels), std::vector<std::string>{"goal_declared_late"});
  const auto& metric = found.quality[1].metrics.at(0);
  EXPECT_EQ(metric.margin, 5);
  EXPECT_TRUE(metric.is_margin_late);
  EXPECT_TRUE(codes_of(series().quality_labels).empty()) << "without a plan as the runs say";
}

class TargetOfStudy : public AnalysedStudy {
 protected:
  void write(double one_rank_iou, double two_rank_iou, double between_epochs_s = 0) {
    for (const std::int64_t ranks : {1, 2})
      add({.ranks = ranks,
           .steps_per_epoch = ranks == 1 ? 20 : 10,
           .compute_s = ranks == 1 ? 0.06 : 0.08,
           .between_epochs_s = between_epochs_s,
           .validation_iou = ranks == 1 ? one_rank_iou : two_rank_iou,
           .goal = {.metric = "iou", .target = 0.75}},
          3);
  }
};

TEST_F(TargetOfStudy, IsReachedAtTheFirstEvaluationThatHasIt) {
  write(0.5, 0.6);  // after the fourth and the third of four epochs
  const auto& targets = series().targets;
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].reached, 3U);
  EXPECT_DOUBLE_EQ(targets[0].samples, 4 * 20 * 4);
  EXPECT_DOUBLE_EQ(targets[1].samples, 3 * 10 * 8);
  EXPECT_NEAR(targets[1].sample_ratio.value, 0.75, 1e-12);
  EXPECT_NEAR(targets[1].factors.total.value, targets[0].time_s / targets[1].time_s, 1e-12);
  EXPECT_GT(targets[1].factors.total.value, 1.5);
  EXPECT_TRUE(std::isnan(targets[1].speedup_bound));
  EXPECT_TRUE(std::isnan(targets[1].statistical_bound));
}

/// 80 steps of 63 ms and 4 pauses of 0.2 s; 30 steps of 83 ms and 3 pauses.
TEST_F(TargetOfStudy, TheTimeToItIsTheProductOfItsFactors) {
  write(0.5, 0.6, 0.2);
  const Factorisation& f = series().targets.at(1).factors;
  EXPECT_NEAR(f.throughput.value, 2 * 0.063 / 0.083, 1e-6);
  EXPECT_NEAR(f.statistical.value, 4.0 / 3, 1e-12);
  const double steady_share = 80 * 0.063 / (80 * 0.063 + 0.8),
               steady_share_of_two = 30 * 0.083 / (30 * 0.083 + 0.6);
  EXPECT_NEAR(f.fixed_cost.value, steady_share_of_two / steady_share, 1e-6);
  EXPECT_NEAR(f.throughput.value * f.statistical.value * f.fixed_cost.value, f.total.value, 1e-12);
}

TEST_F(TargetOfStudy, ThatMoreRanksMissGivesAnUpperBound) {
  write(0.6, 0.4);
  const auto& targets = series().targets;
  EXPECT_EQ(targets[1].reached, 0U);
  EXPECT_TRUE(std::isnan(targets[1].factors.total.value));
  EXPECT_TRUE(std::isnan(targets[1].time_s));
  // One rank is there after 3 of 4 epochs of 20 steps, two have had 4 of 10.
  EXPECT_NEAR(targets[1].speedup_bound, 60 * 0.063 / (40 * 0.083), 1e-6);
  EXPECT_NEAR(targets[1].statistical_bound, 60.0 / 80, 1e-12);
  EXPECT_NEAR(targets[1].factors.throughput.value, 2 * 0.063 / 0.083, 1e-6) << "needs no target";
}

/// Two of three runs of two ranks reach it: what the third had makes a bound of the mean.
TEST_F(TargetOfStudy, ThatSomeMissIsBoundedByWhatTheyHad) {
  add({.steps_per_epoch = 20, .validation_iou = 0.6, .goal = {.metric = "iou", .target = 0.75}}, 3);
  for (const std::int64_t repeat : {0, 1, 2})
    add_run({.ranks = 2,
             .repeat = repeat,
             .steps_per_epoch = 10,
             .validation_iou = repeat == 2 ? 0.4 : 0.6,
             .goal = {.metric = "iou", .target = 0.75}});
  const TargetPoint& two = series().targets.at(1);
  EXPECT_EQ(two.reached, 2U);
  EXPECT_EQ(two.runs, 3U);
  EXPECT_NEAR(two.statistical_bound, 60.0 * 4 / (80 * std::cbrt(3 * 3 * 4.0)), 1e-9);
  EXPECT_TRUE(std::isnan(two.factors.statistical.value));
}

TEST_F(TargetOfStudy, ThatOneRankMissesGivesALowerBound) {
  write(0.4, 0.6);
  const TargetPoint& two = series().targets.at(1);
  EXPECT_TRUE(two.all_reached());
  EXPECT_NEAR(two.statistical_bound, 80.0 / 60, 1e-12);
  EXPECT_TRUE(std::isnan(two.factors.total.value));
}

TEST_F(TargetOfStudy, ThatNobodyReachesTellsNothing) {
  write(0.1, 0.2);
  EXPECT_EQ(series().targets[0].reached, 0U);
  EXPECT_TRUE(std::isnan(series().targets[1].speedup_bound));
}

/// PSNR of one volume is measured once, at the end.
TEST_F(TargetOfStudy, OfAMetricThatIsNotMeasuredWhileTrainingIsNotAskedFor) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .steps_per_epoch = 10, .goal = {.metric = "iou", .target = 0.75}}, 2);
  EXPECT_TRUE(series().targets.empty());
}

TEST_F(TargetOfStudy, ThatIsNotDeclaredIsNotAskedFor) {
  add({.steps_per_epoch = 10, .validation_iou = 0.5}, 2);
  EXPECT_TRUE(series().targets.empty());
}

}  // namespace
}  // namespace scalestudy
