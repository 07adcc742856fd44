#include "analysis/report/page/report.hpp"

#include <array>
#include <fstream>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/program_output.hpp"

#include "analysis/report/study/pending_report.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/support/requirements.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<fs::path> files_with(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  return files;
}

/// The end of the tag that starts at `at`, quotes respected.
std::size_t end_of_tag(const std::string& html, std::size_t at) {
  char quote = 0;
  for (; at < html.size(); ++at) {
    const char c = html[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      break;
    }
  }
  return at;
}

/// Every start tag is closed in order, as in XML; void elements of HTML excepted. "" if so.
std::string first_nesting_error(const std::string& html) {
  static const std::set<std::string> without_content{"meta", "hr", "img", "br", "!DOCTYPE"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at)) {
    const std::size_t end = end_of_tag(html, at);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with("/");
    const std::string name =
        tag.substr(closes ? 1 : 0, tag.find_first_of(" \n\t/", 1) - (closes ? 1 : 0));
    at = end;
    if (without_content.count(name) == 1 || tag.ends_with("/")) continue;
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> closes " + (open.empty() ? "nothing" : "<" + open.back() + ">");
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

std::array<SyntheticRun, 2> one_and_two_ranks() {
  SyntheticRun one{.between_epochs_s = 0.05, .time_noise = 0.01, .panels = true};
  auto two = one;
  two.ranks = 2;
  two.epochs = 2;
  two.exposed_communication_s = 0.0063;
  return {one, two};
}

/// Of five runs each, from their files, with all figures: made once for all that look at it.
class WholeReport : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const auto& run : one_and_two_ranks()) write_group(folder() / "study", run, 5);
    result() = write_report({folder() / "study"}, out());
  }
  static const TemporaryFolder& folder() {
    static const TemporaryFolder folder;
    return folder;
  }
  static ReportResult& result() {
    static ReportResult result;
    return result;
  }
  static fs::path out() { return folder() / "study/report"; }
  static std::string page() { return content_of(result().page); }
};

/// Without figures, which take longest.
class Report : public AnalysedStudy {
 protected:
  void add_study(int repeats) {
    for (const auto& run : one_and_two_ranks()) add(run, repeats);
  }
  ReportResult report() {
    const ScopedVariable no_gnuplot("PATH", "/nonexistent");
    return write_report(analysis(), out_);
  }
  std::string page() { return content_of(report().page); }
  ReportResult report_of_files() const {
    const ScopedVariable no_gnuplot("PATH", "/nonexistent");
    return write_report({files_}, out_);
  }

  TemporaryFolder folder_;
  fs::path files_ = folder_ / "study";
  fs::path out_ = folder_ / "study/report";
};

TEST_F(WholeReport, SaysTheSpeedupWithIntervalRunsAndBase) {
  const ReportResult& result = this->result();
  EXPECT_EQ(result.data_runs, 10U);
  EXPECT_TRUE(result.unreadable.empty());
  ASSERT_EQ(result.paragraphs.size(), 5U);
  EXPECT_THAT(result.paragraphs[0],
              ContainsRegex("^How much faster\\? Two ranks trained 1\\.[78][0-9] times as fast as "
                            "one \\(95.*% interval 1\\.[0-9]+.*1\\.[0-9]+; 5 runs each\\).*\n"
                            "  - One rank trained [0-9.]+ samples/s in .*, two ranks [0-9.]+ in "));
  const std::string html = content_of(result.page);
  EXPECT_THAT(html, HasSubstr("hash 7f3a0000"));
  EXPECT_THAT(html, HasSubstr("Invented CPU &lt;1&gt;"));
  EXPECT_THAT(html, HasSubstr("Invented runs &lt; with known answers</p>"));
  EXPECT_THAT(html, HasSubstr("data:image/png;base64,"));
}

TEST_F(WholeReport, IsSelfContainedAndWellNested) {
  const std::string html = page();
  EXPECT_EQ(first_nesting_error(html), "");
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
}

TEST_F(WholeReport, IdsAreUniqueOnThePage) {
  const std::string html = page();
  std::set<std::string> ids;
  const std::regex id(" id=[\"']([^\"']*)[\"']");
  for (std::sregex_iterator i(html.begin(), html.end(), id), end; i != end; ++i) {
    EXPECT_TRUE(ids.insert((*i)[1]).second) << (*i)[1];
  }
}

TEST_F(WholeReport, HasEveryFigureInFourFormsAndTheTables) {
  SCALESTUDY_NEEDS("gnuplot", !find_on_path("gnuplot").empty());
  EXPECT_TRUE(result().notes.empty()) << result().notes.front();
  for (const char* extension : {".tsv", ".gp", ".svg", ".pdf"}) {
    EXPECT_EQ(files_with(out() / "figures", extension).size(), 10U) << extension;
  }
  for (const fs::path& svg : files_with(out() / "figures", ".svg")) {
    EXPECT_THAT(content_of(svg), ContainsRegex("<(path|use|polygon)")) << svg;
  }
  EXPECT_THAT(content_of(out() / "summary.json"), HasSubstr("\"training_speedup\""));
  EXPECT_FALSE(files_with(out() / "tables", ".csv").empty());
}

TEST_F(Report, WithoutGnuplotTheRestIsThereAndSaysWhatIsMissing) {
  add_study(3);
  const ReportResult result = report();
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_THAT(result.notes[0], HasSubstr("gnuplot is not installed"));
  EXPECT_THAT(content_of(result.page), HasSubstr("gnuplot is not installed"));
  EXPECT_EQ(files_with(out_ / "figures", ".tsv").size(), 10U);
  EXPECT_TRUE(files_with(out_ / "figures", ".svg").empty());
}

TEST_F(Report, NothingDoneIsSaidAndDoesNotCrash) {
  fs::create_directories(files_);
  const ReportResult result = report_of_files();
  EXPECT_EQ(result.data_runs, 0U);
  EXPECT_THAT(content_of(result.page), HasSubstr("No result yet"));
  EXPECT_THAT(content_of(result.page), HasSubstr("hold no run yet"));
}

TEST_F(Report, FailedPartAndInvalidRunsAreListedNeverDrawn) {
  add_study(3);
  add_run({.repeat = 10, .nan_loss = true});
  add_run({.repeat = 11, .status = RunStatus::failed});
  add_run({.repeat = 12, .close = false});
  const ReportResult result = report();
  EXPECT_EQ(result.data_runs, 6U);
  const std::string html = content_of(result.page);
  EXPECT_THAT(html, HasSubstr("INVALID: nonfinite_loss"));
  EXPECT_THAT(html, HasSubstr("rank 1 was killed by signal 9"));
  EXPECT_THAT(html, HasSubstr("6 of 9 runs count as data"));
  for (const fs::path& tsv : files_with(out_ / "figures", ".tsv")) {
    if (tsv.filename().string().find("loss-by-samples") == std::string::npos) continue;
    const std::string text = content_of(tsv);
    std::size_t blocks = 0;
    for (std::size_t at = text.find("\n\n\n"); at != std::string::npos;
         at = text.find("\n\n\n", at + 3)) {
      ++blocks;
    }
    EXPECT_EQ(blocks, 6U) << tsv << ": one block per data run";
  }
}

TEST_F(Report, OversubscribedIsSaidBesideTheNumber) {
  add({.labels = {"oversubscribed"}}, 3);
  add({.ranks = 2, .epochs = 2, .labels = {"oversubscribed"}}, 3);
  const std::string html = page();
  EXPECT_THAT(html, HasSubstr("OVERSUBSCRIBED"));
  EXPECT_THAT(html, HasSubstr("label: oversubscribed"));
}

TEST_F(Report, TheHeadlineIsNoLargerThanTheEvidence) {
  add({.time_noise = 0.05}, 4);
  // Twice the samples in the same time: the training takes as long.
  add({.ranks = 2, .time_noise = 0.05}, 4);
  EXPECT_THAT(page(),
              HasSubstr("These runs cannot tell whether two ranks are faster than one</h2>"));
}

TEST_F(Report, UnequalWorkIsSaidBesideTheSpeedup) {
  SyntheticRun run;
  run.epochs = 3;
  add(run, 3);
  run.ranks = 2;
  run.epochs = 1;
  add(run, 3);
  EXPECT_THAT(report().paragraphs.at(0), ContainsRegex("trained on 66\\.7.*% of the samples"));
}

TEST_F(Report, ADamagedFileIsReported) {
  write_synthetic(files_, {});
  fs::create_directories(files_ / "runs/broken");
  std::ofstream(files_ / "runs/broken/run.h5") << "no HDF5";
  EXPECT_EQ(report_of_files().unreadable.size(), 1U);
}

TEST_F(Report, AnUnwritablePlaceIsRefused) {
  add_study(1);
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THROW(static_cast<void>(write_report(analysis(), folder_ / "file")), BadInput);
}

TEST_F(Report, AnotherPassReplacesOldFigures) {
  add_study(1);
  static_cast<void>(report());
  std::ofstream(out_ / "figures/old.svg") << "x";
  static_cast<void>(report());
  EXPECT_FALSE(fs::exists(out_ / "figures/old.svg"));
}

/// Where a report was interrupted, or has no room, the one before it stays whole.
TEST(PendingReportTest, ReplacesNothingBeforeAllIsWritten) {
  const TemporaryFolder out;
  write_text(out / "report.html", "old");
  fs::create_directories(out / "figures");
  write_text(out / "figures/old.svg", "old");
  fs::create_directories(out / ".report-part-1073741824");  // no process has so large a number
  {
    const PendingReport given_up(out.path());
    write_text(given_up.folder() / "report.html", "half");
    EXPECT_FALSE(fs::exists(out / ".report-part-1073741824"));
  }
  EXPECT_EQ(content_of(out / "report.html"), "old");
  {
    const PendingReport pending(out.path());
    write_text(pending.folder() / "report.html", "new");
    fs::create_directories(pending.folder() / "figures");
    pending.publish();
  }
  EXPECT_EQ(content_of(out / "report.html"), "new");
  EXPECT_TRUE(fs::is_empty(out / "figures"));
  EXPECT_EQ(std::distance(fs::directory_iterator(out.path()), fs::directory_iterator()), 2);
}

TEST_F(Report, TouchesNoFolderThatHoldsNoReport) {
  add_study(1);
  const auto mine = out_ / "figures" / "mine.png";
  fs::create_directories(mine.parent_path());
  std::ofstream(mine) << "x";
  EXPECT_THROW(static_cast<void>(report()), BadInput);
  std::ofstream(out_ / "summary.json") << "{\"mine\": true}";
  EXPECT_THROW(static_cast<void>(report()), BadInput);
  EXPECT_TRUE(fs::exists(mine));
  EXPECT_FALSE(fs::exists(out_ / "report.html"));
}

TEST_F(Report, ShowsOutlinesOfEverySampleAtEveryRankCount) {
  SyntheticRun run{.quality = {{&EvaluationRow::iou, 0.84}, {&EvaluationRow::dice, 0.91}},
                   .segmentation_panels = 2};
  write_group(files_, run, 3);
  run.ranks = 2;
  write_group(files_, run, 3);
  const std::string html = content_of(report_of_files().page);
  for (const char* label : {"picture 1", "picture 2", "mask", "one rank", "two ranks"})
    EXPECT_THAT(html, HasSubstr("<figcaption>" + std::string(label) + "</figcaption>"));
  EXPECT_THAT(html, HasSubstr("true mask"));
  EXPECT_THAT(html, HasSubstr("IoU of the best weights: 0.8"));
  EXPECT_THAT(html, testing::Not(HasSubstr("PSNR")));
  const auto table = content_of(out_ / "tables/noise2void-quality.csv");
  EXPECT_THAT(table, HasSubstr("\niou,1,3,"));
  EXPECT_THAT(table, HasSubstr("\ndice,2,3,"));
  EXPECT_THAT(table, HasSubstr("\nbest_validation_loss,2,3,"));
}

TEST_F(Report, BaselinesAreAColumnOfTheQualityTable) {
  SyntheticRun run{.baselines = {{&EvaluationRow::input_psnr_db, 24.5}}};
  add(run, 3);
  EXPECT_THAT(page(),
              HasSubstr("Baselines, reached without any training: the noisy input (PSNR)."));
  const auto table = content_of(out_ / "tables/noise2void-quality.csv");
  EXPECT_THAT(table, testing::StartsWith("metric,ranks,runs,mean,baseline,difference,"));
  EXPECT_THAT(table, testing::ContainsRegex("psnr_db,1,3,2[78]\\.[0-9]+,24\\.5,"));
  EXPECT_THAT(table, testing::ContainsRegex("best_validation_loss,1,3,0\\.[0-9]+,,"));
}

TEST_F(Report, AnEmptyPredictionIsSaidUnderItsPicture) {
  SyntheticRun run{.segmentation_panels = 1};
  write_synthetic(files_, run);
  run.ranks = 2;
  run.nothing_predicted = true;
  write_synthetic(files_, run);
  const std::string html = content_of(report_of_files().page);
  EXPECT_THAT(html, HasSubstr("<figcaption>one rank</figcaption>"));
  EXPECT_THAT(html, HasSubstr("<figcaption>two ranks: nothing predicted</figcaption>"));
}

}  // namespace
}  // namespace scalestudy
