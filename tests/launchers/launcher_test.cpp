#include "launchers/launcher.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/scoped_variable.hpp"

namespace scalestudy {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

LaunchRequest sample_request() {
  LaunchRequest request;
  request.rank_program = "/opt/my tools/scalestudy-rank";
  request.run_folder = "/data/it's here/runs/a";
  request.ranks = 2;
  request.threads_per_rank = 3;
  request.job_key = "k1";
  request.variables = {{"NAME", "a b;c"}};
  return request;
}

TEST(Launchers, StateWhatJoinsTheirRanksAndAreFoundByName) {
  std::map<std::string_view, CommunicatorKind> joined_by;
  for (const auto* each : launcher_descriptors()) joined_by[each->name] = each->joins_ranks;
  EXPECT_EQ(joined_by.at("local"), CommunicatorKind::shm);
  EXPECT_EQ(joined_by.at("mpirun"), CommunicatorKind::mpi);
  for (const auto* each : all_launchers()) EXPECT_EQ(&launcher(each->name()), each);
}

TEST(Launchers, UnknownNameSuggestsTheNearest) {
  EXPECT_THAT(message_of([] { return &launcher("mpiruns"); }), HasSubstr("Did you mean 'mpirun'"));
}

TEST(LocalLauncher, MakesOneProcessPerRank) {
  const auto plan = launcher("local").plan(sample_request());
  ASSERT_EQ(plan.processes.size(), 2U);
  EXPECT_TRUE(plan.one_process_per_rank);
  const auto& second = plan.processes[1];
  EXPECT_EQ(second.name, "rank 1");
  EXPECT_THAT(second.argv, ElementsAre("/opt/my tools/scalestudy-rank", "--spec",
                                       "/data/it's here/runs/a/spec.json", "--run-folder",
                                       "/data/it's here/runs/a"));
  const std::map<std::string, std::string> expected{{"RANK", "1"},
                                                    {"LOCAL_RANK", "1"},
                                                    {"WORLD_SIZE", "2"},
                                                    {"NAME", "a b;c"},
                                                    {"OMP_NUM_THREADS", "3"},
                                                    {"LOCAL_WORLD_SIZE", "2"},
                                                    {"SCALESTUDY_JOB_KEY", "k1"}};
  EXPECT_EQ(second.variables, expected);
  EXPECT_EQ(second.log_file, "/data/it's here/runs/a/rank-1.log");
}

TEST(MpirunLauncher, MakesOneProcessAndKeepsValuesOffItsCommandLine) {
  const auto plan = launcher("mpirun").plan(sample_request());
  ASSERT_EQ(plan.processes.size(), 1U);
  EXPECT_FALSE(plan.one_process_per_rank);
  const auto& process = plan.processes[0];
  EXPECT_THAT(process.argv, ElementsAre("mpirun", "-n", "2", "--use-hwthread-cpus", "--bind-to",
                                        "none", "-x", "NAME", "-x", "OMP_NUM_THREADS", "-x",
                                        "SCALESTUDY_JOB_KEY", "/opt/my tools/scalestudy-rank",
                                        "--spec", "/data/it's here/runs/a/spec.json",
                                        "--run-folder", "/data/it's here/runs/a"));
  EXPECT_EQ(process.variables.at("NAME"), "a b;c");
  EXPECT_THAT(process.removed_variables, Contains("RANK"));
  EXPECT_EQ(process.log_file.filename(), "mpirun.log");
}

TEST(ThreadsLauncher, MakesOneProcessThatIsToldNoPlace) {
  const auto plan = launcher("threads").plan(sample_request());
  ASSERT_EQ(plan.processes.size(), 1U);
  EXPECT_FALSE(plan.one_process_per_rank);
  const auto& process = plan.processes[0];
  EXPECT_THAT(process.argv, ElementsAre("/opt/my tools/scalestudy-rank", "--spec",
                                        "/data/it's here/runs/a/spec.json", "--run-folder",
                                        "/data/it's here/runs/a"));
  EXPECT_EQ(process.variables.at("NAME"), "a b;c");
  EXPECT_EQ(process.variables.count("RANK"), 0U);
  EXPECT_THAT(process.removed_variables, Contains("RANK"));
  EXPECT_NO_THROW(launcher("threads").require_available());
}

TEST(MpirunLauncher, OversubscribesOnlyWhenAsked) {
  auto request = sample_request();
  EXPECT_THAT(launcher("mpirun").plan(request).processes[0].argv, Not(Contains("--oversubscribe")));
  request.oversubscribed = true;
  const auto process = launcher("mpirun").plan(request).processes[0];
  EXPECT_THAT(process.argv, Contains("--oversubscribe"));
  EXPECT_EQ(process.variables.at("OMPI_MCA_mpi_yield_when_idle"), "1");
}

TEST(MpirunLauncher, KeepsWhatTheEnvironmentSaysOfOpenMpi) {
  auto request = sample_request();
  request.oversubscribed = true;
  const std::map<std::string, std::string> given{{"OMPI_ALLOW_RUN_AS_ROOT", "0"},
                                                 {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "0"},
                                                 {"OMPI_MCA_mpi_yield_when_idle", "0"}};
  request.variables = given;
  const auto process = launcher("mpirun").plan(request).processes[0];
  for (const auto& [name, value] : given) EXPECT_EQ(process.variables.at(name), value) << name;
}

TEST(MpirunLauncher, MissingProgramIsNamedWithTheRemedy) {
  const ScopedVariable path("PATH", "/nowhere");
  EXPECT_THAT(message_of<Unavailable>([] { launcher("mpirun").require_available(); }),
              HasSubstr("openmpi-bin"));
}

TEST(CommandLine, IsQuotedForAShell) {
  ProcessPlan process;
  process.argv = {"a b", "it's", "", "plain-1.0", "$HOME"};
  process.variables = {{"X", "1 2"}};
  process.removed_variables = {"RANK"};
  EXPECT_EQ(command_line(process), "env -u RANK X='1 2' 'a b' 'it'\\''s' '' plain-1.0 '$HOME'");
}

}  // namespace
}  // namespace scalestudy
