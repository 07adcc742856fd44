#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launchers/launcher.hpp"
#include "tests/support/other_programs.hpp"

namespace scalestudy {
namespace {

/// Names that a shell or a careless split would break.
const std::vector<std::string> awkward_names{
    "plain", "with blank", "it's",  "two  blanks ", "double\"quote", "back\\slash", "$HOME",
    "`id`",  "a;b&c|d",    "*?[a]", "-n",           "--spec",        "new\nline",   "tab\there",
    "été µ", "#comment",   "~",     "a=b"};

LaunchRequest request_for(const std::string& name, std::int64_t ranks = 2) {
  LaunchRequest request;
  request.rank_program = "/opt/" + name + "/rank";
  request.run_folder = "/data/" + name + "/run";
  request.ranks = ranks;
  request.job_key = "key";
  request.variables = {{"GREETING", name}};
  return request;
}

TEST(AwkwardNames, EveryLauncherHandsThemOnAsSingleArguments) {
  for (const auto* each : all_launchers()) {
    for (const auto& name : awkward_names) {
      const auto plan = each->plan(request_for(name));
      for (const auto& process : plan.processes) {
        const auto& argv = process.argv;
        const auto program = std::find(argv.begin(), argv.end(), "/opt/" + name + "/rank");
        ASSERT_EQ(argv.end() - program, 5) << each->name() << " " << name;
        EXPECT_EQ(program[1], "--spec");
        EXPECT_EQ(program[2], "/data/" + name + "/run/spec.json");
        EXPECT_EQ(program[3], "--run-folder");
        EXPECT_EQ(program[4], "/data/" + name + "/run");
        EXPECT_EQ(process.log_file.parent_path(), "/data/" + name + "/run");
        EXPECT_EQ(process.variables.at("GREETING"), name);
      }
    }
  }
}

TEST(AwkwardNames, TheShownCommandMeansTheSameToAShell) {
  for (const auto& name : awkward_names) {
    ProcessPlan process;
    process.argv = {"printf", "<%s>", name, "", name + name};
    EXPECT_EQ(run_command(command_line(process)).output, "<" + name + "><><" + name + name + ">");
  }
}

TEST(AwkwardNames, ShownVariablesReachTheProgram) {
  for (const auto& name : awkward_names) {
    ProcessPlan process;
    process.argv = {"printenv", "GREETING"};
    process.variables = {{"GREETING", name}};
    EXPECT_EQ(run_command(command_line(process)).output, name + "\n");
  }
}

TEST(CommandLine, AnEmptyVariableIsSetNotRemoved) {
  ProcessPlan process;
  process.argv = {"prog"};
  process.variables = {{"EMPTY", ""}};
  EXPECT_EQ(command_line(process), "env EMPTY= prog");
}

TEST(CommandLine, WithoutVariablesThereIsNoEnv) {
  ProcessPlan process;
  process.argv = {"prog", "a=b", "/x/y-z_1.0", "50%", "me@host:1,2+3"};
  EXPECT_EQ(command_line(process), "prog a=b /x/y-z_1.0 50% me@host:1,2+3");
}

TEST(LocalLauncher, EveryRankDiffersInItsNumberOnly) {
  const auto plan = launcher("local").plan(request_for("folder", 12));
  ASSERT_EQ(plan.processes.size(), 12U);
  for (std::size_t rank = 0; rank < plan.processes.size(); ++rank) {
    auto process = plan.processes[rank];
    const auto number = std::to_string(rank);
    EXPECT_EQ(process.name, "rank " + number);
    EXPECT_EQ(process.variables.at("RANK"), number);
    EXPECT_EQ(process.variables.at("LOCAL_RANK"), number);
    EXPECT_EQ(process.log_file.filename(), "rank-" + number + ".log");
    process.variables["RANK"] = process.variables["LOCAL_RANK"] = "0";
    EXPECT_EQ(process.variables, plan.processes[0].variables);
    EXPECT_EQ(process.argv, plan.processes[0].argv);
  }
}

TEST(LocalLauncher, OversubscriptionChangesNothing) {
  auto request = request_for("folder");
  const auto before = launcher("local").plan(request);
  request.oversubscribed = true;
  const auto after = launcher("local").plan(request);
  EXPECT_EQ(before.processes[1].argv, after.processes[1].argv);
  EXPECT_EQ(before.processes[1].variables, after.processes[1].variables);
}

TEST(RankVariables, ThreadsAndKeyOfTheRequestWinOverTheEnvironment) {
  auto request = request_for("folder");
  request.threads_per_rank = 3;
  request.variables = {{"OMP_NUM_THREADS", "64"}, {"SCALESTUDY_JOB_KEY", "other"}, {"KEPT", "1"}};
  const auto variables = rank_variables(request);
  EXPECT_EQ(variables.at("OMP_NUM_THREADS"), "3");
  EXPECT_EQ(variables.at("SCALESTUDY_JOB_KEY"), "key");
  EXPECT_EQ(variables.at("KEPT"), "1");
}

TEST(LocalLauncher, AnEnvironmentCannotRenumberTheRanks) {
  auto request = request_for("folder");
  request.variables = {{"RANK", "7"}, {"WORLD_SIZE", "9"}};
  const auto plan = launcher("local").plan(request);
  EXPECT_EQ(plan.processes[1].variables.at("RANK"), "1");
  EXPECT_EQ(plan.processes[1].variables.at("WORLD_SIZE"), "2");
}

TEST(MpirunLauncher, StartsAsManyRanksAsAskedFor) {
  for (const std::int64_t ranks : {1, 2, 14, 128}) {
    const auto plan = launcher("mpirun").plan(request_for("folder", ranks));
    ASSERT_EQ(plan.processes.size(), 1U);
    EXPECT_EQ(plan.processes[0].argv[1], "-n");
    EXPECT_EQ(plan.processes[0].argv[2], std::to_string(ranks));
    EXPECT_EQ(plan.processes[0].variables.count("RANK"), 0U) << "the ranks get it from MPI";
  }
}

}  // namespace
}  // namespace scalestudy
