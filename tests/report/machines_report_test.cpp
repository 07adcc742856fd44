/// What a reader sees of several machines, and that of one machine nothing is said.

#include "analysis/report/study/machines_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/page/figures.hpp"
#include "analysis/report/page/report.hpp"
#include "analysis/report/page/summary_json.hpp"
#include "analysis/report/study/run_tables.hpp"
#include "analysis/report/study/settings_tables.hpp"
#include "analysis/report/text/numbers.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The second machine is twice as fast and gains less by a second rank.
class TwoMachines : public AnalysedStudy {
 protected:
  static SyntheticRun run_on(const std::string& cpu) {
    SyntheticRun run{.steps_per_epoch = 10, .time_noise = 0.02, .cpu_model = cpu};
    if (cpu == "Fast") run.compute_s /= 2;
    return run;
  }
  void add_machine(const std::filesystem::path& folder, const std::string& cpu) {
    auto run = run_on(cpu);
    runs_.add(folder, run, 3);
    run.ranks = 2;
    run.epochs /= 2;
    run.exposed_communication_s = cpu == "Fast" ? 0.02 : 0.001;
    runs_.add(folder, run, 3);
  }
  void SetUp() override {
    add_machine(study_, "Slow");
    add_machine(other_, "Fast");
    both_.emplace(runs_.of({study_, other_}));
    ASSERT_EQ(both_->machine_comparisons().size(), 1U);
  }
  const MachineComparison& comparison() { return both_->machine_comparisons()[0]; }
  const SeriesAnalysis& analysis_of(const std::string& label) {
    for (const MachineCurve& curve : comparison().curves)
      if (curve.label == label) return *curve.analysis;
    throw std::runtime_error("no curve of " + label);
  }
  std::string page_of(const std::vector<std::filesystem::path>& folders) {
    result_ = write_report(StudyAnalysis(runs_.of(folders)), folder_ / "report");
    return content_of(result_.page);
  }

  TemporaryFolder folder_;
  std::filesystem::path other_ = "/nowhere/other";
  std::optional<StudyAnalysis> both_;
  ReportResult result_;
};

TEST_F(TwoMachines, AreNamedInHeadlineAndFirstParagraph) {
  for (const SeriesAnalysis& one : both_->studies()) {
    const auto conclusions = conclusions_of(one);
    EXPECT_THAT(conclusions.headline, StartsWith(one.machine + ": Two ranks trained "));
    EXPECT_THAT(conclusions.speed, HasSubstr(cat("Measured on ", one.machine, ", device cpu")));
  }
}

TEST_F(TwoMachines, AreNamedWhereNoSpeedupCanBeStated) {
  runs_.add(study_, {.local_batch = 8, .cpu_model = "Slow"}, 1);
  const StudyAnalysis analysis(runs_.of({study_, other_}));
  std::size_t count = 0;
  for (const SeriesAnalysis& one : analysis.studies()) {
    if (states_speedup(one)) continue;
    ++count;
    EXPECT_EQ(conclusions_of(one).headline, "Slow: No speed-up can be stated");
    EXPECT_THAT(conclusions_of(one).speed, HasSubstr("Measured on Slow."));
  }
  EXPECT_EQ(count, 1U);
}

TEST_F(TwoMachines, StandInTheRunTable) {
  const auto table = run_table(*both_);
  EXPECT_EQ(table.columns.front().name, "machine");
  ASSERT_EQ(table.rows.size(), 12U);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(table.rows[i].front().raw, i < 6 ? "Slow" : "Fast");
    EXPECT_EQ(table.rows[i].size(), table.columns.size());
  }
}

TEST_F(TwoMachines, HaveAColumnEachInTheEnvironment) {
  const auto table = environment_table(*both_);
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.columns[1].heading, "Slow");
  EXPECT_EQ(table.columns[2].heading, "Fast");
  const auto model =
      std::ranges::find(table.rows, "/cpu/model", [](const auto& row) { return row.front().raw; });
  ASSERT_NE(model, table.rows.end());
  EXPECT_EQ((*model)[1].shown, "Slow");
  EXPECT_EQ((*model)[2].shown, "Fast");
}

TEST_F(TwoMachines, TableHasTheNumbersOfTheirSeries) {
  const auto table = machines_table(comparison());
  ASSERT_EQ(table.rows.size(), 4U);
  for (const auto& row : table.rows) {
    const auto& points = analysis_of(row[0].raw).speedup;
    const SpeedupPoint& p = points[row[1].raw == "1" ? 0 : 1];
    EXPECT_EQ(row[3].raw, exact(p.absolute.samples_per_s));
    EXPECT_EQ(row[4].raw, exact(p.absolute.training_time_s));
    EXPECT_EQ(row[5].raw, exact(p.training.value));
    EXPECT_EQ(row[6].raw, exact(p.efficiency.value));
  }
  EXPECT_THAT(to_html(table), Not(HasSubstr("<th>labels"))) << "there are none";
}

TEST_F(TwoMachines, TableShowsTheLabelsOfThoseThatHaveAny) {
  auto labelled = run_on("Third");
  labelled.compute_s = 0.05;  // no two executions take equally long
  labelled.labels = {"oversubscribed"};
  runs_.add("/nowhere/third", labelled, 3);
  const StudyAnalysis analysis(runs_.of({study_, "/nowhere/third"}));
  const auto html = to_html(machines_table(analysis.machine_comparisons().at(0)));
  EXPECT_THAT(html, AllOf(HasSubstr("<th>labels"), HasSubstr("<td>oversubscribed")));
  EXPECT_THAT(machines_sentences(analysis.machine_comparisons()[0]),
              HasSubstr("Third (oversubscribed): one rank "));
  EXPECT_EQ(machines_figure(analysis.machine_comparisons()[0]), std::nullopt)
      << "one has a single rank count";
}

TEST_F(TwoMachines, FigureHasMeansAndRunsOfEach) {
  const auto figure = machines_figure(comparison());
  ASSERT_TRUE(figure);
  const auto& slow = analysis_of("Slow").speedup[1].training;
  const auto& fast = analysis_of("Fast").speedup[1].training;
  ASSERT_GT(slow.value, fast.value + 0.1);
  for (const Estimate* ratio : {&slow, &fast})
    EXPECT_THAT(figure->tsv,
                HasSubstr(cat("\n2\t", exact(ratio->value), '\t', exact(ratio->interval->low), '\t',
                              exact(ratio->interval->high), '\n')));
  EXPECT_EQ(std::ranges::count(figure->tsv, '\n'), 2 * (2 + 2 + 3 + 6 + 2));
  for (const auto* part : {"index 0", "index 1", "index 2", "index 3", "title 'Slow'",
                           "title 'Fast'", "title 'ideal'"})
    EXPECT_THAT(figure->drawing, HasSubstr(part));
  for (const auto* part : {"Slow: One rank: ", "Fast: One rank: ", "noise2void · cpu", "Bars: "})
    EXPECT_THAT(figure->caption, HasSubstr(part));
}

TEST_F(TwoMachines, EndTheCaptionsOfTheirSeries) {
  for (const auto* label : {"Slow", "Fast"})
    for (const Figure& figure : figures_of(analysis_of(label)))
      EXPECT_THAT(figure.caption, testing::EndsWith(cat(" · ", label, "."))) << figure.slug;
}

TEST_F(TwoMachines, SentencesGiveAbsoluteNumbersAndNoRatioBetweenThem) {
  const auto text = machines_sentences(comparison());
  for (const auto* label : {"Slow", "Fast"}) {
    const auto& points = analysis_of(label).speedup;
    EXPECT_THAT(
        text, HasSubstr(cat(label, ": one rank ", significant(points[0].absolute.samples_per_s, 4),
                            " samples/s in ")));
    EXPECT_THAT(text, HasSubstr(with_interval(points[1].training) + " times as fast as one"));
  }
  EXPECT_THAT(text, HasSubstr("Not one experiment: the machine differs, and"));
}

TEST_F(TwoMachines, ThePageShowsThemOnceAndWritesTheirFiles) {
  const auto html = page_of({study_, other_});
  EXPECT_THAT(html, HasSubstr("<h2>Machines side by side</h2>"));
  EXPECT_THAT(html, HasSubstr("<p class=\"kicker\">Slow</p>"));
  EXPECT_THAT(html, HasSubstr("<p class=\"kicker\">Fast</p>"));
  EXPECT_THAT(html, HasSubstr(" · Slow and Fast · build "));
  for (const auto* file : {"tables/machines.csv", "figures/machines-speedup.tsv"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "report" / file)) << file;
  EXPECT_THAT(result_.paragraphs, testing::Contains(StartsWith("Machines side by side: noise2")));
}

TEST_F(TwoMachines, SummaryNamesTheMachinesAndTheirSeries) {
  const auto summary = nlohmann::json::parse(summary_json(*both_));
  ASSERT_EQ(summary["machines"].size(), 2U);
  EXPECT_EQ(summary["machines"][0]["words"], "Slow");
  ASSERT_EQ(summary["machines_side_by_side"].size(), 1U);
  const auto& side = summary["machines_side_by_side"][0];
  EXPECT_EQ(side["differences"], nlohmann::json({"machine"}));
  EXPECT_EQ(side["conclusion"], machines_sentences(comparison()));
  for (const auto& named : side["series"]) {
    const auto is_it = [&](const auto& series) { return series["name"] == named["name"]; };
    const auto found = std::ranges::find_if(summary["series"], is_it);
    ASSERT_NE(found, summary["series"].end());
    EXPECT_EQ((*found)["machine"], named["machine"]);
  }
}

TEST_F(TwoMachines, OfOneNothingIsSaid) {
  const auto html = page_of({study_});
  EXPECT_THAT(html, Not(HasSubstr("side by side")));
  EXPECT_THAT(html, Not(HasSubstr("<p class=\"kicker\">Slow</p>")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report/tables/machines.csv"));
  const SeriesAnalysis& one = analysis().studies().at(0);
  EXPECT_THAT(conclusions_of(one).headline, StartsWith("Two ranks"));
  EXPECT_THAT(conclusions_of(one).speed, HasSubstr("Measured on device cpu"));
  EXPECT_EQ(run_table(analysis()).columns.front().name, "ranks");
  EXPECT_EQ(environment_table(analysis()).columns.back().name, "value");
  const auto summary = nlohmann::json::parse(summary_json(analysis()));
  EXPECT_EQ(summary["machines"].size(), 1U);
  EXPECT_EQ(summary["machines_side_by_side"], nlohmann::json::array());
}

}  // namespace
}  // namespace scalestudy
