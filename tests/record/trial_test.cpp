#include "record/trial.hpp"

#include <csignal>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scalestudy {
namespace {

using ::testing::HasSubstr;

TEST(Trial, ReturnsWhatTheActionFound) {
  EXPECT_EQ(try_in_child([] { return std::string(); }, {}), "");
  const std::string long_text(300'000, 'x');  // more than a pipe holds
  EXPECT_EQ(try_in_child([&] { return long_text; }, {}), long_text);
}

TEST(Trial, LeavesTheCallersMemoryAlone) {
  int value = 1;
  EXPECT_EQ(try_in_child(
                [&] {
                  value = 2;
                  return std::string("changed");
                },
                {}),
            "changed");
  EXPECT_EQ(value, 1);
}

TEST(Trial, CrashesHangsAndExceptionsBecomeProblems) {
  const auto crash = [] {
    std::raise(SIGSEGV);
    return std::string();
  };
  EXPECT_THAT(try_in_child(crash, {}), HasSubstr("crashes the HDF5 library (signal 11"));
  const auto hang = []() -> std::string {
    volatile bool for_ever = true;
    while (for_ever) {
    }
    return "";
  };
  EXPECT_THAT(try_in_child(hang, {Seconds(0.1), Seconds(60), 0}), HasSubstr("busy without end"));
  const auto throws = []() -> std::string { throw std::runtime_error("x"); };
  EXPECT_THAT(try_in_child(throws, {}), HasSubstr("cannot cope"));
}

TEST(Trial, AnAlarmThatTheCallerBlocksStillEndsTheChild) {
  sigset_t alarm_only;
  sigset_t before;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  ::sigprocmask(SIG_BLOCK, &alarm_only, &before);
  const auto sleep = [] {
    ::sleep(30);
    return std::string();
  };
  EXPECT_THAT(try_in_child(sleep, {Seconds(10), Seconds(0.1), 0}), HasSubstr("busy"));
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST(Trial, LeavesNoChildBehind) {
  (void)try_in_child([] { return std::string(); }, {});
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace scalestudy
