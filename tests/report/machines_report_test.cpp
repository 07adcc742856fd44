/// What a reader sees of several machines, and that of one machine nothing is said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/page/figures.hpp"
#include "analysis/report/page/report.hpp"
#include "analysis/report/study/file_tables.hpp"
#include "analysis/report/study/run_tables.hpp"
#include "analysis/report/study/settings_tables.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/answer_text.hpp"

namespace scalestudy {
namespace {

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
    ASSERT_EQ(both_->studies().size(), 2U);
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
    EXPECT_THAT(all(conclusions.speed),
                HasSubstr(cat("Measured on ", one.machine, ", device cpu")));
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
    EXPECT_THAT(all(conclusions_of(one).speed), HasSubstr("Measured on Slow."));
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

TEST_F(TwoMachines, EndTheCaptionsOfTheirSeries) {
  for (const SeriesAnalysis& one : both_->studies())
    for (const Figure& figure : figures_of(one))
      EXPECT_THAT(figure.caption, testing::EndsWith(cat(" · ", one.machine, "."))) << figure.slug;
}

TEST_F(TwoMachines, ThePageListsBothAndFormsNoRatio) {
  const auto html = page_of({study_, other_});
  for (const SeriesAnalysis& one : both_->studies()) {
    EXPECT_EQ(one.speedup.size(), 2U);
    EXPECT_THAT(html, HasSubstr(one.series.name));
  }
  EXPECT_THAT(html, HasSubstr("<p class=\"kicker\">Slow</p>"));
  EXPECT_THAT(html, HasSubstr("<p class=\"kicker\">Fast</p>"));
  EXPECT_THAT(html, HasSubstr(" · Slow and Fast · build "));
}

TEST_F(TwoMachines, HaveARowEachInTheFileOfMachines) {
  const auto table = machines_table(*both_);
  ASSERT_EQ(table.rows.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(table.rows[i][0].raw, both_->machines()[i].kind);
    EXPECT_EQ(table.rows[i][1].raw, i == 0 ? "Slow" : "Fast");
  }
}

TEST_F(TwoMachines, OfOneNothingIsSaid) {
  const auto html = page_of({study_});
  EXPECT_THAT(html, Not(HasSubstr("<p class=\"kicker\">Slow</p>")));
  const SeriesAnalysis& one = analysis().studies().at(0);
  EXPECT_THAT(conclusions_of(one).headline, StartsWith("Two ranks"));
  EXPECT_THAT(all(conclusions_of(one).speed), HasSubstr("Measured on device cpu"));
  EXPECT_EQ(run_table(analysis()).columns.front().name, "ranks");
  EXPECT_EQ(environment_table(analysis()).columns.back().name, "value");
  EXPECT_EQ(machines_table(analysis()).rows.size(), 1U);
}

}  // namespace
}  // namespace scalestudy
