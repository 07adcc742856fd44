#include "analysis/report/speed/run_causes_report.hpp"

#include <gmock/gmock.h>

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Estimate seconds(double value, double reach) {
  return {.value = value, .interval = Interval{value - reach, value + reach}};
}

SeriesAnalysis analysed(bool is_loss) {
  RunDecision decision{.ranks = 4, .ideal_launch_s = 10, .margin_s = 0.3};
  decision.loss_s = seconds(is_loss ? 5.2 : 0.1, 0.2);
  decision.is_loss = is_loss;
  decision.unexplained_s = 0.2;
  for (const auto& row : choices<RunCause>)
    decision.findings.push_back(
        {.cause = row.value, .verdict = Verdict::refuted, .growth_s = seconds(0, 0.1)});
  if (is_loss) {
    decision.findings[0] = {RunCause::start_up, Verdict::supported, seconds(3, 0.1)};
    decision.findings[2] = {RunCause::steps, Verdict::supported, seconds(1.5, 0.1)};
    decision.findings[4] = {RunCause::evaluation, Verdict::undecided, seconds(0.5, 0.4)};
  }
  SeriesAnalysis analysis;
  analysis.run_causes = {decision};
  return analysis;
}

std::string remedies_text(const SeriesAnalysis& analysis) {
  Answer answer;
  add_remedies(analysis, answer);
  return answer.text;
}

TEST(RunCausesReport, SaysWhatWasLostToWhatAndWhatIsOpen) {
  const auto text = run_causes_sentence(analysed(true));
  EXPECT_THAT(text, AllOf(HasSubstr("From launch to exit four ranks lose 5.20 (5.00–5.40)"),
                          HasSubstr("the end, 3.00 (2.90–3.10)\u202fs; slower steps, 1.50"),
                          HasSubstr("Undecided: evaluations, 0.50")));
}

TEST(RunCausesReport, WhatCanBeDoneIsAboutTheLargestThatIsNoStep) {
  EXPECT_THAT(remedies_text(analysed(true)),
              ContainsRegex("^From launch to exit, against starting.*: longer trainings"));
  auto steps_alone = analysed(true);
  steps_alone.run_causes.front().findings[0].verdict = Verdict::undecided;
  EXPECT_THAT(remedies_text(steps_alone), IsEmpty()) << "steps have causes of their own";
  EXPECT_THAT(remedies_text(analysed(false)), IsEmpty());
}

TEST(RunCausesReport, NamesNothingWithoutALoss) {
  const auto text = run_causes_sentence(analysed(false));
  EXPECT_THAT(text, HasSubstr("not surely more than the margin"));
  EXPECT_THAT(text, Not(HasSubstr("It went to")));
  EXPECT_THAT(run_causes_sentence({}), IsEmpty());
}

TEST(RunCausesReport, TheTableEndsWithTheSumAndConvergence) {
  const auto table = run_causes_table(analysed(true));
  ASSERT_EQ(table.rows.size(), run_cause_count + 3);
  EXPECT_EQ(table.rows[0][2].shown, "SUPPORTED");
  EXPECT_EQ(table.rows[run_cause_count + 1][1].shown, "loss");
  EXPECT_EQ(table.rows.back()[1].raw, "convergence");
  EXPECT_EQ(table.rows.back()[2].shown, "UNDECIDED");
  for (const auto& row : table.rows) {
    EXPECT_EQ(row.size(), table.columns.size());
    EXPECT_EQ(row[row.size() - 4].raw, "10") << "ideal_launch_s";
    EXPECT_EQ(row[row.size() - 2].raw, "yes") << "is_loss";
  }
}

}  // namespace
}  // namespace scalestudy
