#include "analysis/quality.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"

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
  ASSERT_EQ(one.quality[1].metrics.size(), 1U) << "only what the runs recorded";
  EXPECT_EQ(one.quality[1].metrics[0].metric->column->name, "psnr_db");
  EXPECT_EQ(one.quality[1].metrics[0].values.size(), 4U);
  EXPECT_TRUE(analysis().flags().empty());
}

TEST_F(QualityOfStudy, AWorseModelIsResolved) {
  write(0.08, SyntheticRun{}.evaluation_hash);
  const Estimate& d = series().quality[1].validation_loss.difference;
  EXPECT_NEAR(d.value, 0.03, 0.005);
  EXPECT_GT(d.interval->low, 0);
  EXPECT_LT(d.p_value, 0.01);
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
  ASSERT_EQ(metrics.size(), 2U);
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
  ASSERT_EQ(quality[0].metrics.size(), 2U) << "a baseline is no metric";
  for (const auto& point : quality) {
    EXPECT_EQ(point.metrics[0].baseline, 24);
    EXPECT_TRUE(std::isnan(point.metrics[1].baseline)) << "Dice has none";
    EXPECT_DOUBLE_EQ(point.validation_loss.baseline, 0.9);
    EXPECT_FALSE(point.validation_loss.is_no_better()) << "a loss is better below it";
  }
  EXPECT_FALSE(quality[0].metrics[0].is_no_better());
  EXPECT_TRUE(quality[1].metrics[0].is_no_better());
}

TEST_F(QualityOfStudy, WithoutARecordedBaselineNothingIsNoBetter) {
  write(0.05, SyntheticRun{}.evaluation_hash);
  for (const auto& point : series().quality) {
    EXPECT_TRUE(std::isnan(point.metrics[0].baseline));
    EXPECT_FALSE(point.metrics[0].is_no_better());
    EXPECT_FALSE(point.validation_loss.is_no_better());
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
  const StudyAnalysis with_four(load_runs({study_}));
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

}  // namespace
}  // namespace scalestudy
