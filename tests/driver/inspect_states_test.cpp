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

/// One synthetic run in a folder of its own.
class InspectState : public ::testing::Test {
 protected:
  fs::path write() const { return write_synthetic(folder_.path(), run_); }
  static std::string text_of(const fs::path& file, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"inspect", file.string()});
    const auto answer = ask_driver(more);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.out;
  }
  static json json_of(const fs::path& file, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"inspect", file.string()});
    return json_of_driver(more);
  }
  SyntheticRun run_;
  TemporaryFolder folder_;
};

TEST_F(InspectState, ACompleteRunIsValidAndHasNoReason) {
  const auto file = write();
  const auto text = text_of(file);
  EXPECT_THAT(text, HasSubstr("Status    complete\nValidity  valid\nLabels    none\n"));
  const auto found = json_of(file);
  EXPECT_EQ(found["status"], "complete");
  EXPECT_EQ(found["reason"], "");
  EXPECT_EQ(found["failed_rank"], -1);
  EXPECT_EQ(found["failed_phase"], "");
  EXPECT_EQ(found["validity_codes"], json::array());
  EXPECT_EQ(found["file"], file.string());
}

TEST_F(InspectState, EveryEndIsShownByItsName) {
  for (const auto status :
       {RunStatus::diverged, RunStatus::failed, RunStatus::timed_out, RunStatus::interrupted}) {
    run_.status = status;
    const auto file = write();
    const std::string name(to_string(status));
    EXPECT_THAT(text_of(file), HasSubstr("Status    " + name +
                                         ": rank 1 in phase backward: rank 1 "
                                         "was killed by signal 9\n"));
    const auto found = json_of(file);
    EXPECT_EQ(found["status"], name);
    EXPECT_EQ(found["failed_rank"], 1);
    EXPECT_EQ(found["failed_phase"], "backward");
    fs::remove_all(file.parent_path());
  }
}

TEST_F(InspectState, ARunAtWorkHasNoSummaryYet) {
  run_.close = false;
  const auto file = write();
  EXPECT_EQ(file.extension(), ".part");
  const auto text = text_of(file.parent_path());
  EXPECT_THAT(text, HasSubstr("not closed yet"));
  EXPECT_THAT(text, HasSubstr("\nSummary\n  none yet\n"));
  EXPECT_EQ(json_of(file)["summary"], json::object());
  EXPECT_EQ(json_of(file)["status"], "running");
}

TEST_F(InspectState, TheClosedFileIsPreferredToTheOpenOne) {
  const auto file = write();
  write_text(file.parent_path() / "run.h5.part", "left behind");
  EXPECT_THAT(text_of(file.parent_path()), HasSubstr("Status    complete"));
}

TEST_F(InspectState, LabelsAreListed) {
  run_.labels = {"oversubscribed", "resumed"};
  const auto file = write();
  EXPECT_THAT(text_of(file), HasSubstr("Labels    oversubscribed, resumed\n"));
  EXPECT_EQ(json_of(file)["labels"], json({"oversubscribed", "resumed"}));
}

TEST_F(InspectState, LossesThatAreNoNumbersAreCountedAndNull) {
  run_.nan_loss = true;
  const auto file = write();
  const auto steps = json_of(file)["tables"]["/steps"];
  bool seen = false;
  for (const auto& column : steps["columns"]) {
    if (column["name"] != "loss") continue;
    seen = true;
    EXPECT_TRUE(column["median"].is_null());
    EXPECT_TRUE(column["least"].is_null());
    EXPECT_EQ(column["missing_count"], 160);
  }
  EXPECT_TRUE(seen);
  EXPECT_THAT(text_of(file), testing::ContainsRegex("\n  without any value: [a-z_, \n]*[ ]loss,"));
}

TEST_F(InspectState, ShapesFollowRanksStepsAndEpochs) {
  run_.ranks = 3;
  run_.epochs = 2;
  run_.steps_per_epoch = 15;
  const auto tables = json_of(write())["tables"];
  EXPECT_EQ(tables["/steps"]["shape"], json({3, 30}));
  EXPECT_EQ(tables["/epochs"]["shape"], json({2}));
  EXPECT_EQ(tables["/evaluations"]["shape"], json({2}));
}

TEST_F(InspectState, ColumnsSayLeastMedianAndMost) {
  const auto tables = json_of(write())["tables"];
  for (const auto& column : tables["/steps"]["columns"]) {
    EXPECT_NE(column["unit"], "") << column;
    EXPECT_NE(column["description"], "") << column;
    if (column["least"].is_null()) continue;
    EXPECT_LE(column["least"], column["median"]) << column["name"];
    EXPECT_LE(column["median"], column["most"]) << column["name"];
  }
}

TEST_F(InspectState, OnlySettingsThatDifferAreShownUnlessAllAreAskedFor) {
  const auto file = write();
  const auto names = [](const json& found) {
    std::vector<std::string> list;
    for (const auto& setting : found["settings"]) list.push_back(setting["name"]);
    return list;
  };
  const auto some = json_of(file);
  const auto all = json_of(file, {"--all-settings"});
  EXPECT_GT(all["settings"].size(), some["settings"].size());
  for (const auto& setting : some["settings"]) EXPECT_EQ(setting["differs"], true);
  EXPECT_THAT(names(some), testing::Not(testing::Contains("/workload")));
  EXPECT_THAT(names(all), testing::IsSupersetOf(names(some)));
  EXPECT_THAT(text_of(file), HasSubstr("Settings that did not stay as they were asked for"));
  EXPECT_THAT(text_of(file, {"--all-settings"}), HasSubstr("\nSettings\n"));
}

TEST_F(InspectState, PanelsAreListedWithTheirSize) {
  EXPECT_THAT(text_of(write()), HasSubstr("\n/panels: 0\n"));
  run_.repeat = 1;
  run_.panels = true;
  const auto file = write();
  EXPECT_THAT(text_of(file), HasSubstr("\n/panels: 2\n"));
  EXPECT_THAT(text_of(file), HasSubstr("input: 64 x 64 px"));
  EXPECT_EQ(json_of(file)["panels"].size(), 2U);
}

TEST_F(InspectState, AFolderOfAStudyNamesOneOfItsRuns) {
  const auto file = write();
  const auto answer = ask_driver({"inspect", folder_.path().string()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr("is the folder of a study with 1 run "));
  EXPECT_THAT(answer.err, HasSubstr("e.g. " + file.parent_path().string()));
}

TEST_F(InspectState, AJsonRefusalIsJsonToo) {
  const auto file = write();
  fs::resize_file(file, 2000);
  const auto answer = ask_driver({"inspect", file.string(), "--json"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(json::parse(answer.out)["exit_code"], 2);
  EXPECT_THAT(answer.err, Not(HasSubstr("Unexpected")));
}

}  // namespace
}  // namespace scalestudy
