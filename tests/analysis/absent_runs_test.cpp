#include <gtest/gtest.h>

#include "core/error.hpp"

#include "analysis/series/run_set.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

const RunSpec absent = spec_of({.repeat = 1});

/// One run with a file, and a plan of `absent`.
void write_study(const std::filesystem::path& study) {
  write_synthetic(study, {});
  write_text(study / "plan.json",
             R"({"runs": [)" + to_json_text(absent) +
                 R"(], "skipped": [{"combination": "ranks=8", "reason": "too few patches"}]})");
}

TEST(AbsentRuns, NamesRunsThatHaveNoFileYet) {
  const TemporaryFolder folder;
  write_study(folder.path());
  const RunSet set = load_runs({folder.path()});
  ASSERT_EQ(set.without_file.size(), 1U);
  EXPECT_EQ(set.without_file[0].name, absent.run_id());
  EXPECT_EQ(set.without_file[0].reason, "not started");
  ASSERT_EQ(set.skipped.size(), 1U);
  EXPECT_EQ(set.skipped[0].reason, "too few patches");
}

TEST(AbsentRuns, ARunThatEndedWithoutAFileSaysHow) {
  const TemporaryFolder folder;
  write_study(folder.path());
  const auto run_folder = folder.path() / "runs" / absent.run_id();
  std::filesystem::create_directories(run_folder);
  write_text(run_folder / "launch.json", R"({"status": "failed", "reason": "no memory"})");
  const RunSet set = load_runs({folder.path()});
  ASSERT_EQ(set.without_file.size(), 1U);
  EXPECT_EQ(set.without_file[0].reason, "failed: no memory");
  write_text(run_folder / "launch.json", R"({"status": "complete"})");
  EXPECT_EQ(load_runs({folder.path()}).without_file.at(0).reason,
            "complete, but its run.h5 is gone");
}

TEST(AbsentRuns, WithoutAReadablePlanFoldersNameTheRunsThatHaveNoFile) {
  const TemporaryFolder folder;
  write_synthetic(folder.path(), {});
  const auto runs = folder.path() / "runs";
  for (const auto* name : {"empty", "foreign", "ended"})
    std::filesystem::create_directories(runs / name);
  write_text(runs / "foreign/notes.txt", "mine");
  write_text(runs / "ended/launch.json", R"({"status": "failed", "reason": "no memory"})");
  for (const auto* plan : {"", "[1, 2"}) {
    if (*plan != '\0') write_text(folder / "plan.json", plan);
    const RunSet set = load_runs({folder.path()});
    EXPECT_EQ(set.runs.size(), 1U);
    ASSERT_EQ(set.without_file.size(), 3U) << plan;
    EXPECT_EQ(set.without_file[0].name, "empty");
    EXPECT_EQ(set.without_file[0].reason, "its folder holds no run file");
    EXPECT_EQ(set.without_file[1].reason, "failed: no memory") << set.without_file[1].name;
    EXPECT_EQ(set.without_file[2].name, "foreign");
  }
}

TEST(AbsentRuns, AnOpenFilesNameIsThatOfNoResult) {
  const TemporaryFolder folder;
  const auto file = write_synthetic(folder.path(), {});
  std::filesystem::rename(file, file.parent_path() / "run.h5.part");
  const RunSet set = load_runs({folder.path()});
  ASSERT_EQ(set.runs.size(), 1U);
  EXPECT_EQ(set.runs[0].left_out, "complete, but its file is still called run.h5.part");
  EXPECT_TRUE(set.without_file.empty());
}

TEST(AbsentRuns, AMissingOrDamagedPlanIsListedBesideTheRuns) {
  TemporaryFolder folder;
  write_synthetic(folder / ".", {});
  EXPECT_TRUE(load_runs({folder / "."}).without_plan.empty()) << "a collection of run files";
  write_text(folder / "study.json", "{}");
  const auto without = load_runs({folder / "."});
  EXPECT_EQ(without.runs.size(), 1U);
  EXPECT_EQ(without.without_plan.size(), 1U);
  EXPECT_TRUE(without.damaged_plans.empty());
  write_text(folder / "plan.json", "[1, 2");
  const auto damaged = load_runs({folder / "."});
  EXPECT_EQ(damaged.runs.size(), 1U);
  EXPECT_TRUE(damaged.without_plan.empty());
  ASSERT_EQ(damaged.damaged_plans.size(), 1U);
  EXPECT_NE(damaged.damaged_plans[0].reason.find("plan.json: parse error"), std::string::npos);
}

}  // namespace
}  // namespace scalestudy
