#include <fstream>

#include <gtest/gtest.h>

#include "core/error.hpp"

#include "analysis/run_set.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

std::string plan_text(const SyntheticRun& run) {
  return R"({"runs": [)" + to_json_text(spec_of(run)) +
         R"(], "skipped": [{"combination": "ranks=8", "reason": "too few patches"}]})";
}

TEST(AbsentRuns, NamesRunsThatHaveNoFileYet) {
  TemporaryFolder folder;
  const auto study = folder / "study";
  SyntheticRun run;
  write_synthetic(study, run);
  run.repeat = 1;
  std::ofstream(study / "plan.json") << plan_text(run);
  const RunSet set = load_runs({study});
  ASSERT_EQ(set.without_file.size(), 1U);
  EXPECT_EQ(set.without_file[0].name, spec_of(run).run_id());
  EXPECT_EQ(set.without_file[0].reason, "not started");
  ASSERT_EQ(set.skipped.size(), 1U);
  EXPECT_EQ(set.skipped[0].reason, "too few patches");
}

TEST(AbsentRuns, ARunThatEndedWithoutAFileSaysHow) {
  TemporaryFolder folder;
  const auto study = folder / "study";
  SyntheticRun run;
  write_synthetic(study, run);
  run.repeat = 1;
  std::ofstream(study / "plan.json") << plan_text(run);
  const auto run_folder = study / "runs" / spec_of(run).run_id();
  std::filesystem::create_directories(run_folder);
  std::ofstream(run_folder / "launch.json") << R"({"status": "failed", "reason": "no memory"})";
  const RunSet set = load_runs({study});
  ASSERT_EQ(set.without_file.size(), 1U);
  EXPECT_EQ(set.without_file[0].reason, "failed: no memory");
}

TEST(AbsentRuns, NoPlanIsNoErrorADamagedPlanIs) {
  TemporaryFolder folder;
  EXPECT_TRUE(load_runs({folder / "."}).without_file.empty());
  std::ofstream(folder / "plan.json") << "[1, 2";
  EXPECT_THROW(static_cast<void>(load_runs({folder / "."})), BadInput);
}

}  // namespace
}  // namespace scalestudy
