/// Captions and legends name what is drawn, and nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/learning/confusion.hpp"
#include "analysis/report/learning/panels.hpp"
#include "analysis/report/learning/quality_table.hpp"
#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/page/figures.hpp"
#include "analysis/report/speed/speedup_table.hpp"
#include "analysis/report/step/step_table.hpp"
#include "analysis/report/text/numbers.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/answer_text.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Captions : public AnalysedStudy {
 protected:
  Figure figure(const std::string& slug) {
    for (const Figure& one : figures_of(series()))
      if (one.slug.ends_with(slug)) return one;
    return {};
  }
  void add_pair(int repeats, SyntheticRun run = {}) {
    add(run, repeats);
    run.ranks = 2;
    add(run, repeats);
  }
  /// Panels are read from the files of runs.
  std::string panels(const SyntheticRun& run, std::int64_t most_ranks, int repeats) {
    const TemporaryFolder folder;
    for (std::int64_t ranks = 1; ranks <= most_ranks; ++ranks) {
      auto one = run;
      one.ranks = ranks;
      write_group(folder.path(), one, repeats);
    }
    return panels_html(StudyAnalysis(load_runs({folder.path()})).studies().at(0));
  }
};

TEST_F(Captions, OfSeveralRanksAndRunsNameBarsLinesAndAverages) {
  add_pair(3, {.exposed_communication_s = 0.004, .between_epochs_s = 0.1, .time_noise = 0.02});
  for (const auto* slug : {"-speedup", "-efficiency"}) {
    EXPECT_THAT(figure(slug).caption, HasSubstr("Bars: 95 % paired t")) << slug;
    EXPECT_THAT(figure(slug).drawing, HasSubstr("yerrorbars")) << slug;
  }
  EXPECT_THAT(figure("-step-phases").caption,
              AllOf(HasSubstr("mean over ranks, steady steps, runs."), HasSubstr("Dashed: "),
                    HasSubstr("Peer wait ends when the slowest rank")));
  EXPECT_THAT(figure("-step-phases").drawing, HasSubstr("perfect scaling"));
  EXPECT_THAT(figure("-loss-by-samples").caption,
              HasSubstr("16 samples at every number of ranks; one line per run."));
  EXPECT_THAT(figure("-validation-loss-by-samples").caption,
              HasSubstr("whenever the model was judged; one line per run."));
  EXPECT_THAT(speedup_table(series()).caption,
              AllOf(HasSubstr("95 % intervals"), Not(HasSubstr("Serial fraction"))));
  EXPECT_THAT(quality_table(series()).caption, HasSubstr("95 % intervals"));
}

// Two ranks of half as many epochs do the work of one.
TEST_F(Captions, ASerialFractionIsOfEqualWork) {
  add({}, 3);
  add({.ranks = 2, .epochs = 2}, 3);
  const auto table = speedup_table(series());
  EXPECT_THAT(table.caption, HasSubstr("Serial fraction"));
  EXPECT_EQ(raw_in(table, 1, "serial_fraction"), exact(series().speedup[1].serial_fraction.value));
}

TEST_F(Captions, OfOneRankCompareWithNothing) {
  add({}, 3);
  EXPECT_EQ(figure("-speedup").slug, "");
  EXPECT_EQ(figure("-efficiency").slug, "");
  const auto step = figure("-step-phases");
  EXPECT_THAT(step.caption,
              AllOf(HasSubstr("mean over steady steps, runs."), Not(HasSubstr("Dashed")),
                    Not(HasSubstr("Imbalance")), Not(HasSubstr("slowest"))));
  EXPECT_THAT(step.drawing, Not(HasSubstr("perfect scaling")));
  EXPECT_THAT(figure("-loss-by-samples").caption, HasSubstr("8 samples; one line per run."));
  EXPECT_THAT(speedup_table(series()).caption,
              AllOf(Not(HasSubstr("Speed-up")), Not(HasSubstr("interval")),
                    Not(HasSubstr("Serial fraction"))));
  EXPECT_THAT(quality_table(series()).caption, Not(HasSubstr("Welch")));
  EXPECT_EQ(step_table(series()).caption,
            "A step by phase: mean over steady steps and runs, in ms.");
  EXPECT_THAT(smoothness_table(series()).caption, Not(HasSubstr("one rank")));
}

TEST_F(Captions, OfOneRepeatHaveNoBarsMeansOrDeviations) {
  add_pair(1);
  for (const auto* slug : {"-speedup", "-efficiency"}) {
    EXPECT_THAT(figure(slug).caption, HasSubstr("No bars: an interval needs 3 runs each.")) << slug;
    EXPECT_THAT(figure(slug).drawing, Not(HasSubstr("yerrorbars"))) << slug;
  }
  EXPECT_THAT(figure("-step-phases").caption, HasSubstr("mean over ranks, steady steps."));
  EXPECT_THAT(figure("-step-phases").caption, HasSubstr("1 run at one rank, 1 run at two ranks."));
  EXPECT_THAT(speedup_table(series()).caption,
              AllOf(Not(HasSubstr("means")), Not(HasSubstr("interval"))));
  EXPECT_THAT(quality_table(series()).caption,
              AllOf(Not(HasSubstr("deviation")), Not(HasSubstr("differences"))));
}

TEST_F(Captions, OfASingleRunSayNothingOfLines) {
  add({.local_batch = 1}, 1);
  for (const auto* slug : {"-loss-by-samples", "-loss-by-time", "-validation-loss-by-samples"})
    EXPECT_THAT(figure(slug).caption, Not(HasSubstr("per run"))) << slug;
}

TEST_F(Captions, BarsThatSomeRankCountsLackAreNamed) {
  add_pair(3);
  add({.ranks = 4}, 2);
  EXPECT_THAT(figure("-speedup").caption,
              HasSubstr("; none at four ranks: an interval needs 3 runs each."));
}

TEST_F(Captions, WithoutAOneRankBaseThereIsNoPerfectScaling) {
  add({.ranks = 2}, 3);
  EXPECT_THAT(figure("-step-phases").caption,
              AllOf(Not(HasSubstr("Dashed")), HasSubstr("No run with one rank.")));
  EXPECT_THAT(figure("-step-phases").drawing, Not(HasSubstr("perfect scaling")));
}

TEST_F(Captions, ALaunchTimeThatNobodyMeasuredIsNotInTheLegend) {
  add_pair(3, {.launch_overhead_s = std::nan("")});
  const auto speedup = figure("-speedup");
  EXPECT_THAT(speedup.drawing, AllOf(HasSubstr("'training'"), Not(HasSubstr("'launch'"))));
  EXPECT_THAT(speedup.caption, HasSubstr("training 10.1 s. Bars"));
}

TEST_F(Captions, WithoutEvaluationThereIsNoValidationFigure) {
  add_pair(3, {.validation_loss = std::nan("")});
  EXPECT_EQ(figure("-validation-loss-by-samples").slug, "");
  EXPECT_NE(figure("-loss-by-samples").slug, "");
}

// Settings invented its losses: to draw them would make evidence of them.
TEST_F(Captions, OfAReplayNothingOfALossIsDrawnListedOrSaid) {
  add_pair(3, {.time_noise = 0.02, .labels = {"emulated_compute"}});
  EXPECT_EQ(figure("-loss-by-samples").slug, "");
  EXPECT_EQ(figure("-validation-loss-by-samples").slug, "");
  EXPECT_NE(figure("-speedup").slug, "");
  EXPECT_TRUE(quality_table(series()).rows.empty());
  EXPECT_TRUE(smoothness_table(series()).rows.empty());
  for (const auto& answer : conclusions_of(series()).answers())
    EXPECT_THAT(all(answer), Not(HasSubstr("loss curve")));
}

TEST_F(Captions, OfPanelsNameThePredictionsThatStandThere) {
  EXPECT_THAT(panels({.panels = true}, 2, 2),
              HasSubstr("Prediction of the best weights of the first run of each rank "
                        "count. All panels have the same grey scale: black"));
}

TEST_F(Captions, OfPanelsOfASingleRunSayLess) {
  EXPECT_THAT(panels({.panels = true}, 1, 1),
              HasSubstr("Prediction of the best weights. All panels"));
}

TEST_F(Captions, OfOutlinesNameThoseThatAreDrawn) {
  EXPECT_THAT(panels({.segmentation_panels = 1, .nothing_predicted = true}, 1, 1),
              AllOf(HasSubstr("An evaluated sample. Outlines: <span class=\"outline "
                              "mask\">true mask</span>. Grey scales"),
                    Not(HasSubstr("outline prediction"))));
}

TEST_F(Captions, OfTwoOutlinesNameBoth) {
  EXPECT_THAT(panels({.segmentation_panels = 2}, 2, 2),
              AllOf(HasSubstr("spread evenly over the set. Outlines: "),
                    HasSubstr("true mask</span> and, above it, <span"),
                    HasSubstr("of the first run of each rank count.")));
}

TEST_F(Captions, OfConfusionSayWhatIsSummed) {
  add({.confusion = {5, 1, 2, 8}}, 1);
  EXPECT_THAT(confusion_html(series()), Not(HasSubstr("summed")));
}

TEST_F(Captions, OfConfusionOfSeveralRunsSaySo) {
  add_pair(2, {.confusion = {5, 1, 2, 8}});
  EXPECT_THAT(confusion_html(series()), HasSubstr("summed over the runs of each rank count; the "));
}

}  // namespace
}  // namespace scalestudy
