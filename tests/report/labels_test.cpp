/// A file of the report that leaves the others says by itself under which circumstances its numbers
/// were made.

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program_output.hpp"
#include "core/text.hpp"

#include "analysis/report/page/report.hpp"
#include "analysis/report/text/label_sentences.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The report of runs of one rank and two.
class PairReport {
 public:
  explicit PairReport(SyntheticRun run) {
    runs_.add("study", run, 3);
    run.ranks = 2;
    run.exposed_communication_s = 0.004;
    runs_.add("study", run, 3);
    analysis_.emplace(runs_.of({"study"}));
    result_ = write_report(*analysis_, folder_ / "report");
  }
  [[nodiscard]] const Series& series() const { return analysis_->studies().at(0).series; }
  [[nodiscard]] const ReportResult& result() const { return result_; }
  [[nodiscard]] std::string page() const { return content_of(result_.page); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> files(
      const char* folder, const char* extension) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& entry : fs::directory_iterator(folder_ / "report" / folder))
      if (entry.path().extension() == extension)
        found.emplace_back(entry.path().filename(), content_of(entry.path()));
    return found;
  }

 private:
  TemporaryFolder folder_;
  SyntheticRuns runs_;
  std::optional<StudyAnalysis> analysis_;
  ReportResult result_;
};

/// Written once for all that look at it.
const PairReport& labelled() {
  static const PairReport report(
      {.labels = {"no_payload", "injected"}, .injections = {"jitter=5%", "slow-rank=0:2x"}});
  return report;
}

using LabelsOfSeries = AnalysedStudy;

TEST(Labels, AreNamedWithWhatIsInjected) {
  const auto list = label_list(labelled().series());
  EXPECT_EQ(list, "injected: jitter=5%, slow-rank=0:2x; no_payload");
  EXPECT_EQ(label_words(list), "injected: jitter=5%, slow-rank=0:2x; no payload");
}

TEST_F(LabelsOfSeries, NameTheLinkWhoseBandwidthIsARanks) {
  add({.labels = {"emulated_link"}, .link_bandwidth_bytes_per_s = 5e7}, 1);
  EXPECT_EQ(label_list(series().series), "emulated_link: ring, 0.05 GB/s a rank, 0 µs");
}

/// The labels of a file that somebody sent are drawn, not obeyed: gnuplot runs what begins with
/// "!".
TEST(Labels, CannotCommandTheProgramThatDraws) {
  SCALESTUDY_NEEDS("gnuplot", !find_on_path("gnuplot").empty());
  const TemporaryFolder folder;
  const auto obeyed = folder / "obeyed";
  const PairReport report({.labels = {cat("x\n!touch '", obeyed.string(), "'\nset print '",
                                          obeyed.string(), "'; print 1\n\\")}});
  EXPECT_FALSE(fs::exists(obeyed));
  for (const auto& [name, text] : report.files("figures", ".gp"))
    EXPECT_THAT(text, Not(HasSubstr("\n!"))) << name;
}

TEST(Labels, StandInEveryFileOfAFigure) {
  SCALESTUDY_NEEDS("gnuplot", !find_on_path("gnuplot").empty());
  ASSERT_THAT(labelled().result().notes, testing::IsEmpty());
  const std::string comment = "# Labels: injected: jitter=5%, slow-rank=0:2x; no_payload\n";
  ASSERT_FALSE(labelled().files("figures", ".tsv").empty());
  for (const auto& [name, text] : labelled().files("figures", ".tsv"))
    EXPECT_THAT(text, StartsWith(comment)) << name;
  for (const auto& [name, text] : labelled().files("figures", ".gp"))
    EXPECT_THAT(text, HasSubstr(comment)) << name;
  for (const auto& [name, text] : labelled().files("figures", ".svg"))
    EXPECT_THAT(text, HasSubstr("label: injected: jitter=5%")) << name;
}

TEST(Labels, AreAColumnOfEveryTableOfASeries) {
  ASSERT_THAT(labelled().result().notes, testing::IsEmpty());
  for (const auto& [name, text] : labelled().files("tables", ".csv")) {
    if (name == "runs.csv" || name == "environment.csv" || name == "machines.csv") continue;
    const auto lines = split(text, '\n');
    EXPECT_THAT(lines.at(0), EndsWith(",labels")) << name;
    EXPECT_THAT(lines.at(1), EndsWith(",\"injected: jitter=5%, slow-rank=0:2x; no_payload\""))
        << name;
  }
}

TEST(Labels, StandBesideTheHeadline) {
  const auto html = labelled().page();
  EXPECT_THAT(html, HasSubstr("<span class=\"badge\">injected: jitter=5%, slow-rank=0:2x</span> "
                              "<span class=\"badge\">no payload</span></h2>"));
  EXPECT_EQ(html.find(">labels</th>"), html.rfind(">labels</th>"))
      << "of all tables of the page only that of runs has such a column";
}

TEST(Labels, OfPlainRunsAreNowhere) {
  const PairReport report({});
  const auto html = report.page();
  EXPECT_THAT(html, Not(HasSubstr("class=\"badge\"")));
  for (const auto& [name, text] : report.files("figures", ".gp")) {
    EXPECT_THAT(text, Not(HasSubstr("Labels"))) << name;
    EXPECT_THAT(text, Not(HasSubstr("set title"))) << name;
  }
  for (const auto& [name, text] : report.files("figures", ".tsv"))
    EXPECT_THAT(text, Not(HasSubstr("Labels"))) << name;
}

}  // namespace
}  // namespace scalestudy
