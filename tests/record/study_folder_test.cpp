#include "record/study_folder/study_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

#include "tests/analysis/synthetic_run.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class StudyFolderTest : public ::testing::Test {
 protected:
  void add(const std::string& path, const std::string& text = "") const {
    write_text(temporary_ / path, text);
  }
  std::string refusal() const {
    return message_of([&] { return folder_.read_plan(); });
  }
  TemporaryFolder temporary_;
  StudyFolder folder_{temporary_.path()};
};

TEST_F(StudyFolderTest, TheSameFolderHoweverItIsWritten) {
  const auto path = temporary_.path();
  EXPECT_EQ(StudyFolder(path.string() + "/").path(), path);
  EXPECT_EQ(StudyFolder(path / "runs" / "..").path(), path);
  EXPECT_EQ(StudyFolder(path / ".").path(), path);
  EXPECT_TRUE(StudyFolder("relative").path().is_absolute());
}

TEST_F(StudyFolderTest, WithoutAPlanItIsNoStudy) {
  EXPECT_THROW(folder_.require_study(), BadInput);
  EXPECT_THAT(refusal(), HasSubstr("is no study folder"));
  add("plan.json", "{}");
  EXPECT_NO_THROW(folder_.require_study());
}

TEST_F(StudyFolderTest, NothingRunMeansNoRunsAndNoError) {
  EXPECT_TRUE(folder_.run_ids().empty());
  EXPECT_TRUE(folder_.result_files().empty());
  EXPECT_EQ(folder_.result_file("none"), std::nullopt);
  EXPECT_EQ(folder_.read_launch("none"), std::nullopt);
  EXPECT_FALSE(folder_.has_checkpoint("none"));
}

TEST_F(StudyFolderTest, RunIdsAreSortedAndFilesAreNoRuns) {
  for (const auto* id : {"b", "a-10", "c", "a-2"}) add("runs/" + std::string(id) + "/spec.json");
  add("runs/a-file");
  EXPECT_THAT(folder_.run_ids(), ElementsAre("a-10", "a-2", "b", "c"));
  add("runs/run.h5");
  EXPECT_THROW(static_cast<void>(folder_.run_ids()), BadInput);
}

TEST_F(StudyFolderTest, AClosedFileStandsBeforeAnOpenOne) {
  add("runs/closed/run.h5");
  add("runs/both/run.h5");
  add("runs/both/run.h5.part");
  add("runs/open/run.h5.part");
  add("runs/started/spec.json");
  const auto runs = folder_.runs_folder();
  EXPECT_THAT(folder_.result_files(), ElementsAre(runs / "both" / "run.h5", runs / "closed/run.h5",
                                                  runs / "open" / "run.h5.part"));
  EXPECT_EQ(folder_.result_file("started"), std::nullopt);
}

TEST_F(StudyFolderTest, ACheckpointIsSeen) {
  add("runs/a/checkpoint.pt");
  EXPECT_TRUE(folder_.has_checkpoint("a"));
  EXPECT_FALSE(folder_.has_checkpoint("b"));
}

TEST_F(StudyFolderTest, ALaunchRecordIsTheSameAfterItWasAFile) {
  const LaunchRecord record{.build_id = "b",
                            .content_hash = "h",
                            .host = "CPU A",
                            .host_fingerprint = "f",
                            .driver_process_id = 42,
                            .started_utc = "2026-11-21T14:25:45Z",
                            .commands = {"a b", "c"},
                            .status = "failed",
                            .reason = "rank 1: \"x\"\n",
                            .launch_wall_time_s = 12.25,
                            .resumed = true};
  add("runs/a/launch.json", to_json_text(record));
  const auto read = folder_.read_launch("a");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(to_json_text(*read), to_json_text(record));
  EXPECT_EQ(read->reason, record.reason);
  EXPECT_EQ(read->driver_process_id, 42);
  EXPECT_TRUE(read->resumed);
}

TEST_F(StudyFolderTest, AReasonMayQuoteAnyBytes) {
  add("runs/a/launch.json", to_json_text(LaunchRecord{.reason = "bad \xff byte"}));
  EXPECT_EQ(folder_.read_launch("a")->reason, "bad \xef\xbf\xbd byte");
}

TEST_F(StudyFolderTest, APlanMayQuoteAnyBytes) {
  StudyPlan plan;
  plan.host.environment = "bad \xff byte";
  plan.matrix.skipped.push_back({"ranks=2", "bad \xff byte"});
  add("plan.json", to_json_text(plan));
  EXPECT_EQ(folder_.read_plan().host.environment, "bad \xef\xbf\xbd byte");
  EXPECT_EQ(folder_.read_plan().matrix.skipped.at(0).reason, "bad \xef\xbf\xbd byte");
}

TEST_F(StudyFolderTest, AnOlderLaunchRecordHasDefaults) {
  add("runs/a/launch.json", R"({"status": "complete"})");
  const auto read = folder_.read_launch("a");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->status, "complete");
  EXPECT_EQ(read->driver_process_id, 0);
  EXPECT_FALSE(read->resumed);
  EXPECT_TRUE(read->commands.empty());
}

TEST_F(StudyFolderTest, AnUnreadableLaunchRecordIsNone) {
  for (const auto* text : {"", "{", "[]", "{}", R"({"status": 3})",
                           R"({"status": "complete", "commands": 1})", R"({"status": "comp)"}) {
    add("runs/a/launch.json", text);
    EXPECT_EQ(folder_.read_launch("a"), std::nullopt) << text;
  }
}

TEST_F(StudyFolderTest, APlanOfAnOlderVersionHasNoHost) {
  const json plan{{"runs", {json::parse(to_json_text(spec_of({.ranks = 2})))}}};
  add("plan.json", plan.dump());
  const auto read = folder_.read_plan();
  ASSERT_EQ(read.matrix.runs.size(), 1U);
  EXPECT_EQ(read.matrix.runs[0].content_hash(), spec_of({.ranks = 2}).content_hash());
  EXPECT_TRUE(read.matrix.skipped.empty());
  EXPECT_EQ(read.host.cpu_model, "");
  EXPECT_EQ(read.host.cores, 0);
  EXPECT_EQ(read.study, "");
}

TEST_F(StudyFolderTest, WhatAPlanListsTwiceIsOneRun) {
  const auto one = json::parse(to_json_text(spec_of({.ranks = 1})));
  const auto two = json::parse(to_json_text(spec_of({.ranks = 2})));
  add("plan.json", json{{"runs", {one, two, one, two, two}}}.dump());
  const auto runs = folder_.read_plan().matrix.runs;
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].ranks, 1);
  EXPECT_EQ(runs[1].ranks, 2);
}

TEST_F(StudyFolderTest, ADamagedPlanIsRefusedWithItsName) {
  for (const auto* text :
       {"", "{", "{}", R"({"runs": 3})", R"({"runs": [], "study": 3})",
        R"({"runs": [], "skipped": [{"combination": "a"}]})", R"({"runs": [{"ranks": "two"}]})"}) {
    add("plan.json", text);
    EXPECT_THAT(refusal(), HasSubstr("plan.json")) << text;
  }
}

/// A folder with a file, and a file beside it.
class LinksInAFolder : public testing::Test {
 protected:
  LinksInAFolder() {
    write_text(inside_ / "runs" / "one" / "run.h5", "");
    write_text(folder_ / "outside", "");
  }
  [[nodiscard]] std::string refusal(const std::filesystem::path& file) const {
    return message_of([&] { require_inside(inside_, file); });
  }
  TemporaryFolder folder_;
  std::filesystem::path inside_ = folder_ / "study";
};

TEST_F(LinksInAFolder, MayLeadToWhatIsInIt) {
  std::filesystem::create_symlink("one", inside_ / "runs" / "two");
  EXPECT_EQ(refusal(inside_ / "runs" / "two" / "run.h5"), "accepted");
  EXPECT_EQ(refusal(inside_ / "not there"), "accepted");
}

TEST_F(LinksInAFolder, MayNotLeadOut) {
  std::filesystem::create_symlink(folder_ / "outside", inside_ / "plan.json");
  std::filesystem::create_symlink("..", inside_ / "up");
  std::filesystem::create_symlink("circle", inside_ / "circle");
  EXPECT_EQ(refusal(inside_ / "circle"), "accepted") << "whoever opens it is told what it is";
  for (const auto* const name : {"plan.json", "up/outside", "../outside"})
    EXPECT_THAT(refusal(inside_ / name), testing::HasSubstr("is a link out of")) << name;
}

TEST_F(LinksInAFolder, TheFolderItselfMayBeOne) {
  std::filesystem::create_symlink(inside_, folder_ / "link");
  EXPECT_NO_THROW(require_inside(folder_ / "link", folder_ / "link" / "runs" / "one" / "run.h5"));
}

}  // namespace
}  // namespace scalestudy
