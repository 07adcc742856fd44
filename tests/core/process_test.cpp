#include "core/process.hpp"

#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/error.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

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

ProcessPlan plan_of(const TemporaryFolder& folder, std::vector<std::string> argv) {
  ProcessPlan plan;
  plan.name = "test";
  plan.argv = std::move(argv);
  plan.log_file = folder.path() / "a log.txt";
  return plan;
}

TEST(ChildProcess, PassesArgumentsUnchanged) {
  const TemporaryFolder folder;
  ChildProcess child(plan_of(folder, {"printf", "<%s>", "a b", "it's", "\"$HOME\"", "", "*;&|"}));
  EXPECT_TRUE(wait_for(child).is_success());
  EXPECT_EQ(content_of(folder.path() / "a log.txt"), "<a b><it's><\"$HOME\"><><*;&|>");
}

TEST(ChildProcess, AddsAndRemovesVariables) {
  const TemporaryFolder folder;
  ::setenv("SCALESTUDY_TEST_OLD", "1", 1);
  ::setenv("SCALESTUDY_TEST_KEPT", "2", 1);
  auto plan = plan_of(folder, {"env"});
  plan.variables = {{"SCALESTUDY_TEST_NEW", "a b='c'"}};
  plan.removed_variables = {"SCALESTUDY_TEST_OLD"};
  ChildProcess child(plan);
  EXPECT_TRUE(wait_for(child).is_success());
  const auto log = content_of(plan.log_file);
  EXPECT_THAT(log, HasSubstr("SCALESTUDY_TEST_NEW=a b='c'\n"));
  EXPECT_THAT(log, HasSubstr("SCALESTUDY_TEST_KEPT=2\n"));
  EXPECT_EQ(log.find("SCALESTUDY_TEST_OLD"), std::string::npos);
}

TEST(ChildProcess, TellsHowItEnded) {
  const TemporaryFolder folder;
  ChildProcess failing(plan_of(folder, {"sh", "-c", "exit 7"}));
  EXPECT_EQ(wait_for(failing).text(), "exited with code 7");
  ChildProcess killed(plan_of(folder, {"sh", "-c", "kill -9 $$"}));
  EXPECT_EQ(wait_for(killed).text(), "was killed by signal 9 (Killed)");
}

TEST(ChildProcess, StartFailuresNameThePath) {
  const TemporaryFolder folder;
  try {
    const ChildProcess child(plan_of(folder, {"/nowhere/rank"}));
    FAIL();
  } catch (const RunFailed& error) {
    EXPECT_THAT(error.what(), HasSubstr("start /nowhere/rank: No such file"));
  }
  auto plan = plan_of(folder, {"true"});
  plan.log_file = folder.path() / "none" / "log";
  EXPECT_THROW(const ChildProcess child(plan), RunFailed);
}

TEST(ChildProcess, SignalReachesTheWholeGroup) {
  const TemporaryFolder folder;
  ChildProcess child(plan_of(folder, {"sh", "-c", "sleep 60 & echo $!; wait"}));
  std::string text;
  while ((text = content_of(folder.path() / "a log.txt")).empty()) {
    std::this_thread::sleep_for(Seconds(0.005));
  }
  child.signal_group(SIGKILL);
  EXPECT_TRUE(wait_for(child).by_signal);
  EXPECT_TRUE(is_gone_soon(std::stoi(text)));
}

TEST(ChildProcess, DestructorLeavesNoProcess) {
  const TemporaryFolder folder;
  pid_t id = 0;
  {
    const ChildProcess child(plan_of(folder, {"sleep", "60"}));
    id = child.id();
    EXPECT_TRUE(is_alive(id));
  }
  EXPECT_FALSE(is_alive(id));
}

TEST(ChildProcess, DiesWithItsParent) {
  const TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const ChildProcess child(plan_of(folder, {"sleep", "60"}));
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

TEST(ChildProcess, StartsWithDefaultSignals) {
  const TemporaryFolder folder;
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  ChildProcess child(plan_of(folder, {"sleep", "60"}));
  sigprocmask(SIG_SETMASK, &before, nullptr);
  child.signal_group(SIGTERM);
  EXPECT_EQ(wait_for(child).number, SIGTERM);
}

}  // namespace
}  // namespace scalestudy
