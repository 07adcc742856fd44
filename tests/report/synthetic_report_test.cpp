#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "analysis/report/learning/quality_table.hpp"
#include "analysis/report/page/figures.hpp"
#include "analysis/report/page/page.hpp"
#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/speed/factors_report.hpp"
#include "analysis/report/speed/speedup_table.hpp"
#include "analysis/report/step/arm_tables.hpp"
#include "analysis/report/step/step_table.hpp"
#include "analysis/report/study/run_tables.hpp"
#include "analysis/report/text/numbers.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

using Rows = std::vector<std::vector<std::string>>;

/// The cells of each line that holds data.
Rows rows_of(const std::string& text, char separator) {
  Rows rows;
  for (const auto& line : split(text, '\n'))
    if (!line.empty() && line.front() != '#') rows.push_back(split(line, separator));
  return rows;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// One, two and four ranks, three launches each, with noise.
class SyntheticStudy : public AnalysedStudy {
 protected:
  SyntheticStudy() {
    for (const std::int64_t ranks : {1, 2, 4})
      add({.ranks = ranks,
           .epochs = 4 / ranks,
           .exposed_communication_s = 0.002 * static_cast<double>(ranks - 1),
           .between_epochs_s = 0.1,
           .time_noise = 0.02},
          3);
  }
  Figure figure(const std::string& slug) {
    for (const Figure& one : figures_of(series()))
      if (one.slug.ends_with(slug)) return one;
    ADD_FAILURE() << slug;
    return {};
  }
  Rows csv(const ReportTable& table) const { return rows_of(to_csv(table), ','); }
  std::string page() {
    Drawings drawings;
    for (const Figure& one : figures_of(series()))
      drawings[one.slug] = "<svg id=\"" + one.slug + "\"></svg>";
    return report_page(document_of(analysis(), SettingWords({})), drawings, {"a note"});
  }
};

TEST_F(SyntheticStudy, EveryFigureStandsInItsSection) {
  std::vector<std::string> speed, causes, step, learning;
  const auto start = series().series.slug.size() + 1;
  for (const Figure& one : figures_of(series())) {
    auto& list = one.section == FigureSection::speed    ? speed
                 : one.section == FigureSection::causes ? causes
                 : one.section == FigureSection::step   ? step
                                                        : learning;
    list.push_back(one.slug.substr(start));
  }
  EXPECT_THAT(speed, ElementsAre("speedup", "efficiency"));
  EXPECT_THAT(causes, ElementsAre("causes"));
  EXPECT_THAT(step, ElementsAre("step-phases"));
  EXPECT_THAT(learning, ElementsAre("psnr-db-by-ranks", "loss-by-samples", "loss-by-time",
                                    "validation-loss-by-samples", "validation-loss-by-time",
                                    "psnr-db-by-time"));
}

TEST_F(SyntheticStudy, SpeedupFigureHasTheNumbersOfTheAnalysis) {
  const auto rows = rows_of(figure("-speedup").tsv, '\t');
  ASSERT_EQ(rows.size(), 20U) << "three means, nine runs, the fitted curve at 1 … 8 ranks";
  for (std::size_t i = 0; i < 3; ++i) {
    const SpeedupPoint& point = series().speedup[i];
    std::vector<double> runs;
    for (std::size_t run = 3 + 3 * i; run < 6 + 3 * i; ++run) {
      EXPECT_EQ(rows[run][0], std::to_string(point.ranks));
      runs.push_back(std::stod(rows[run][1]));
    }
    EXPECT_NEAR(geometric_mean(runs), point.training.value, 1e-8) << "each run has a dot";
    ASSERT_EQ(rows[i].size(), 10U);
    EXPECT_EQ(rows[i][0], std::to_string(point.ranks));
    EXPECT_EQ(rows[i][1], exact(point.training.value));
    EXPECT_EQ(rows[i][4], exact(point.throughput.value));
    EXPECT_EQ(rows[i][7], exact(point.launch.value));
    if (i == 0) continue;
    EXPECT_EQ(rows[i][2], exact(point.training.interval->low));
    EXPECT_EQ(rows[i][9], exact(point.launch.interval->high));
  }
  EXPECT_EQ(rows[0][1], "1");
  EXPECT_EQ(rows[0][2], "NaN") << "the base has no interval";
}

TEST_F(SyntheticStudy, EfficiencyFigureIsInPercent) {
  const auto rows = rows_of(figure("-efficiency").tsv, '\t');
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0][1], "100");
  EXPECT_NEAR(std::stod(rows[2][1]), 25 * series().speedup[2].training.value, 1e-6);
  EXPECT_NEAR(std::stod(rows[2][4]), 25 * series().speedup[2].throughput.value, 1e-6);
  EXPECT_LT(std::stod(rows[2][2]), std::stod(rows[2][1]));
}

TEST_F(SyntheticStudy, StepFigureAddsUpToTheStepInMilliseconds) {
  const auto tsv = figure("-step-phases").tsv;
  const auto rows = rows_of(tsv, '\t');
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    double sum_ms = 0;
    for (std::size_t k = 2; k < rows[i].size(); ++k) sum_ms += std::stod(rows[i][k]);
    EXPECT_NEAR(sum_ms, 1e3 * series().steps[i].step_s, 0.002 * sum_ms);
    EXPECT_NEAR(std::stod(rows[i][1]), 1e3 * series().steps[0].step_s, 1e-6);
  }
  EXPECT_EQ(rows[1][0], "\"two ranks\"");
  EXPECT_THAT(split(tsv, '\n')[0], HasSubstr("peer_wait_s\texposed_transfer_s"));
  EXPECT_EQ(tsv.find("host_to_device_s"), std::string::npos) << "nothing to see";
}

TEST_F(SyntheticStudy, LossFiguresHaveOneBlockPerRunAndItsSamples) {
  const auto rows = rows_of(figure("-validation-loss-by-samples").tsv, '\t');
  EXPECT_EQ(rows.size(), 3U * (4 + 2 + 1));
  const auto& record = series().series.by_ranks.at(1).at(0)->record;
  EXPECT_EQ(rows[0], (std::vector<std::string>{exact(160), exact(record.epochs[0].end_s),
                                               exact(record.epochs[0].validation_loss), "1"}));
  const auto training = figure("-loss-by-time").tsv;
  EXPECT_EQ(count_of(training, "\n\n\n"), 9U);
  for (const auto& row : rows_of(training, '\t')) EXPECT_LE(std::stod(row[0]), 640);
}

TEST_F(SyntheticStudy, EveryCaptionHasTheFactsOfTheSeries) {
  const auto facts = caption_facts(series());
  for (const auto* part : {"noise2void · cpu · float32",
                           "global batch 4 at one rank, 8 at two ranks, 16 at four ranks",
                           "linear_fixed_samples", "sharded input", "bucketed_overlap",
                           "3 runs at one rank, 3 runs at two ranks, 3 runs at four ranks"})
    EXPECT_THAT(facts, HasSubstr(part));
  for (const Figure& one : figures_of(series())) {
    EXPECT_THAT(one.caption, EndsWith(facts + ".")) << one.slug;
    EXPECT_FALSE(one.title.empty());
  }
}

TEST_F(SyntheticStudy, ScriptsSetColoursBeforeThePreambleUsesThem) {
  for (const Figure& one : figures_of(series())) {
    const auto script = gnuplot_script(one);
    EXPECT_THAT(script, StartsWith(cat("# ", one.title, ". Draw again with: gnuplot ", one.slug,
                                       ".gp\nink = '", ink.hex, "'\nfaint = '", faint.hex, "'\n")));
    const auto terminal = script.find("set terminal svg");
    const auto drawing = script.find(one.drawing);
    EXPECT_LT(script.rfind("faint", terminal), terminal);
    EXPECT_LT(terminal, drawing);
    EXPECT_LT(drawing, script.find("set terminal pdfcairo"));
    EXPECT_EQ(count_of(script, one.drawing), 1U);
    EXPECT_THAT(script, HasSubstr("set output '" + one.slug + ".svg'"));
    EXPECT_THAT(script, EndsWith("set output '" + one.slug + ".pdf'\nreplot\nunset output\n"));
    EXPECT_THAT(one.drawing, HasSubstr("'" + one.slug + ".tsv'"));
  }
}

TEST_F(SyntheticStudy, ThePageHasEverySectionOnce) {
  const auto html = page();
  std::size_t last = 0;
  for (const auto* title : {"How much faster", "Where the step goes", "Learning", "Settings",
                            "Runs", "Environment", "How these numbers are made"}) {
    const auto heading = cat("<h2>", title, "</h2>");
    EXPECT_EQ(count_of(html, heading), 1U) << title;
    EXPECT_GT(html.find(heading), last) << title;
    last = html.find(heading);
  }
  for (const auto* title : {"Control arms", "Which classes are confused", "No result yet"})
    EXPECT_EQ(count_of(html, cat("<h2>", title, "</h2>")), 0U) << title;
}

TEST_F(SyntheticStudy, ThePageHasEveryFigureOnceInItsSection) {
  const auto html = page();
  const auto learning = html.find("<h2>Learning</h2>");
  for (const Figure& one : figures_of(series())) {
    const auto drawing = cat("<svg id=\"", one.slug, "\">");
    EXPECT_EQ(count_of(html, drawing), 1U) << one.slug;
    EXPECT_EQ(html.find(drawing) > learning, one.section == FigureSection::learning) << one.slug;
  }
  EXPECT_EQ(count_of(html, "<li>a note</li>"), 1U);
}

TEST_F(SyntheticStudy, SpeedupTableHasAllDigits) {
  const auto rows = csv(speedup_table(series()));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0][0], "ranks");
  for (std::size_t i = 0; i < 3; ++i) {
    const SpeedupPoint& point = series().speedup[i];
    EXPECT_EQ(rows[i + 1][0], std::to_string(point.ranks));
    EXPECT_EQ(rows[i + 1][1], "3");
    EXPECT_EQ(rows[i + 1][2], exact(point.absolute.launch_time_s));
    EXPECT_EQ(rows[i + 1][3], exact(point.absolute.training_time_s));
    EXPECT_EQ(rows[i + 1][4], exact(point.absolute.samples_per_s));
    EXPECT_EQ(rows[i + 1].size(), rows[0].size());
  }
}

TEST_F(SyntheticStudy, FactorisationTableLeavesTheBaseOut) {
  const auto rows = csv(factorisation_table(series()));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1][0], "2");
  EXPECT_EQ(rows[1][1], exact(series().speedup[1].factors.total.value));
  EXPECT_EQ(rows[2][0], "4");
}

TEST_F(SyntheticStudy, RunTableHasOneRowPerRunWithItsMeasures) {
  const auto rows = csv(run_table(analysis()));
  ASSERT_EQ(rows.size(), 10U);
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) -
                                    rows[0].begin());
  };
  for (std::size_t i = 0; i < 9; ++i) {
    const scalestudy::Run& run = analysis().runs().runs[i];
    EXPECT_EQ(rows[i + 1].at(column("run_id")), run.record.header.run_id);
    EXPECT_EQ(rows[i + 1].at(column("samples_per_s")),
              exact(run.measures[&SummaryRow::samples_per_s]));
    EXPECT_EQ(rows[i + 1].at(column("validity")), "valid");
    EXPECT_EQ(rows[i + 1].at(column("steps")), std::to_string(run.digest.step_count));
  }
}

TEST_F(SyntheticStudy, TablesThatHaveNothingToSayAreEmpty) {
  EXPECT_TRUE(control_arm_table(analysis()).rows.empty());
  EXPECT_TRUE(skipped_table(analysis()).rows.empty());
  EXPECT_EQ(smoothness_table(series()).rows.size(), 3U);
  EXPECT_EQ(step_table(series()).rows.size(), 3U);
  EXPECT_EQ(quality_table(series()).rows.size(), 9U)
      << "PSNR, loss and validation loss at three rank counts";
}

}  // namespace
}  // namespace scalestudy
