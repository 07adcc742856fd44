/// What a run file holds may be any number: the report copes with it, as it does with a diverged
/// run's.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/program_output.hpp"
#include "core/text.hpp"

#include "analysis/report/page/figures.hpp"
#include "analysis/report/page/page.hpp"
#include "analysis/report/page/summary_json.hpp"
#include "analysis/report/plot/gnuplot.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Row>
void fill(std::vector<Row>& rows, double value) {
  for (Row& row : rows)
    for (const auto& column : columns_of<Row>)
      if (column.storage == Storage::float64) set_number(row, column, value);
}

void fill_with(RunRecord& record, double value) {
  for (const auto& column : columns_of<StepRow>)
    if (column.storage == Storage::float64)
      record.steps.values(column).assign(record.steps.values(column).size(), value);
  fill(record.epochs, value);
  fill(record.evaluations, value);
  fill(record.buckets, value);
  fill(record.ranks, value);
  for (Panel& panel : record.panels)
    panel.pixels.assign(panel.pixels.size(), static_cast<float>(value));
}

class ExtremeNumbers : public AnalysedStudy, public testing::WithParamInterface<double> {
 protected:
  ExtremeNumbers() {
    for (const std::int64_t ranks : {1, 2})
      add({.ranks = ranks,
           .panels = true,
           .segmentation_panels = 1,
           .confusion = {3, 1, 0, 4},
           .cpu_share = 0.9},
          2);
  }

  /// One run of all, or one of each number of ranks, has nothing but `value`.
  RunSet changed(bool every) const {
    auto records = runs_.records(study_);
    fill_with(records.front(), GetParam());
    for (auto& record : records)
      if (every) fill_with(record, GetParam());
    const auto set = runs_of(records);
    EXPECT_EQ(set.runs.size(), records.size());
    return set;
  }

  /// By one gnuplot, which takes long to start.
  static void expect_drawn(const std::vector<Figure>& figures) {
    const TemporaryFolder folder;
    std::string all;
    for (const Figure& figure : figures) {
      write_text(folder / (figure.slug + ".tsv"), figure.tsv);
      write_text(folder / (figure.slug + ".gp"), gnuplot_script(figure));
      all += cat("reset session\nload '", figure.slug, ".gp'\n");
    }
    write_text(folder / "all.gp", all);
    EXPECT_EQ(run_gnuplot(folder.path(), "all.gp"), "");
  }
};

TEST_P(ExtremeNumbers, EverythingIsSaidAndDrawn) {
  for (const bool every : {false, true}) {
    const StudyAnalysis analysis(changed(every));
    for (const SeriesAnalysis& one : analysis.studies()) {
      const auto drawn = figures_of(one);
      for (const Figure& figure : drawn) EXPECT_LT(figure.drawing.size(), 20000U) << figure.slug;
      if (!find_on_path("gnuplot").empty()) expect_drawn(drawn);
    }
    const auto document = document_of(analysis, SettingWords({}));
    EXPECT_LT(summary_json(document).size(), 1000000U);
    EXPECT_LT(report_page(document, {}, {}).size(), 1000000U);
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds,
                         ExtremeNumbers,
                         testing::Values(5e-324,
                                         1e-300,
                                         0.0,
                                         -1.0,
                                         1e30,
                                         1e300,
                                         1.7e308,
                                         -1.7e308,
                                         infinity,
                                         -infinity,
                                         std::nan("")),
                         [](const auto& instance) {
                           return "number_" + std::to_string(instance.index);
                         });

TEST(PlottableNumbers, HaveASizeThatAxesCanHave) {
  for (const double value : {0.0, -1.0, 1e-100, 1e100}) EXPECT_EQ(plotted(value), cat(value));
  for (const double value : {5e-324, 1e-101, -1e101, infinity, std::nan("")})
    EXPECT_EQ(plotted(value), "NaN");
}

class FiguresOfSeries : public AnalysedStudy {};

TEST_F(FiguresOfSeries, NoTwoHaveFilesOfOneName) {
  add({}, 2);
  RunSet set = runs_.of({study_});
  set.runs[0].spec.launcher = "a b";
  set.runs[1].spec.launcher = "a-b";
  const auto series = group_series(set);
  ASSERT_EQ(series.size(), 2U);
  EXPECT_NE(series[0].slug, series[1].slug);
}

TEST_F(FiguresOfSeries, NamesOfFilesAreNeitherEmptyNorTooLong) {
  add({}, 1);
  RunSet set = runs_.of({study_});
  set.runs[0].spec.workload = "";
  EXPECT_EQ(group_series(set).at(0).slug, "series");
  set.runs[0].spec.workload = std::string(5000, 'a');
  EXPECT_LT(group_series(set).at(0).slug.size(), 200U);
}

}  // namespace
}  // namespace scalestudy
