#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/analysis/synthetic_run.hpp"
#include "tests/driver/driver_answer.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class ImportCommand : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    auto file = folder_ / name;
    std::ofstream(file) << text;
    return file;
  }
  [[nodiscard]] DriverAnswer import_logs(std::vector<std::string> more = {}) const {
    const auto log = write("log.csv", "time_per_epoch,loss\n20,1\n10,0.5\n");
    more.insert(more.begin(),
                {"import", "epoch-csv", log.string(), "--ranks", "1", "--name", "theirs",
                 "--source", "https://example.org", "--workload", "unet", "--out", out_.string()});
    return ask_driver(more);
  }
  TemporaryFolder folder_;
  fs::path out_ = folder_ / "published";
};

TEST_F(ImportCommand, WritesAStudyThatReportReads) {
  const auto answer = import_logs({"--rule", "linear_fixed_epochs", "--device", "V100"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("Next: scalestudy report"));
  const auto file = json::parse(content_of(out_ / "theirs.json"));
  EXPECT_EQ(file["label"], "external");
  EXPECT_EQ(file["arms"][0]["scaling_rule"], "linear_fixed_epochs");
  EXPECT_EQ(file["arms"][0]["runs"][0]["median_epoch_s"], 10);
  EXPECT_FALSE(file["arms"][0]["runs"][0].contains("samples_per_s")) << "not known is absent";
  const auto report = ask_driver(
      {"report", (out_ / "theirs.json").string(), "--out", (folder_ / "report").string()});
  EXPECT_EQ(report.code, 3) << "one number of ranks is no speed-up";
  EXPECT_THAT(report.out, HasSubstr("There are no two numbers of ranks to compare"));
}

TEST_F(ImportCommand, ALossOfNaNIsMarkedInEveryOutput) {
  const auto one = write("one.csv", "time_per_epoch,loss\n20,1\n10,0.5\n").string();
  const auto two = write("two.csv", "time_per_epoch,loss\n4,nan\n4,nan\n").string();
  const auto answer =
      ask_driver({"import", "epoch-csv", one, two, "--ranks", "1,2", "--name", "theirs", "--source",
                  "x", "--workload", "unet", "--out", out_.string()});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const auto place = folder_ / "report";
  const auto report =
      ask_driver({"report", (out_ / "theirs.json").string(), "--out", place.string()});
  EXPECT_EQ(report.code, 3) << "no speed-up of runs that count";
  EXPECT_THAT(report.out, Not(HasSubstr("quality or loss")));
  EXPECT_THAT(report.out, Not(HasSubstr("Published quality"))) << "none was logged";
  const auto* mark = "loss is NaN at least once";
  EXPECT_THAT(report.out, HasSubstr(mark));
  EXPECT_THAT(content_of(place / "report.html"), HasSubstr(mark));
  EXPECT_THAT(content_of(place / "tables/published-theirs-points.csv"), HasSubstr(mark));
  const auto summary = json::parse(content_of(place / "summary.json"));
  EXPECT_EQ(summary["tables"]["published-theirs-points"]["rows"][1]["flaws"], mark);
}

TEST_F(ImportCommand, WhatIsThereAlreadyStays) {
  EXPECT_EQ(import_logs().code, 0);
  EXPECT_EQ(import_logs().code, 0) << "it says the same";
  const auto kept = content_of(out_ / "theirs.json");
  const auto other = import_logs({"--device", "V100"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("theirs.json' is there already, and says something else (it "
                                   "would be lost). Choose another --out or name, or remove it."));
  EXPECT_EQ(content_of(out_ / "theirs.json"), kept);
  std::ofstream(out_ / "theirs.json") << "{\"mine\": true}";
  EXPECT_EQ(import_logs().code, 2);
  EXPECT_EQ(content_of(out_ / "theirs.json"), "{\"mine\": true}");
}

TEST_F(ImportCommand, JsonNamesFilesAndNotes) {
  const auto answer = import_logs({"--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const auto result = json::parse(answer.out);
  EXPECT_EQ(result["files"][0], (out_ / "theirs.json").string());
  EXPECT_TRUE(result["notes"].is_array());
}

TEST_F(ImportCommand, WrongInputIsExplainedAndWritesNothing) {
  const auto expect_refused = [&](const std::vector<std::string>& arguments, const char* text) {
    const auto answer = ask_driver(arguments);
    EXPECT_EQ(answer.code, 2);
    EXPECT_THAT(answer.err, HasSubstr(text));
    EXPECT_FALSE(fs::exists(out_));
  };
  const auto log = write("log.csv", "time_per_epoch\n20\n").string();
  expect_refused({"import"}, "FORMAT");
  expect_refused({"import", "epoch-cvs", log, "--out", out_.string()}, "Perhaps 'epoch-csv'");
  expect_refused({"import", "epoch-csv", log}, "--out");
  expect_refused({"import", "epoch-csv", log, "--out", out_.string()}, "--name is missing");
  expect_refused(
      {"import", "epoch-csv", log, log, "--global-batch-size", "1,024", "--out", out_.string()},
      "--global-batch-size 1,024 may be one number, or one for each file");
  expect_refused({"import", "epoch-csv", log, "--name", "../up", "--source", "x", "--workload", "y",
                  "--ranks", "1", "--out", out_.string()},
                 "is no name of a file");
  expect_refused({"import", "epoch-csv", log, "--name", "a", "--source", "x", "--workload", "y",
                  "--ranks", "1", "--rule", "linar", "--out", out_.string()},
                 "Perhaps 'linear'");
}

TEST_F(ImportCommand, ATableWithoutAnyRunIsUndecided) {
  const auto table = write("t.csv",
                           "id,workload,device,n,precision,mode,metric,value,unit,source\n"
                           "a,w,d,8,,b,time,1,us,x\n");
  const auto answer =
      ask_driver({"import", "published-csv", table.string(), "--out", out_.string()});
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.err, HasSubstr("1 row left out: metric 'time'"));
}

}  // namespace
}  // namespace scalestudy
