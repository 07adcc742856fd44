#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "tests/driver/driver_answer.hpp"
#include "tests/driver/one_and_two_ranks.hpp"
#include "tests/support/scoped_variable.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// Drawing takes most of a report's time and is tested elsewhere: no gnuplot here.
class ReportCommand : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path study(const std::string& name = "study") const {
    return temporary_ / name;
  }
  void write_runs(const std::string& name = "study") const { add_one_and_two_ranks(study(name)); }
  [[nodiscard]] DriverAnswer report(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"report", study().string()});
    return ask_driver(more);
  }
  TemporaryFolder temporary_;

 private:
  ScopedVariable path_{"PATH", "/nowhere"};
};

TEST_F(ReportCommand, WritesPageSummaryAndTablesIntoTheStudy) {
  write_runs();
  const auto answer = report();
  EXPECT_EQ(answer.code, 0) << answer.err;
  const auto folder = study() / "report";
  EXPECT_THAT(answer.out, EndsWith("Report: " + (folder / "report.html").string() + "\n"));
  EXPECT_LT(answer.out.find("ranks"), answer.out.find("Report: ")) << "the headline comes first";
  const auto page = content_of(folder / "report.html");
  EXPECT_THAT(page, HasSubstr("</html>"));
  EXPECT_THAT(page, HasSubstr("<small>plan.global_batch_size</small>")) << "words of the workload";
  EXPECT_EQ(json::parse(content_of(folder / "summary.json")).is_object(), true);
  EXPECT_FALSE(fs::is_empty(folder / "tables"));
  EXPECT_THAT(answer.err, HasSubstr("gnuplot"));
}

TEST_F(ReportCommand, JsonIsTheSummaryFileAndNothingElse) {
  write_runs();
  const auto answer = report({"--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.out, content_of(study() / "report/summary.json"));
  EXPECT_TRUE(json::accept(answer.out));
}

TEST_F(ReportCommand, GoesWhereItIsTold) {
  write_runs();
  const auto elsewhere = temporary_ / "else where";
  const auto answer = report({"--out", elsewhere.string()});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(fs::exists(elsewhere / "report.html"));
  EXPECT_FALSE(fs::exists(study() / "report"));
}

TEST_F(ReportCommand, SeveralFoldersMakeOneReportInTheFirst) {
  write_runs();
  write_group(study("second"), {.rule = ScalingRule::strong}, 3);
  const auto answer = report({study("second").string(), "--accept-mixed"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_FALSE(fs::exists(study("second") / "report"));
  const auto page = content_of(study() / "report/report.html");
  EXPECT_THAT(page, HasSubstr("linear_fixed_samples"));
  EXPECT_THAT(page, HasSubstr("strong"));
  EXPECT_THAT(page, HasSubstr("9 runs as data"));
}

TEST_F(ReportCommand, AMissingFolderIsBadInputAndMakesNothing) {
  for (const bool as_json : {false, true}) {
    const auto answer =
        report(as_json ? std::vector<std::string>{"--json"} : std::vector<std::string>{});
    EXPECT_EQ(answer.code, 2);
    EXPECT_EQ(answer.out.empty(), !as_json);
    EXPECT_THAT(answer.err, HasSubstr(study().string()));
    EXPECT_FALSE(fs::exists(study()));
  }
  EXPECT_EQ(ask_driver({"report"}).code, 2);
}

TEST_F(ReportCommand, AFolderThatIsNoStudyIsBadInputAndStaysAsItIs) {
  write_text(study() / "notes.txt", "mine");
  const auto answer = report();
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("it has neither runs/ nor plan.json"));
  EXPECT_FALSE(fs::exists(study() / "report"));
}

TEST_F(ReportCommand, TheFolderOfARunNamesThatOfItsStudy) {
  write_runs();
  const auto run = write_synthetic(study(), {.repeat = 9}).parent_path();
  const auto answer = ask_driver({"report", run.string()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("Use scalestudy report " + study().string() + ","));
}

TEST_F(ReportCommand, AFolderThatCannotBeLookedIntoIsBadInput) {
  const auto answer = ask_driver({"report", std::string(300, 'x')});
  EXPECT_EQ(answer.code, 2) << answer.err;
  EXPECT_EQ(ask_driver({"status", std::string(300, 'x')}).code, 2);
  EXPECT_EQ(ask_driver({"inspect", std::string(300, 'x')}).code, 2);
}

TEST_F(ReportCommand, OneMissingFolderOfTwoIsNamed) {
  write_runs();
  const auto answer = report({study("absent").string()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("absent"));
}

TEST_F(ReportCommand, ADamagedRunIsListedAndTheRestReported) {
  write_runs();
  const auto file = write_synthetic(study(), {.repeat = 7});
  fs::resize_file(file, 100);
  const auto answer = report();
  EXPECT_EQ(answer.code, 2) << "the caller must know";
  EXPECT_THAT(answer.err, HasSubstr("1 file could not be read"));
  EXPECT_THAT(answer.err, HasSubstr(file.parent_path().filename().string()));
  EXPECT_THAT(answer.out, HasSubstr("Report: "));
  EXPECT_THAT(content_of(study() / "report/report.html"), HasSubstr("6 of 7 runs"));
}

TEST_F(ReportCommand, EachUnreadableFileHasItsOwnLineAndItsReasonOnThePage) {
  write_runs();
  fs::resize_file(write_synthetic(study(), {.repeat = 7}), 0);
  fs::resize_file(write_synthetic(study(), {.repeat = 8}), 600);
  const auto answer = report();
  EXPECT_THAT(answer.err, HasSubstr("2 files could not be read"));
  EXPECT_THAT(answer.err, HasSubstr("\n         " + (study() / "runs").string()));
  EXPECT_THAT(answer.err, HasSubstr("run.h5: the file is empty"));
  EXPECT_THAT(answer.err, HasSubstr("Copy it again from where it came from"));
  const auto page = content_of(study() / "report/report.html");
  const auto notice = page.substr(0, page.find("</aside>"));
  EXPECT_THAT(notice, HasSubstr("run.h5: the file is empty"));
  EXPECT_THAT(notice, HasSubstr("changed or cut"));
}

TEST_F(ReportCommand, OfThousandsOfUnreadableFilesSomeAreNamed) {
  write_runs();
  for (int i = 0; i < 30; ++i)
    write_text(study() / "runs" / ("run-" + std::to_string(i)) / "run.h5", "");
  EXPECT_THAT(report().err, HasSubstr("and 10 more, in the report's run table"));
  EXPECT_THAT(content_of(study() / "report/report.html"),
              HasSubstr("and 20 more, in the run table"));
}

TEST_F(ReportCommand, APipeInPlaceOfItsFilesIsReplaced) {
  write_runs();
  ASSERT_EQ(report().code, 0);
  const auto page = study() / "report/report.html";
  fs::remove(page);
  ASSERT_EQ(::mkfifo(page.c_str(), 0600), 0);
  EXPECT_EQ(report().code, 0);
  EXPECT_THAT(content_of(page), HasSubstr("</html>"));
}

TEST_F(ReportCommand, ALinkThatLeadsNowhereIsNamed) {
  write_runs();
  fs::create_symlink("gone", study() / "runs/linked-folder");
  fs::create_directories(study() / "runs/linked-file");
  fs::create_symlink("gone", study() / "runs/linked-file/run.h5");
  const auto answer = report();
  EXPECT_EQ(answer.code, 2);
  for (const auto* name : {"linked-folder", "linked-file"})
    EXPECT_THAT(answer.err, HasSubstr(name + std::string("/run.h5 cannot be read: No such file or "
                                                         "directory behind the link")));
}

TEST_F(ReportCommand, RunsThatCannotBeReadAreNoEmptyStudy) {
  write_text(study() / "runs", "a file");
  const auto answer = report();
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("runs cannot be read: Not a directory"));
  EXPECT_EQ(ask_driver({"inspect", study().string()}).code, 2);
}

TEST_F(ReportCommand, TheFolderOfAllRunsNamesThatOfItsStudy) {
  write_runs();
  for (const auto* end : {"runs", "runs/"})
    EXPECT_THAT(ask_driver({"report", (study() / end).string()}).err,
                HasSubstr("Use scalestudy report " + study().string() + "."));
}

TEST_F(ReportCommand, MixedBuildsAreSaidOnStandardOutputAndBadInput) {
  write_runs();
  write_synthetic(study(), {.ranks = 2, .repeat = 3, .build_id = "other"});
  const auto answer = report();
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.out, HasSubstr("mixed_builds: "));
  EXPECT_THAT(answer.out, HasSubstr("Report: "));
  EXPECT_THAT(answer.err, HasSubstr("--accept-mixed"));
}

TEST_F(ReportCommand, TwoFoldersOfOtherSettingsAreSaidToBeNoComparison) {
  write_runs();
  const auto other = study().parent_path() / "other";
  write_group(other, {.local_batch = 8}, 3);
  const std::vector<std::string> both{"report", study().string(), other.string()};
  const auto answer = ask_driver(both);
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.out, HasSubstr(cat("mixed_settings: ", study().string(), " and ",
                                        other.string(), " are not compared with each other: ")));
  EXPECT_THAT(answer.out, HasSubstr("settings.local_batch_size (4, 8)"));
  EXPECT_LT(answer.out.find(study().string() + ": noise2void"),
            answer.out.find(other.string() + ": noise2void"));
  auto reversed = both;
  std::swap(reversed[1], reversed[2]);
  const auto other_first = ask_driver(reversed).out;
  EXPECT_GT(other_first.find(study().string() + ": noise2void"),
            other_first.find(other.string() + ": noise2void"));
}

TEST_F(ReportCommand, TwoFoldersOfOneStudyAreOne) {
  write_group(study(), {}, 3);
  const auto other = study().parent_path() / "other";
  write_group(other, {.ranks = 2}, 3);
  const auto answer = ask_driver({"report", study().string(), other.string()});
  EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
}

TEST_F(ReportCommand, DataThatChangedAreSaidOnStandardOutputAndBadInput) {
  for (const char* hash : {"1a2b3c4d00000000", "5e6f708900000000"})
    for (const std::int64_t repeat : {0, 1, 2})
      write_synthetic(study(), {.repeat = repeat, .data_hash = hash});
  const auto answer = report();
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.out, HasSubstr("mixed_data: Runs of different data are mixed "
                                    "(1a2b3c4d00000000; 5e6f708900000000)"));
  EXPECT_THAT(answer.out, HasSubstr(", data 5e6f708900000000:\n\n")) << "whose conclusions follow";
  EXPECT_THAT(content_of(study() / "report/report.html"), HasSubstr("1a2b3c4d00000000"));
}

TEST_F(ReportCommand, AMixtureInJsonHasResultAndError) {
  write_runs();
  write_synthetic(study(), {.ranks = 2, .repeat = 3, .build_id = "other"});
  const auto answer = report({"--json"});
  const auto document = json::parse(answer.out);
  EXPECT_EQ(document["exit_code"], 2);
  EXPECT_THAT(document["error"].get<std::string>(), HasSubstr("--accept-mixed"));
  EXPECT_EQ(document["chapters"].size(), 2U);
}

TEST_F(ReportCommand, AcceptedMixturesAreGroupsOfTheirOwn) {
  write_runs();
  for (const std::int64_t repeat : {3, 4, 5})
    write_synthetic(study(), {.ranks = 2, .repeat = repeat, .build_id = "other"});
  const auto answer = report({"--accept-mixed"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("mixed_builds: "));
  EXPECT_THAT(answer.out, HasSubstr(", build other:\n\n")) << "whose conclusions follow";
  const auto summary = json::parse(content_of(study() / "report/summary.json"));
  ASSERT_EQ(summary["chapters"].size(), 2U);
  EXPECT_THAT(summary["chapters"][1]["name"].get<std::string>(), HasSubstr(", build other"));
}

TEST_F(ReportCommand, WithoutAnyDataItIsUndecided) {
  fs::create_directories(study() / "runs");
  const auto empty = report();
  EXPECT_EQ(empty.code, 3) << empty.err;
  EXPECT_THAT(empty.out, HasSubstr("Report: "));
  write_synthetic(study(), {.status = RunStatus::failed});
  EXPECT_EQ(report().code, 3);
}

TEST_F(ReportCommand, WithoutAOneRankBaseItIsWrittenAndUndecided) {
  write_group(study(), {.ranks = 2}, 3);
  EXPECT_EQ(report().code, 3);
  EXPECT_THAT(content_of(study() / "report/report.html"), HasSubstr("No speed-up can be stated"));
}

TEST_F(ReportCommand, ASecondReportReplacesTheFirst) {
  write_runs();
  ASSERT_EQ(report().code, 0);
  const auto before = content_of(study() / "report/summary.json");
  write_text(study() / "report/tables/stale.csv", "old");
  ASSERT_EQ(report().code, 0);
  EXPECT_EQ(content_of(study() / "report/summary.json"), before);
  EXPECT_FALSE(fs::exists(study() / "report/tables/stale.csv"));
}

TEST_F(ReportCommand, APlaceThatCannotBeWrittenIsBadInput) {
  write_runs();
  write_text(temporary_ / "file", "");
  const auto answer = report({"--out", (temporary_ / "file").string() + "/report"});
  EXPECT_EQ(answer.code, 2) << answer.err;
  EXPECT_THAT(answer.out, Not(HasSubstr("Report: ")));
}

}  // namespace
}  // namespace scalestudy
