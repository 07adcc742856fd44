#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "record/run_file/run_file.hpp"

#include "tests/driver/driver_answer.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/support/study_place.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

DriverAnswer dry_run(const StudyPlace& place, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", place.study(), "--out", place.out(), "--dry-run"});
  return ask_driver(more);
}

json launches_of(const StudyPlace& place, std::vector<std::string> more = {}) {
  more.emplace_back("--json");
  const auto answer = dry_run(place, more);
  EXPECT_EQ(answer.code, 0) << answer.err;
  return json::parse(answer.out)["launches"];
}

/// A closed result file of run `id`, as `run` finds it in its folder.
void write_result(const StudyPlace& place, const std::string& id, RunStatus status) {
  const auto folder = fs::path(place.out()) / "runs" / id;
  fs::create_directories(folder);
  RunHeader header;
  header.run_id = id;
  { RunFileWriter writer(folder / "run.h5.part", header, 1); }
  Closing closing;
  closing.status = status;
  static_cast<void>(close_run_file(folder / "run.h5.part", closing));
}

TEST(DryRun, PromisesNoRunWithoutData) {
  const StudyPlace place;
  fs::remove(place.path() / "volume.tif");
  const auto answer = dry_run(place);
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr("volume.tif does not exist"));
}

TEST(DryRun, PromisesNoRunWhereThereIsNoPlaceForIt) {
  const StudyPlace place;
  write_text(place.out(), "a file");
  const auto answer = dry_run(place);
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("it is no folder"));
}

/// What is run there would be written outside, and a report would refuse it.
TEST(DryRun, RefusesLinksOutOfTheFolder) {
  for (const auto* name : {"", "checkpoint.pt"}) {
    const StudyPlace place;
    const auto id = launches_of(place)[0]["run_id"].get<std::string>();
    const auto link = fs::path(place.out()) / "runs" / id / name;
    const auto plain = *name == '\0' ? link.parent_path() : link;
    fs::create_directories(plain.parent_path());
    fs::create_directories(place.path() / "outside");
    fs::create_symlink(place.path() / "outside", plain);
    const auto answer = dry_run(place);
    EXPECT_EQ(answer.code, 2);
    EXPECT_THAT(answer.err, HasSubstr("is a link out of"));
  }
}

/// A log line appended to somebody's shell profile, say.
TEST(DryRun, RefusesLinksOutOfTheFolderInPlaceOfItsFiles) {
  for (const auto* name : {"driver.log", "study.json", "plan.json"}) {
    const StudyPlace place;
    write_text(place.path() / "outside", "untouched");
    fs::create_directories(place.out());
    fs::create_symlink(place.path() / "outside", fs::path(place.out()) / name);
    const auto answer = dry_run(place);
    EXPECT_EQ(answer.code, 2) << name;
    EXPECT_THAT(answer.err, HasSubstr("is a link out of")) << name;
    EXPECT_EQ(content_of(place.path() / "outside"), "untouched");
  }
}

TEST(DryRun, PrintsOneCommandPerRankBelowTheRunsName) {
  const StudyPlace place;
  const auto answer = dry_run(place, {"--set", "repeats=1"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  auto lines = split(answer.out, '\n');
  ASSERT_EQ(lines.size(), 6U) << answer.out;  // two names, three ranks, the end
  const auto is_first = lines[0].starts_with("# noise2void-r1-");
  const std::size_t one = is_first ? 0 : 3, two = is_first ? 2 : 0;
  EXPECT_THAT(lines[one], StartsWith("# noise2void-r1-"));
  EXPECT_THAT(lines[one + 1], StartsWith("env "));
  EXPECT_THAT(lines[two], StartsWith("# noise2void-r2-"));
  EXPECT_THAT(lines[two + 1], HasSubstr(" RANK=0 "));
  EXPECT_THAT(lines[two + 2], HasSubstr(" RANK=1 "));
  EXPECT_THAT(lines[two + 2], HasSubstr(" WORLD_SIZE=2 "));
}

TEST(DryRun, WritesNothing) {
  const StudyPlace place;
  static_cast<void>(dry_run(place));
  static_cast<void>(dry_run(place, {"--json"}));
  EXPECT_FALSE(fs::exists(place.out()));
}

TEST(DryRun, JsonHasArgumentVectorsThatNeedNoQuoting) {
  const StudyPlace place;
  const auto launches = launches_of(place, {"--set", "repeats=1"});
  ASSERT_EQ(launches.size(), 2U);
  const auto& second = launches[launches[0]["processes"].size() == 2 ? 0 : 1];  // of two ranks
  EXPECT_EQ(second["kept"], false);
  ASSERT_EQ(second["processes"].size(), 2U);
  const auto folder = fs::path(place.out()) / "runs" / second["run_id"].get<std::string>();
  const auto& argv = second["processes"][0]["argv"];
  EXPECT_EQ(argv[1], "--spec");
  EXPECT_EQ(argv[2], (folder / "spec.json").string()) << "its folder has a blank and a quote";
  EXPECT_EQ(argv[4], folder.string());
  EXPECT_EQ(second["processes"][1]["log_file"], (folder / "rank-1.log").string());
}

TEST(DryRun, NamesTheRankProgramThatWouldRun) {
  const StudyPlace place;
  const ScopedVariable chosen("SCALESTUDY_RANK_PROGRAM", "/opt/my tools/rank");
  EXPECT_THAT(dry_run(place).out, HasSubstr("'/opt/my tools/rank' --spec"));
}

TEST(DryRun, HandsOnTheEnvironmentsVariables) {
  const StudyPlace place;
  const auto environment = (place.path() / "env.json").string();
  write_text(environment, R"({"variables": {"GREETING": "it's a b"}})");
  const auto answer = dry_run(place, {"--environment", environment});
  EXPECT_THAT(answer.out, HasSubstr(R"(GREETING='it'\''s a b')"));
  const auto launches = launches_of(place, {"--environment", environment});
  EXPECT_EQ(launches[0]["processes"][0]["variables"]["GREETING"], "it's a b");
}

TEST(DryRun, MpirunIsOneProcessForAllRanks) {
  const StudyPlace place;
  const auto launches = launches_of(place, {"--launcher", "mpirun", "--set", "axes.ranks=[2]"});
  ASSERT_EQ(launches[0]["processes"].size(), 1U);
  const auto& process = launches[0]["processes"][0];
  EXPECT_EQ(process["argv"][0], "mpirun");
  EXPECT_EQ(process["argv"][2], "2");
  EXPECT_THAT(process["removed_variables"], Contains("RANK"));
}

TEST(DryRun, ThreadsPerRankReachTheRanks) {
  const StudyPlace place;
  const auto launches = launches_of(place, {"--set", "settings.threads_per_rank=3"});
  for (const auto& launch : launches)
    for (const auto& process : launch["processes"])
      EXPECT_EQ(process["variables"]["OMP_NUM_THREADS"], "3");
}

TEST(DryRun, SettledRunsAreKeptAndOthersStartedAgain) {
  const StudyPlace place;
  const auto before = launches_of(place);
  ASSERT_EQ(before.size(), 4U);
  const std::vector<RunStatus> ends{RunStatus::complete, RunStatus::diverged, RunStatus::failed,
                                    RunStatus::interrupted};
  for (std::size_t i = 0; i < ends.size(); ++i)
    write_result(place, before[i]["run_id"].get<std::string>(), ends[i]);
  std::vector<bool> kept;
  const auto after = launches_of(place);
  for (const auto& launch : after) kept.push_back(launch["kept"].get<bool>());
  EXPECT_THAT(kept, ElementsAre(true, true, false, false));
  const auto text = dry_run(place).out;
  EXPECT_THAT(text,
              HasSubstr(before[0]["run_id"].get<std::string>() + ": complete, would be kept\n# "));
  EXPECT_THAT(text, Not(HasSubstr(before[2]["run_id"].get<std::string>() + ": complete")));
}

TEST(DryRun, AnotherSettingMakesAnotherRun) {
  const StudyPlace place;
  const auto first = launches_of(place)[0]["run_id"].get<std::string>();
  write_result(place, first, RunStatus::complete);
  const auto other = launches_of(place, {"--set", "settings.optimizer.beta2=0.99"});
  EXPECT_NE(other[0]["run_id"], first);
  EXPECT_EQ(other[0]["kept"], false);
}

TEST(DryRun, AStudyWithNothingToRunIsBadInput) {
  const StudyPlace place;
  const auto answer = dry_run(place, {"--set", "axes.ranks=[9]"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("has no run to start"));
  EXPECT_THAT(answer.err, HasSubstr("leaves 0 epochs for 9 ranks"));
}

TEST(RunCommand, RefusesBeforeAnythingIsMade) {
  const StudyPlace place;
  const ScopedVariable present("SCALESTUDY_RANK_PROGRAM", "/bin/true");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", place.study(), "--out", place.out()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ask_driver(arguments);
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"data.path=/nowhere/volume.tif", "data.path: /nowhere/volume.tif does not exist"},
      {"data.path=", "data.path is empty"},
      {"data.reference_path=/nowhere/clean.tif", "--set data.reference_path=FILE"}};
  for (const auto& [set, message] : cases) {
    const auto answer = run({"--set", set});
    EXPECT_EQ(answer.code, 2) << set;
    EXPECT_THAT(answer.err, HasSubstr(message));
    EXPECT_FALSE(fs::exists(place.out())) << set;
  }
  const ScopedVariable absent("SCALESTUDY_RANK_PROGRAM", "/nowhere/rank");
  const auto answer = run({});
  EXPECT_EQ(answer.code, 4);
  EXPECT_THAT(answer.err, HasSubstr("/nowhere/rank"));
  EXPECT_FALSE(fs::exists(place.out()));
}

}  // namespace
}  // namespace scalestudy
