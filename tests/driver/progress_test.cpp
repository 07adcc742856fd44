#include "driver/terminal/progress.hpp"

#include <cmath>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

RunSpec spec_of(std::int64_t ranks, std::int64_t repeat, std::int64_t samples) {
  RunSpec spec;
  spec.workload = "noise2void";
  spec.ranks = ranks;
  spec.repeat = repeat;
  spec.plan.samples = samples;
  return spec;
}

TEST(TimeLeft, IsUnknownBeforeAnythingIsMeasured) {
  EXPECT_TRUE(std::isnan(TimeLeft().estimate_s(spec_of(1, 0, 100))));
  EXPECT_TRUE(std::isnan(TimeLeft().current_left_s()));
}

TEST(TimeLeft, PrefersRepeatsOfTheSameConfiguration) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 0, 100), 10);
  time_left.add_finished(spec_of(1, 1, 100), 14);
  time_left.add_finished(spec_of(2, 0, 100), 6);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(1, 2, 100)), 12);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(2, 2, 100)), 6);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(4, 0, 50)), 5);  // 30 s for 300 samples
}

TEST(TimeLeft, ExtrapolatesTheFirstRun) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 0, 100), 3, 25, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 9);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(2, 0, 100)), 12);
}

TEST(TimeLeft, TrustsTheRunAtWorkAsFarAsItHasCome) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 0, 100), 10);
  time_left.set_current(spec_of(1, 1, 100), 2, 0, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 8);
  time_left.set_current(spec_of(1, 1, 100), 6, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0.5 * 6 + 0.5 * 4);
}

TEST(Reporter, DrawsNoProgressOutsideATerminal) {
  const TemporaryFolder folder;
  std::ostringstream console;
  {
    Reporter reporter(console, Verbosity::normal, false, folder.path() / "driver.log");
    std::this_thread::sleep_for(Seconds(0.25));
    reporter.progress("step 1");
    reporter.info("done");
  }
  EXPECT_EQ(console.str(), "done\n");
}

TEST(Reporter, RedrawsOneLineOnATerminal) {
  const TemporaryFolder folder;
  std::ostringstream console;
  {
    Reporter reporter(console, Verbosity::normal, true, folder.path() / "driver.log");
    std::this_thread::sleep_for(Seconds(0.25));
    reporter.progress("step 1");
    reporter.progress("step 2");  // too soon after the first
    reporter.info("done");
  }
  EXPECT_EQ(console.str(), "\r\033[Kstep 1\r\033[Kdone\n");
}

TEST(Reporter, QuietStillWritesTheLog) {
  const TemporaryFolder folder;
  std::ostringstream console;
  {
    Reporter reporter(console, Verbosity::quiet, true, folder.path() / "driver.log");
    reporter.info("started");
    reporter.warning("careful");
    reporter.detail("command");
  }
  EXPECT_EQ(console.str(), "");
  const auto log = content_of(folder.path() / "driver.log");
  EXPECT_THAT(log, HasSubstr("Z started\n"));
  EXPECT_THAT(log, HasSubstr("warning: careful\n"));
  EXPECT_THAT(log, HasSubstr("command\n"));
}

TEST(RoughDuration, KnownAnswers) {
  EXPECT_EQ(rough_duration(0.3), "1 s");
  EXPECT_EQ(rough_duration(12.6), "13 s");
  EXPECT_EQ(rough_duration(75.2), "1 min 15 s");
}

TEST(ProgressBar, KnownAnswers) {
  EXPECT_EQ(progress_bar(0, 4), "[>   ]");
  EXPECT_EQ(progress_bar(0.5, 4), "[==> ]");
  EXPECT_EQ(progress_bar(1.5, 4), "[====]");
}

}  // namespace
}  // namespace scalestudy
