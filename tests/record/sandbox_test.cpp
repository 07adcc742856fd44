#include "record/run_file/sandbox.hpp"

#include <csignal>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scalestudy {
namespace {

using ::testing::HasSubstr;

TEST(Sandbox, ReturnsWhatTheActionFound) {
  EXPECT_EQ(run_in_sandbox([] { return std::string(); }, {}), "");
  const std::string long_text(300'000, 'x');  // more than a pipe holds
  EXPECT_EQ(run_in_sandbox([&] { return long_text; }, {}), long_text);
}

TEST(Sandbox, LeavesTheCallersMemoryAlone) {
  int value = 1;
  EXPECT_EQ(run_in_sandbox(
                [&] {
                  value = 2;
                  return std::string("changed");
                },
                {}),
            "changed");
  EXPECT_EQ(value, 1);
}

TEST(Sandbox, CrashesHangsAndExceptionsBecomeProblems) {
  const auto crash = [] {
    std::raise(SIGSEGV);
    return std::string();
  };
  EXPECT_THAT(run_in_sandbox(crash, {}), HasSubstr("crashes the HDF5 library (signal 11"));
  const auto hang = []() -> std::string {
    volatile bool for_ever = true;
    while (for_ever) {
    }
    return "";
  };
  EXPECT_THAT(run_in_sandbox(hang, {Seconds(0.1), Seconds(60), 0}), HasSubstr("busy without end"));
  const auto throws = []() -> std::string { throw std::runtime_error("x"); };
  EXPECT_THAT(run_in_sandbox(throws, {}), HasSubstr("cannot cope"));
}

TEST(Sandbox, AChildThatSomebodyKilledSaysNothingOfTheFile) {
  const auto killed = [] {
    std::raise(SIGKILL);
    return std::string();
  };
  EXPECT_THROW((void)run_in_sandbox(killed, {}), Unavailable);
}

TEST(Sandbox, AnAlarmThatTheCallerBlocksStillEndsTheChild) {
  sigset_t alarm_only;
  sigset_t before;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  ::sigprocmask(SIG_BLOCK, &alarm_only, &before);
  const auto sleep = [] {
    ::sleep(30);
    return std::string();
  };
  EXPECT_THAT(run_in_sandbox(sleep, {Seconds(10), Seconds(0.1), 0}), HasSubstr("busy"));
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST(Sandbox, AShellWithLessMemoryIsAdvised) {
  const auto limits = limits_for_file(1000);
  EXPECT_EQ(advice_on_memory(limits), "");
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit little{64 << 20, RLIM_INFINITY};
    ::setrlimit(RLIMIT_AS, &little);
    ::_exit(advice_on_memory(limits).find("This shell allows 64 MiB") == 0 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Sandbox, LeavesNoChildBehind) {
  (void)run_in_sandbox([] { return std::string(); }, {});
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace scalestudy
