#include "analysis/quality.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "analysis/study_analysis.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

class QualityOfStudy : public ::testing::Test {
 protected:
  void write(double two_rank_loss, const std::string& two_rank_hash) {
    SyntheticRun run;
    run.steps_per_epoch = 10;
    write_group(folder_ / "study", run, 4);
    run.ranks = 2;
    run.validation_loss = two_rank_loss;
    run.evaluation_hash = two_rank_hash;
    write_group(folder_ / "study", run, 4);
  }
  TemporaryFolder folder_;
};

TEST_F(QualityOfStudy, EqualModelsAreNotTakenApart) {
  write(0.05, SyntheticRun{}.evaluation_hash);
  const StudyAnalysis analysis(load_runs({folder_ / "study"}));
  const SeriesAnalysis& one = analysis.studies().at(0);
  EXPECT_TRUE(one.population.identical);
  EXPECT_EQ(one.population.samples, 64);
  ASSERT_TRUE(one.quality[1].validation_loss_difference.interval);
  EXPECT_TRUE(one.quality[1].validation_loss_difference.interval->contains(0));
  EXPECT_EQ(one.quality[1].psnr_db.size(), 4U);
  EXPECT_TRUE(analysis.flags().empty());
}

TEST_F(QualityOfStudy, AWorseModelIsResolved) {
  write(0.08, SyntheticRun{}.evaluation_hash);
  const StudyAnalysis analysis(load_runs({folder_ / "study"}));
  const Estimate& d = analysis.studies().at(0).quality[1].validation_loss_difference;
  EXPECT_NEAR(d.value, 0.03, 0.005);
  EXPECT_GT(d.interval->low, 0);
  EXPECT_LT(d.p_value, 0.01);
}

TEST_F(QualityOfStudy, DifferentEvaluationSetsAreFlaggedAndNotCompared) {
  write(0.05, "ffffffffffffffff");
  const StudyAnalysis analysis(load_runs({folder_ / "study"}));
  const SeriesAnalysis& one = analysis.studies().at(0);
  EXPECT_FALSE(one.population.identical);
  EXPECT_EQ(one.population.differences.size(), 2U);
  EXPECT_TRUE(std::isnan(one.quality[1].validation_loss_difference.value));
  ASSERT_EQ(analysis.flags().size(), 1U);
  EXPECT_EQ(analysis.flags()[0].code, "evaluation_set_differs");
}

}  // namespace
}  // namespace scalestudy
