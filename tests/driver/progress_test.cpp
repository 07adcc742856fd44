#include "driver/terminal/progress.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

/// What the console shows of two steps and a line, the second step too soon after the first.
std::string console_of(bool is_terminal) {
  const TemporaryFolder folder;
  std::ostringstream console;
  {
    double time_s = 0;
    Reporter reporter(console, Verbosity::normal, is_terminal, folder.path() / "driver.log",
                      [&] { return time_s; });
    time_s = 0.25;
    reporter.progress("step 1");
    time_s = 0.44;
    reporter.progress("step 2");
    reporter.info("done");
  }
  return console.str();
}

TEST(Reporter, DrawsNoProgressOutsideATerminal) {
  EXPECT_EQ(console_of(false), "done\n");
}

TEST(Reporter, RedrawsOneLineOnATerminal) {
  EXPECT_EQ(console_of(true), "\r\033[Kstep 1\r\033[Kdone\n");
}

TEST(Reporter, QuietShowsErrorsAndWritesTheLog) {
  const TemporaryFolder folder;
  std::ostringstream console;
  {
    Reporter reporter(console, Verbosity::quiet, true, folder.path() / "driver.log");
    reporter.info("started");
    reporter.warning("careful");
    reporter.error("failed");
    reporter.detail("command");
  }
  EXPECT_EQ(console.str(), "error: failed\n");
  const auto log = content_of(folder.path() / "driver.log");
  EXPECT_THAT(log, HasSubstr("Z started\n"));
  EXPECT_THAT(log, HasSubstr("warning: careful\n"));
  EXPECT_THAT(log, HasSubstr("error: failed\n"));
  EXPECT_THAT(log, HasSubstr("command\n"));
}

TEST(RoughDuration, KnownAnswers) {
  EXPECT_EQ(rough_duration(0.3), "1 s");
  EXPECT_EQ(rough_duration(12.6), "13 s");
  EXPECT_EQ(rough_duration(75.2), "1 min 15 s");
}

TEST(RoughDuration, IsInWholeSecondsMinutesAndHours) {
  EXPECT_EQ(rough_duration(0), "1 s");
  EXPECT_EQ(rough_duration(59.4), "59 s");
  EXPECT_EQ(rough_duration(59.6), "1 min 0 s");
  EXPECT_EQ(rough_duration(3599.7), "1 h 0 min");
  EXPECT_EQ(rough_duration(2 * 3600 + 61), "2 h 1 min");
}

TEST(ProgressBar, KnownAnswers) {
  EXPECT_EQ(progress_bar(0, 4), "[>   ]");
  EXPECT_EQ(progress_bar(0.5, 4), "[==> ]");
  EXPECT_EQ(progress_bar(1.5, 4), "[====]");
}

TEST(ProgressBar, StaysWithinItsWidth) {
  for (const double done : {-1.0, 0.0, 0.01, 0.33, 0.99, 1.0, 7.0})
    EXPECT_EQ(progress_bar(done, 20).size(), 22U) << done;
  EXPECT_EQ(progress_bar(-1, 4), "[>   ]");
  EXPECT_EQ(progress_bar(0.99, 4), "[===>]");
}

}  // namespace
}  // namespace scalestudy
