#include "analysis/report/step/causes_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "analysis/report/step/causes_figure.hpp"
#include "analysis/report/text/numbers.hpp"
#include "tests/report/answer_text.hpp"
#include "tests/report/table_cells.hpp"
#include "tests/support/simulated_steps.hpp"

namespace scalestudy {
namespace {

using namespace simulated;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Four ranks, five blocks of launches that hardly scatter.
SeriesAnalysis analysed(const Study& study) {
  Random random(1);
  SeriesAnalysis analysis;
  analysis.series.slug = "planted";
  analysis.causes = {decide_causes(evidence_of(study, random))};
  return analysis;
}

Study planted(StepCause cause, double strength) {
  auto study = planted_study(cause, strength);
  study.nuisance.block_sd = 0.005;
  return study;
}

std::string causes_text(const SeriesAnalysis& analysis) {
  Answer answer;
  add_step_causes(analysis, answer);
  return all(answer);
}

TEST(CausesReport, SaysTheMainCauseWhatWasMeasuredWithoutItAndWhatItWasNot) {
  auto analysis = analysed(planted(StepCause::input, 0.2));
  analysis.series.spec.input = InputKind::serial;
  const auto text = causes_text(analysis);
  EXPECT_THAT(text,
              ContainsRegex("^A step of four ranks is 2[0-9.]+ \\([0-9.]+–[0-9.]+\\) ms longer "
                            "than perfect scaling \\(1[0-9.]+ ms\\)\\. "));
  EXPECT_THAT(text, HasSubstr("The main cause: waiting for batches, "));
  EXPECT_THAT(
      step_remedy_sentence(analysis),
      ContainsRegex("^For shorter steps, against waiting for batches: axes.input sharded, .*"
                    "; leaving it out \\(synthetic_input\\) saved [12][0-9.]+ "));
  EXPECT_THAT(text,
              ContainsRegex("Refuted by the records, .*: .*moving gradients that nothing hides"));
  EXPECT_THAT(text, Not(HasSubstr("Undecided")));
}

TEST(CausesReport, SaysItInTwoWordsToo) {
  const auto brief = [](const SeriesAnalysis& analysis) {
    return cause_in_brief(analysis).value_or(CauseInBrief{"nobody asked", ""});
  };
  const auto input = brief(analysed(planted(StepCause::input, 0.2)));
  EXPECT_EQ(input.name, "input");
  EXPECT_THAT(input.remark, ContainsRegex("^2[0-9.]+ ms of 2[0-9.]+ ms a step$"));
  EXPECT_EQ(brief(analysed(planted(StepCause::slow_rank, 0.2))).name, "slow rank");
  EXPECT_EQ(brief(analysed(planted(StepCause::input, 0.01))).name, "none");
  EXPECT_EQ(brief({}).name, "nobody asked");
  auto open = analysed(planted(StepCause::input, 0.2));
  open.causes.front().main.clear();
  EXPECT_EQ(brief(open).name, "open");
}

TEST(CausesReport, NamesTheSlowRankAndClaimsNoGainOfArmsThatLeaveOutMore) {
  const auto analysis = analysed(planted(StepCause::slow_rank, 0.2));
  EXPECT_THAT(causes_text(analysis),
              HasSubstr("The main cause: waiting for rank 3, which is slow in all steps, "));
  EXPECT_THAT(step_remedy_sentence(analysis),
              AllOf(HasSubstr("other cores for that rank"), Not(HasSubstr("saved"))));
}

/// Strong scaling: what does not shrink with the batch is no fault of neighbours.
TEST(CausesReport, FewerSamplesARankMaySlowComputingWithoutNeighbours) {
  auto analysis = analysed(planted(StepCause::interference, 0.2));
  EXPECT_THAT(causes_text(analysis), HasSubstr("computing longer beside others"));
  analysis.causes.front().work_ratio = 0.5;
  EXPECT_THAT(causes_text(analysis), HasSubstr("computing that fewer samples do not shorten"));
  EXPECT_THAT(step_remedy_sentence(analysis), HasSubstr("more samples per rank and step"));
}

TEST(CausesReport, NamesEverySupportedCauseTheMainOneFirst) {
  auto study = planted(StepCause::transfer, 0.4);
  at(study.planted, StepCause::optimizer) = 0.2;
  const auto analysis = analysed(study);
  const auto& decision = analysis.causes.front();
  ASSERT_EQ(decision.main, std::vector{StepCause::transfer});
  EXPECT_EQ(supported_causes(decision), (std::vector{StepCause::transfer, StepCause::optimizer}));
  EXPECT_THAT(causes_text(analysis),
              ContainsRegex("The main cause: moving gradients .*\\. Also: updating parameters, "));
}

TEST(CausesReport, AdvisesForEachMainCauseAndNothingThatTheStudyHas) {
  auto study = planted(StepCause::transfer, 0.2);
  at(study.planted, StepCause::optimizer) = 0.2;
  auto analysis = analysed(study);
  auto& spec = analysis.series.spec;
  spec.reduction = Reduction::flat_after_backward;
  spec.settings.compression = Compression::none;
  const auto with_flat = step_remedy_sentence(analysis);
  for (const auto* setting : {"axes.reduction bucketed_overlap", "settings.compression",
                              "axes.reduction sharded_optimizer"})
    EXPECT_THAT(with_flat, HasSubstr(setting));
  spec.reduction = Reduction::bucketed_overlap;
  spec.settings.compression = Compression::bf16;
  const auto with_buckets = step_remedy_sentence(analysis);
  EXPECT_THAT(with_buckets, AllOf(Not(HasSubstr("bucketed_overlap")), Not(HasSubstr("compression")),
                                  HasSubstr("axes.reduction sharded_optimizer")));
  spec.reduction = Reduction::sharded_optimizer;
  spec.settings.gradients.updated_early = true;
  EXPECT_THAT(step_remedy_sentence(analysis),
              HasSubstr("updating parameters: the usual remedies are in use"));
}

TEST(CausesReport, TellsContentionFromNeighboursOnlyWithAnArm) {
  auto study = planted(StepCause::exchange_contention, 0.2);
  EXPECT_THAT(step_remedy_sentence(analysed(study)),
              AllOf(HasSubstr("settings.communication_thread own_core"),
                    Not(HasSubstr("fewer ranks per host"))));
  std::erase_if(study.arms, [](const LaunchArm& arm) { return arm.left_out.has_value(); });
  EXPECT_THAT(causes_text(analysed(study)),
              HasSubstr("or while gradients move, which these arms do not tell"));
}

TEST(CausesReport, WithoutASureLossItSaysWhatIsRecordedAndNothingRefuted) {
  auto study = planted(StepCause::transfer, 0.06);
  study.nuisance.paired_sd = 0.08;
  const auto analysis = analysed(study);
  ASSERT_FALSE(analysis.causes.front().is_loss);
  EXPECT_THAT(causes_text(analysis),
              AllOf(HasSubstr("Surely more by the records: moving gradients that nothing hides, "),
                    Not(HasSubstr("Refuted"))));
}

TEST(CausesReport, AShorterStepIsCalledShorter) {
  auto analysis = analysed(planted(StepCause::input, 0));
  auto& loss_s = analysis.causes.front().loss_s;
  loss_s.value = -0.02;
  loss_s.interval = Interval{-0.022, -0.018};
  EXPECT_THAT(causes_text(analysis),
              HasSubstr("A step of four ranks is 20.0 (18.0–22.0) ms shorter than "));
}

TEST(CausesReport, ALossThatIsSpreadHasItsLargestParts) {
  auto analysis = analysed(planted(StepCause::input, 0.2));
  auto& decision = analysis.causes.front();
  decision.main.clear();
  for (auto& finding : decision.findings) finding.verdict = Verdict::refuted;
  EXPECT_THAT(causes_text(analysis),
              HasSubstr("It is spread; the largest parts: waiting for batches, "));
}

TEST(CausesReport, OfBothLooksTheClearerIsShown) {
  auto analysis = analysed(planted(StepCause::transfer, 0.2));
  auto& decision = analysis.causes.front();
  for (auto& finding : decision.findings) {
    if (finding.cause != StepCause::transfer) continue;
    finding.column_s.value = 0.0103;
    finding.column_s.interval = Interval{0.0095, 0.0111};
    finding.contrast_s.value = 0.0215;
    finding.contrast_s.interval = Interval{0.005, 0.040};
  }
  EXPECT_THAT(causes_text(analysis), HasSubstr("hides, 10.30 (9.50–11.10) ms"));
  EXPECT_THAT(cause_in_brief(analysis)->remark, testing::StartsWith("10.3 ms of "));
}

TEST(CausesReport, NoCoreIsAdvisedWhereNoneIsLeft) {
  auto analysis = analysed(planted(StepCause::exchange_contention, 0.2));
  EXPECT_THAT(step_remedy_sentence(analysis), HasSubstr("own_core"));
  analysis.series.spec.no_spare_core = true;
  EXPECT_THAT(step_remedy_sentence(analysis), Not(HasSubstr("own_core")));
}

TEST(CausesReport, WithoutALossItSaysSo) {
  const auto analysis = analysed(planted(StepCause::input, 0));
  EXPECT_THAT(causes_text(analysis),
              AllOf(HasSubstr("nothing to explain"), Not(HasSubstr("main cause"))));
  EXPECT_THAT(step_remedy_sentence(analysis), IsEmpty());
}

TEST(CausesReport, WithoutADecisionItSaysNothing) {
  SeriesAnalysis analysis;
  EXPECT_THAT(causes_text(analysis), IsEmpty());
  EXPECT_THAT(step_remedy_sentence(analysis), IsEmpty());
  EXPECT_THAT(causes_table(analysis).rows, IsEmpty());
  EXPECT_FALSE(causes_figure(analysis));
}

TEST(CausesReport, WhatHidesBehindAnotherIsSaid) {
  auto study = planted(StepCause::transfer, 0.3);
  at(study.planted, StepCause::input) = 0.3;
  study.nuisance.is_input_ahead = true;
  const auto analysis = analysed(study);
  const auto text = causes_text(analysis);
  EXPECT_THAT(text, HasSubstr("support no single cause"));
  EXPECT_THAT(text, HasSubstr("Input and exchange hide behind each other"));
  EXPECT_THAT(text, HasSubstr("Undecided: "));
  EXPECT_THAT(step_remedy_sentence(analysis), HasSubstr("scalestudy plan STUDY --decide DIR"));
  const auto table = causes_table(analysis);
  const auto& hidden = *analysis.causes[0].hidden;
  EXPECT_EQ(raw_in(table, 0, "without_both_s"), exact(hidden.without_both_s.value));
  EXPECT_EQ(raw_in(table, 0, "without_one_s"), exact(hidden.without_one_s));
}

TEST(CausesReport, TheWaterfallEndsAtTheMeasuredStep) {
  const auto analysis = analysed(planted(StepCause::transfer, 0.2));
  const auto figure = causes_figure(analysis);
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->caption, HasSubstr("does not begin at 0"));
  double reached_ms = 0, begin_ms = 0, end_ms = 0;
  std::size_t row = 0;
  std::istringstream lines(figure->tsv);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    const auto cells = split(line, '\t');
    begin_ms = std::stod(cells.at(2));
    end_ms = std::stod(cells.at(3));
    const bool is_last = row == choices<StepCause>.size() + 2;
    EXPECT_NEAR(begin_ms, is_last ? 0 : reached_ms, 1e-9) << line;
    if (is_last) {
      EXPECT_NEAR(end_ms, reached_ms, 1e-9);
    }
    reached_ms = end_ms;
    ++row;
  }
  EXPECT_EQ(row, choices<StepCause>.size() + 3);
}

TEST(CausesReport, EachRowHasItsFindingAndTheDecision) {
  const auto analysis = analysed(planted(StepCause::slow_rank, 0.2));
  const auto table = causes_table(analysis);
  const auto& decision = analysis.causes[0];
  ASSERT_EQ(table.rows.size(), choices<StepCause>.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& finding = decision.findings[i];
    EXPECT_EQ(table.rows[i].size(), table.columns.size());
    EXPECT_EQ(raw_in(table, i, "cause"), to_string(finding.cause));
    EXPECT_EQ(raw_in(table, i, "verdict"), to_string(finding.verdict));
    EXPECT_EQ(raw_in(table, i, "column_s"), exact(finding.column_s.value));
    EXPECT_EQ(raw_in(table, i, "is_recorded"), finding.is_recorded ? "yes" : "no");
    EXPECT_EQ(raw_in(table, i, "main"), finding.cause == StepCause::slow_rank ? "main" : "");
    EXPECT_EQ(raw_in(table, i, "loss_s"), exact(decision.loss_s.value));
    EXPECT_EQ(cell_in(table, i, "loss_s").interval->low, decision.loss_s.interval->low);
    EXPECT_EQ(raw_in(table, i, "margin_s"), exact(decision.margin_s));
    EXPECT_EQ(raw_in(table, i, "is_loss"), "yes");
    EXPECT_EQ(raw_in(table, i, "slowest_rank"), "3");
    EXPECT_EQ(raw_in(table, i, "without_both_s"), "NaN") << "nothing hides";
    EXPECT_EQ(raw_in(table, i, "without_one_s"), "NaN");
  }
}

}  // namespace
}  // namespace scalestudy
