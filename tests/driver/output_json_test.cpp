#include "driver/run/output_json.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::EndsWith;

RunResult result_of(const std::string& id, RunStage stage, ExitCode code = ExitCode::done) {
  RunResult result;
  result.run_id = id;
  result.state.stage = stage;
  result.exit_code = code;
  return result;
}

StudyPlan two_run_plan() {
  StudyPlan plan;
  plan.study = "s";
  plan.matrix.runs = {spec_of({}), spec_of({.repeat = 1})};
  plan.matrix.skipped = {{"ranks=8", "too many"}, {"ranks=9", "odd"}};
  return plan;
}

TEST(PlanJson, KeepsOrderIdsAndReasons) {
  const auto plan = two_run_plan();
  const auto found = json::parse(plan_json(plan, {12.5, ""}));
  ASSERT_EQ(found["runs"].size(), 2U);
  EXPECT_EQ(found["runs"][0]["repeat"], 0);
  EXPECT_EQ(found["runs"][1]["repeat"], 1);
  EXPECT_EQ(found["runs"][1]["run_id"], plan.matrix.runs[1].run_id());
  EXPECT_EQ(found["estimated_time_s"], 12.5);
  EXPECT_EQ(found["estimated_node_hours"], 12.5 / 3600);
  EXPECT_EQ(found["skipped"][1], json({{"combination", "ranks=9"}, {"reason", "odd"}}));
}

TEST(PlanJson, ARunIsTheSpecificationThatTheRanksGet) {
  const auto plan = two_run_plan();
  auto run = json::parse(plan_json(plan, {12.5, ""}))["runs"][0];
  run.erase("run_id");
  EXPECT_EQ(run["estimated_device_memory_bytes"], nullptr);  // on a processor
  run.erase("estimated_device_memory_bytes");
  EXPECT_EQ(run, json::parse(to_json_text(plan.matrix.runs[0])));
}

TEST(PlanJson, AnEmptyPlanHasListsAllTheSame) {
  const auto text = plan_json({}, {std::nan(""), "--no-trial"});
  EXPECT_THAT(text, EndsWith("}\n"));
  EXPECT_EQ(json::parse(text), json({{"study", ""},
                                     {"runs", json::array()},
                                     {"skipped", json::array()},
                                     {"resolution",
                                      {{"label", "floor_unknown"},
                                       {"repeats", 0},
                                       {"comparison", "paired"},
                                       {"floor_frac", nullptr},
                                       {"speedup_frac", nullptr},
                                       {"margin_frac", 0.03}}},
                                     {"estimated_time_s", nullptr},
                                     {"estimated_node_hours", nullptr},
                                     {"time_unknown_because", "--no-trial"}}));
}

TEST(PlanJson, ARefusedPlanSaysWhyAndHowItEnds) {
  const auto found =
      json::parse(refused_plan_json(two_run_plan(), Unavailable({"No GPU", "it is needed", "-"})));
  EXPECT_EQ(found["runs"].size(), 2U);
  EXPECT_EQ(found["error"], "No GPU (it is needed). -.");
  EXPECT_EQ(found["exit_code"], 4);
  EXPECT_FALSE(found.contains("estimated_time_s"));
}

TEST(StatusJson, UnknownTimeIsNullAndKnownTimeANumber) {
  const StudyFolder folder("/data/out");
  StudyState state;
  state.time_left_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(json::parse(status_json(folder, state))["time_left_s"].is_null());
  state.time_left_s = 2.5;
  state.driver_alive = true;
  const auto found = json::parse(status_json(folder, state));
  EXPECT_EQ(found["time_left_s"], 2.5);
  EXPECT_EQ(found["driver_alive"], true);
  EXPECT_EQ(found["counts"], json::object());
}

TEST(StatusJson, CountsEveryStageOnceHoweverManyRunsHaveIt) {
  StudyState state;
  state.plan = two_run_plan();
  state.runs.resize(2);
  state.runs[0].stage = state.runs[1].stage = RunStage::failed;
  const auto found = json::parse(status_json(StudyFolder("/data/out"), state));
  EXPECT_EQ(found["counts"], json({{"failed", 2}}));
  EXPECT_EQ(found["runs"][1]["run_id"], state.plan.matrix.runs[1].run_id());
}

TEST(ResultsJson, SaysWhatWasKeptAndTheExitCode) {
  auto kept = result_of("a", RunStage::complete);
  kept.kept = true;
  const auto failed = result_of("b", RunStage::failed, ExitCode::unavailable);
  const auto found = json::parse(results_json(StudyFolder("/data/out"), {kept, failed}, nullptr));
  EXPECT_EQ(found["folder"], "/data/out");
  EXPECT_EQ(found["exit_code"], 4);
  EXPECT_EQ(found["runs"][0]["kept"], true);
  EXPECT_EQ(found["runs"][1]["kept"], false);
  EXPECT_EQ(found["runs"][1]["stage"], "failed");
}

TEST(ResultsJson, AReasonOfAnyBytesStaysValidJson) {
  auto result = result_of("a", RunStage::failed, ExitCode::run_failed);
  result.state.reason = "rank 0: \xff\xfe \x01 end";
  const auto found = json::parse(results_json(StudyFolder("/data/out"), {result}, nullptr));
  EXPECT_THAT(found["runs"][0]["reason"].get<std::string>(), EndsWith(" end"));
}

TEST(ExitCodeOfResults, OneKindOfFailureKeepsItsCodeMixedOnesDoNot) {
  const auto done = result_of("a", RunStage::complete);
  const auto bad = result_of("b", RunStage::failed, ExitCode::bad_input);
  const auto gone = result_of("c", RunStage::failed, ExitCode::unavailable);
  EXPECT_EQ(exit_code_of(std::vector<RunResult>{}), ExitCode::done);
  EXPECT_EQ(exit_code_of({done, done}), ExitCode::done);
  EXPECT_EQ(exit_code_of({done, bad, bad}), ExitCode::bad_input);
  EXPECT_EQ(exit_code_of({bad, done, gone}), ExitCode::run_failed);
}

TEST(ExitCodeOfResults, ACompleteRunThatDoesNotCountIsAFailedOne) {
  auto invalid = result_of("a", RunStage::complete);
  invalid.state.validity_codes = {"emulation_exceeded"};
  EXPECT_EQ(exit_code_of({result_of("b", RunStage::complete), invalid}), ExitCode::run_failed);
}

TEST(LaunchesJson, HoldsEveryProcessWithItsVariablesAndLog) {
  PlannedLaunch launch{"a", true, {}};
  launch.plan.processes = {
      {"rank 0", {"prog", "a b"}, {{"X", "1 2"}}, {"RANK"}, "/data/it's/rank-0.log"}};
  const auto found = json::parse(launches_json({launch, {"b", false, {}}}))["launches"];
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]["kept"], true);
  const auto& process = found[0]["processes"][0];
  EXPECT_EQ(process["argv"], json({"prog", "a b"}));
  EXPECT_EQ(process["variables"], json({{"X", "1 2"}}));
  EXPECT_EQ(process["removed_variables"], json({"RANK"}));
  EXPECT_EQ(process["log_file"], "/data/it's/rank-0.log");
  EXPECT_EQ(found[1]["processes"], json::array());
}

}  // namespace
}  // namespace scalestudy
