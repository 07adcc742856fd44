#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/process.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ChildProcessEnds : public ::testing::Test {
 protected:
  ProcessPlan plan(std::vector<std::string> argv) const {
    ProcessPlan plan;
    plan.name = "rank 3";
    plan.argv = std::move(argv);
    plan.log_file = folder_ / "log.txt";
    return plan;
  }
  std::string log() const { return content_of(folder_ / "log.txt"); }
  std::string refusal_of(const ProcessPlan& plan) const {
    try {
      const ChildProcess child(plan);
    } catch (const RunFailed& error) {
      return error.what();
    }
    return "started";
  }
  ProcessEnd end_of(const ProcessPlan& plan) const {
    ChildProcess child(plan);
    return child.wait(Seconds(60)).value_or(ProcessEnd{true, -1});
  }
  TemporaryFolder folder_;
};

TEST_F(ChildProcessEnds, WaitingEndsWithTheLimitWhileItRuns) {
  ChildProcess child(plan({"sleep", "600"}));
  EXPECT_EQ(child.wait(Seconds(0)), std::nullopt);
  EXPECT_EQ(child.wait(Seconds(0.02)), std::nullopt);
  EXPECT_FALSE(child.poll().has_value());
}

TEST_F(ChildProcessEnds, TheEndIsToldAgainAndAgain) {
  ChildProcess child(plan({"sh", "-c", "exit 9"}));
  ASSERT_TRUE(child.wait(Seconds(60)).has_value());
  EXPECT_EQ(child.poll()->number, 9);
  EXPECT_EQ(child.wait(Seconds(0))->number, 9);
  EXPECT_FALSE(child.poll()->by_signal);
}

TEST_F(ChildProcessEnds, ExitCodesAreNotSignals) {
  for (const int code : {0, 1, 9, 127, 255}) {
    const auto end = end_of(plan({"sh", "-c", cat("exit ", code)}));
    EXPECT_FALSE(end.by_signal);
    EXPECT_EQ(end.number, code);
    EXPECT_EQ(end.is_success(), code == 0);
  }
}

TEST_F(ChildProcessEnds, ASignalIsNoSuccessWhateverItsNumber) {
  const auto end = end_of(plan({"sh", "-c", "kill -TERM $$"}));
  EXPECT_TRUE(end.by_signal);
  EXPECT_EQ(end.number, SIGTERM);
  EXPECT_FALSE(end.is_success());
  EXPECT_FALSE((ProcessEnd{true, 0}.is_success()));
}

TEST_F(ChildProcessEnds, WorksInTheFolderThatIsAsked) {
  auto there = plan({"pwd", "-P"});
  there.working_folder = folder_ / "a folder";
  fs::create_directory(there.working_folder);
  EXPECT_TRUE(end_of(there).is_success());
  EXPECT_EQ(log(), fs::canonical(there.working_folder).string() + "\n");
}

TEST_F(ChildProcessEnds, WithoutAFolderItWorksInTheCallers) {
  EXPECT_TRUE(end_of(plan({"pwd", "-P"})).is_success());
  EXPECT_EQ(log(), fs::canonical(fs::current_path()).string() + "\n");
}

TEST_F(ChildProcessEnds, AMissingWorkingFolderIsRefusedAndNamesTheProcess) {
  auto there = plan({"true"});
  there.working_folder = folder_ / "none";
  EXPECT_THAT(refusal_of(there), HasSubstr("rank 3: cannot start true: No such file"));
}

TEST_F(ChildProcessEnds, AFileThatMayNotBeExecutedIsRefused) {
  write_text(folder_ / "program", "#!/bin/sh\n");
  fs::permissions(folder_ / "program", fs::perms::owner_read);
  EXPECT_THAT(refusal_of(plan({(folder_ / "program").string()})), HasSubstr("Permission denied"));
}

TEST_F(ChildProcessEnds, NoArgumentsAreABugOfOurs) {
  EXPECT_THROW(const ChildProcess child(plan({})), InternalError);
}

TEST_F(ChildProcessEnds, AVariableCanBeReplacedRemovedAndAddedAgain) {
  ::setenv("SCALESTUDY_TEST_A", "outer", 1);
  auto changed = plan({"sh", "-c", "echo \"$SCALESTUDY_TEST_A|${SCALESTUDY_TEST_B-unset}\""});
  changed.variables = {{"SCALESTUDY_TEST_A", "inner"}, {"SCALESTUDY_TEST_B", ""}};
  changed.removed_variables = {"SCALESTUDY_TEST_A", "SCALESTUDY_TEST_NEVER_SET"};
  EXPECT_TRUE(end_of(changed).is_success());
  EXPECT_EQ(log(), "inner|\n");
  EXPECT_STREQ(::getenv("SCALESTUDY_TEST_A"), "outer");
  ::unsetenv("SCALESTUDY_TEST_A");
}

TEST_F(ChildProcessEnds, LogsAreContinued) {
  EXPECT_TRUE(end_of(plan({"echo", "first"})).is_success());
  EXPECT_TRUE(end_of(plan({"sh", "-c", "echo second >&2"})).is_success());
  EXPECT_EQ(log(), "first\nsecond\n");
}

TEST_F(ChildProcessEnds, AMovedChildBelongsToOneOwner) {
  ChildProcess first(plan({"sleep", "600"}));
  const auto id = first.id();
  {
    ChildProcess second(std::move(first));
    EXPECT_EQ(second.id(), id);
    EXPECT_EQ(::kill(id, 0), 0);
  }
  EXPECT_NE(::kill(id, 0), 0);
}

TEST_F(ChildProcessEnds, ASignalAfterTheEndHitsNobody) {
  ChildProcess child(plan({"true"}));
  ASSERT_TRUE(child.wait(Seconds(60)).has_value());
  child.signal_group(SIGKILL);
  EXPECT_TRUE(child.poll()->is_success());
}

TEST_F(ChildProcessEnds, LeadsAGroupOfItsOwn) {
  ChildProcess child(plan({"sleep", "600"}));
  EXPECT_EQ(::getpgid(child.id()), child.id());
  EXPECT_NE(::getpgid(0), child.id());
}

}  // namespace
}  // namespace scalestudy
