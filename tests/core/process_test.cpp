#include "core/process.hpp"

#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/process_limit.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

/// The kernel refuses another process: a process limit.
static bool forks_are_refused = false;

pid_t real_fork() asm("__real_fork");
pid_t wrapped_fork() asm("__wrap_fork");
pid_t wrapped_fork() {
  if (!forks_are_refused) return real_fork();
  errno = EAGAIN;
  return -1;
}

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

ProcessEnd wait_for(ChildProcess& child) {
  const Stopwatch since;
  while (!child.poll() && since.elapsed_s() < 20) std::this_thread::sleep_for(Seconds(0.005));
  return child.poll().value_or(ProcessEnd{true, -1});
}

bool is_alive(pid_t id) {
  return ::kill(id, 0) == 0;
}

bool is_gone_soon(pid_t id) {
  const Stopwatch since;
  while (is_alive(id) && since.elapsed_s() < 20) std::this_thread::sleep_for(Seconds(0.005));
  return !is_alive(id);
}

/// Processes that write one log in a folder of their own.
class ChildProcessTest : public ::testing::Test {
 protected:
  ProcessPlan plan(std::vector<std::string> argv) const {
    ProcessPlan plan;
    plan.name = "rank 3";
    plan.argv = std::move(argv);
    plan.log_file = folder_ / "a log.txt";
    return plan;
  }
  std::string log() const { return content_of(folder_ / "a log.txt"); }

  TemporaryFolder folder_;
};

std::string refusal_of(const ProcessPlan& plan) {
  return message_of<RunFailed>([&] { const ChildProcess child(plan); });
}

ProcessEnd end_of(const ProcessPlan& plan) {
  ChildProcess child(plan);
  return child.wait(Seconds(60)).value_or(ProcessEnd{true, -1});
}

TEST_F(ChildProcessTest, PassesArgumentsUnchanged) {
  ChildProcess child(plan({"printf", "<%s>", "a b", "it's", "\"$HOME\"", "", "*;&|"}));
  EXPECT_TRUE(wait_for(child).is_success());
  EXPECT_EQ(log(), "<a b><it's><\"$HOME\"><><*;&|>");
}

TEST_F(ChildProcessTest, AddsAndRemovesVariables) {
  ::setenv("SCALESTUDY_TEST_OLD", "1", 1);
  ::setenv("SCALESTUDY_TEST_KEPT", "2", 1);
  auto changed = plan({"env"});
  changed.variables = {{"SCALESTUDY_TEST_NEW", "a b='c'"}};
  changed.removed_variables = {"SCALESTUDY_TEST_OLD"};
  ChildProcess child(changed);
  EXPECT_TRUE(wait_for(child).is_success());
  EXPECT_THAT(log(), HasSubstr("SCALESTUDY_TEST_NEW=a b='c'\n"));
  EXPECT_THAT(log(), HasSubstr("SCALESTUDY_TEST_KEPT=2\n"));
  EXPECT_EQ(log().find("SCALESTUDY_TEST_OLD"), std::string::npos);
}

TEST_F(ChildProcessTest, TellsHowItEnded) {
  ChildProcess failing(plan({"sh", "-c", "exit 7"}));
  EXPECT_EQ(wait_for(failing).text(), "exited with code 7");
  ChildProcess killed(plan({"sh", "-c", "kill -9 $$"}));
  EXPECT_EQ(wait_for(killed).text(), "was killed by signal 9 (Killed)");
}

TEST_F(ChildProcessTest, StartFailuresNameThePath) {
  EXPECT_THAT(refusal_of(plan({"/nowhere/rank"})), HasSubstr("start /nowhere/rank: No such file"));
  auto logged = plan({"true"});
  logged.log_file = folder_ / "none/log";
  EXPECT_THROW(const ChildProcess child(logged), RunFailed);
}

TEST_F(ChildProcessTest, SignalReachesTheWholeGroup) {
  ChildProcess child(plan({"sh", "-c", "sleep 60 & echo $!; wait"}));
  std::string text;
  while ((text = log()).empty()) {
    std::this_thread::sleep_for(Seconds(0.005));
  }
  child.signal_group(SIGKILL);
  EXPECT_TRUE(wait_for(child).by_signal);
  EXPECT_TRUE(is_gone_soon(std::stoi(text)));
}

TEST_F(ChildProcessTest, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const ChildProcess child(plan({"sleep", "60"}));
    const pid_t id = child.id();
    if (::write(ends[1], &id, sizeof(id)) != sizeof(id)) ::_exit(1);
    ::pause();
  }
  pid_t child = 0;
  ASSERT_EQ(::read(ends[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_TRUE(is_alive(child));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(is_gone_soon(child));
}

TEST_F(ChildProcessTest, StartsWithDefaultSignals) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  ChildProcess child(plan({"sleep", "60"}));
  sigprocmask(SIG_SETMASK, &before, nullptr);
  child.signal_group(SIGTERM);
  EXPECT_EQ(wait_for(child).number, SIGTERM);
}

TEST_F(ChildProcessTest, WaitingEndsWithTheLimitWhileItRuns) {
  ChildProcess child(plan({"sleep", "600"}));
  EXPECT_EQ(child.wait(Seconds(0)), std::nullopt);
  EXPECT_EQ(child.wait(Seconds(0.02)), std::nullopt);
  EXPECT_FALSE(child.poll().has_value());
}

TEST_F(ChildProcessTest, TheEndIsToldAgainAndAgain) {
  ChildProcess child(plan({"sh", "-c", "exit 9"}));
  ASSERT_TRUE(child.wait(Seconds(60)).has_value());
  EXPECT_EQ(child.poll()->number, 9);
  EXPECT_EQ(child.wait(Seconds(0))->number, 9);
  EXPECT_FALSE(child.poll()->by_signal);
}

TEST_F(ChildProcessTest, ExitCodesAreNotSignals) {
  for (const int code : {0, 1, 9, 127, 255}) {
    const auto end = end_of(plan({"sh", "-c", cat("exit ", code)}));
    EXPECT_FALSE(end.by_signal);
    EXPECT_EQ(end.number, code);
    EXPECT_EQ(end.is_success(), code == 0);
  }
}

TEST_F(ChildProcessTest, ASignalIsNoSuccessWhateverItsNumber) {
  const auto end = end_of(plan({"sh", "-c", "kill -TERM $$"}));
  EXPECT_TRUE(end.by_signal);
  EXPECT_EQ(end.number, SIGTERM);
  EXPECT_FALSE(end.is_success());
  EXPECT_FALSE((ProcessEnd{true, 0}.is_success()));
}

TEST_F(ChildProcessTest, WorksInTheFolderThatIsAsked) {
  auto there = plan({"pwd", "-P"});
  there.working_folder = folder_ / "a folder";
  fs::create_directory(there.working_folder);
  EXPECT_TRUE(end_of(there).is_success());
  EXPECT_EQ(log(), fs::canonical(there.working_folder).string() + "\n");
}

TEST_F(ChildProcessTest, WithoutAFolderItWorksInTheCallers) {
  EXPECT_TRUE(end_of(plan({"pwd", "-P"})).is_success());
  EXPECT_EQ(log(), fs::canonical(fs::current_path()).string() + "\n");
}

TEST_F(ChildProcessTest, AMissingWorkingFolderIsRefusedAndNamesTheProcess) {
  auto there = plan({"true"});
  there.working_folder = folder_ / "none";
  EXPECT_THAT(refusal_of(there), HasSubstr("rank 3: cannot start true: No such file"));
}

TEST_F(ChildProcessTest, AFileThatMayNotBeExecutedIsRefused) {
  write_text(folder_ / "program", "#!/bin/sh\n");
  fs::permissions(folder_ / "program", fs::perms::owner_read);
  EXPECT_THAT(refusal_of(plan({(folder_ / "program").string()})), HasSubstr("Permission denied"));
}

TEST_F(ChildProcessTest, NoArgumentsAreABugOfOurs) {
  EXPECT_THROW(const ChildProcess child(plan({})), InternalError);
}

TEST_F(ChildProcessTest, AVariableCanBeReplacedRemovedAndAddedAgain) {
  ::setenv("SCALESTUDY_TEST_A", "outer", 1);
  auto changed = plan({"sh", "-c", "echo \"$SCALESTUDY_TEST_A|${SCALESTUDY_TEST_B-unset}\""});
  changed.variables = {{"SCALESTUDY_TEST_A", "inner"}, {"SCALESTUDY_TEST_B", ""}};
  changed.removed_variables = {"SCALESTUDY_TEST_A", "SCALESTUDY_TEST_NEVER_SET"};
  EXPECT_TRUE(end_of(changed).is_success());
  EXPECT_EQ(log(), "inner|\n");
  EXPECT_STREQ(::getenv("SCALESTUDY_TEST_A"), "outer");
  ::unsetenv("SCALESTUDY_TEST_A");
}

TEST_F(ChildProcessTest, LogsAreContinued) {
  EXPECT_TRUE(end_of(plan({"echo", "first"})).is_success());
  EXPECT_TRUE(end_of(plan({"sh", "-c", "echo second >&2"})).is_success());
  EXPECT_EQ(log(), "first\nsecond\n");
}

TEST_F(ChildProcessTest, AMovedChildBelongsToOneOwner) {
  ChildProcess first(plan({"sleep", "600"}));
  const auto id = first.id();
  {
    ChildProcess second(std::move(first));
    EXPECT_EQ(second.id(), id);
    EXPECT_TRUE(is_alive(id));
  }
  EXPECT_FALSE(is_alive(id));
}

TEST_F(ChildProcessTest, ASignalAfterTheEndHitsNobody) {
  ChildProcess child(plan({"true"}));
  ASSERT_TRUE(child.wait(Seconds(60)).has_value());
  child.signal_group(SIGKILL);
  EXPECT_TRUE(child.poll()->is_success());
}

TEST_F(ChildProcessTest, LeadsAGroupOfItsOwn) {
  ChildProcess child(plan({"sleep", "600"}));
  EXPECT_EQ(::getpgid(child.id()), child.id());
  EXPECT_NE(::getpgid(0), child.id());
}

TEST_F(ChildProcessTest, AProcessLimitIsNamed) {
  forks_are_refused = true;
  EXPECT_THAT(message_of<Unavailable>([&] { const ChildProcess child(plan({"true"})); }),
              HasSubstr("limit"));
  forks_are_refused = false;
  EXPECT_TRUE(is_process_limit(std::system_error(EAGAIN, std::generic_category())));
  EXPECT_FALSE(is_process_limit(std::system_error(ENOMEM, std::generic_category())));
}

}  // namespace
}  // namespace scalestudy
