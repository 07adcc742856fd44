#include "analysis/step/remedies.hpp"

#include <gmock/gmock.h>

#include "analysis/report/step/remedies_report.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// One producer feeds all ranks: two of them wait.
class Remedies : public AnalysedStudy {
 protected:
  void add_input(InputKind input, double wait_at_two_s, std::int64_t threads = 1) {
    SyntheticRun run{.time_noise = 0.002, .input = input, .threads_per_rank = threads};
    add(run, 5);
    run.ranks = 2;
    run.input_wait_s = wait_at_two_s;
    add(run, 5);
  }

  const SeriesAnalysis& with_input(InputKind input) {
    for (const auto& one : analysis().studies())
      if (one.series.spec.input == input) return one;
    throw std::out_of_range("no such series");
  }
};

TEST_F(Remedies, AreMeasuredWhereTheStudyRanBothValues) {
  add_input(InputKind::serial, 0.020);
  add_input(InputKind::sharded, 0.002);
  const auto& lossy = with_input(InputKind::serial);
  ASSERT_EQ(lossy.remedies.size(), 1U);
  const auto& remedy = lossy.remedies.front();
  EXPECT_EQ(remedy.cause, StepCause::input);
  EXPECT_EQ(cat(remedy.axis, ' ', remedy.from, ' ', remedy.to), "input serial sharded");
  const double gain = 0.081 / 0.063;
  EXPECT_NEAR(remedy.gain.value, gain, 0.01);
  EXPECT_NEAR(remedy.promised().value, gain, 0.01);
  EXPECT_TRUE(remedy.gain.interval && remedy.promised().interval);
  const auto table = remedies_table(lossy);
  EXPECT_EQ(shown_in(table, 0, "outcome"), "as promised");
  EXPECT_EQ(raw_in(table, 0, "axis"), "input");
  EXPECT_EQ(raw_in(table, 0, "to"), "sharded");
  EXPECT_THAT(remedies_clause(lossy, StepCause::input, 2),
              HasSubstr("axes.input sharded instead of serial made steps 1.29"));
  EXPECT_THAT(with_input(InputKind::sharded).remedies, IsEmpty()) << "nothing to remove";
}

/// What was slow is slow with the other value too.
TEST_F(Remedies, ThatRemoveNothingGainLessThanPromised) {
  add_input(InputKind::serial, 0.020);
  add_input(InputKind::sharded, 0.020);
  const auto& lossy = with_input(InputKind::serial);
  ASSERT_EQ(lossy.remedies.size(), 1U);
  EXPECT_NEAR(lossy.remedies.front().gain.value, 1, 0.01);
  EXPECT_EQ(shown_in(remedies_table(lossy), 0, "outcome"), "less");
}

TEST_F(Remedies, AreNoneTowardsWhatMakesTheCause) {
  add_input(InputKind::serial, 0.002);
  add_input(InputKind::sharded, 0.020);
  EXPECT_THAT(with_input(InputKind::sharded).remedies, IsEmpty());
}

TEST_F(Remedies, AreNoneWhereMoreThanOneSettingDiffers) {
  add_input(InputKind::serial, 0.020);
  add_input(InputKind::sharded, 0.002, 2);
  EXPECT_THAT(with_input(InputKind::serial).remedies, IsEmpty());
}

TEST_F(Remedies, AreNoneWithoutALoss) {
  add_input(InputKind::serial, 0.002);
  add_input(InputKind::sharded, 0.001);
  EXPECT_THAT(with_input(InputKind::serial).remedies, IsEmpty());
}

TEST(SpeedWithout, IsTheStepByWhatIsLeftOfIt) {
  StepDecision decision{.ideal_step_s = 0.08};
  decision.loss_s.value = 0.02;
  const Estimate growth{.value = 0.02, .interval = Interval{0.01, 0.2}};
  const auto faster = speed_without(decision, growth);
  EXPECT_DOUBLE_EQ(faster.value, 1.25);
  EXPECT_DOUBLE_EQ(faster.interval->low, 0.1 / 0.09);
  EXPECT_TRUE(std::isinf(faster.interval->high)) << "more than the whole step";
}

}  // namespace
}  // namespace scalestudy
