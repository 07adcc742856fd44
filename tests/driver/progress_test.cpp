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

RunSpec spec_of(std::int64_t ranks, std::int64_t samples, std::int64_t repeat = 0) {
  RunSpec spec;
  spec.workload = "noise2void";
  spec.ranks = ranks;
  spec.repeat = repeat;
  spec.plan.samples = samples;
  return spec;
}

TEST(TimeLeft, IsUnknownBeforeAnythingIsMeasured) {
  EXPECT_TRUE(std::isnan(TimeLeft().estimate_s(spec_of(1, 100))));
  EXPECT_TRUE(std::isnan(TimeLeft().current_left_s()));
}

TEST(TimeLeft, PrefersRepeatsOfTheSameConfiguration) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  time_left.add_finished(spec_of(1, 100, 1), 14);
  time_left.add_finished(spec_of(2, 100), 6);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(1, 100, 2)), 12);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(2, 100, 2)), 6);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(4, 50)), 5);  // 30 s for 300 samples
}

TEST(TimeLeft, ExtrapolatesTheFirstRun) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 100), 3, 25, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 9);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(2, 100)), 12);
}

TEST(TimeLeft, TrustsTheRunAtWorkAsFarAsItHasCome) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  time_left.set_current(spec_of(1, 100, 1), 2, 0, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 8);
  time_left.set_current(spec_of(1, 100, 1), 6, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0.5 * 6 + 0.5 * 4);
}

TEST(TimeLeft, ADifferentSettingIsAnotherConfiguration) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  auto other = spec_of(1, 100);
  other.reduction = Reduction::flat_after_backward;
  time_left.add_finished(other, 30);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(1, 100, 4)), 10);
  other.repeat = 4;
  EXPECT_DOUBLE_EQ(time_left.estimate_s(other), 30);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(8, 100)), 20) << "40 s for 200 samples";
}

TEST(TimeLeft, AFinishedRunEndsTheCurrentOne) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 100), 5, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 5);
  time_left.add_finished(spec_of(1, 100), 11);
  EXPECT_TRUE(std::isnan(time_left.current_left_s()));
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(2, 200)), 22) << "the half run counts no longer";
}

TEST(TimeLeft, ARunThatTakesLongerThanExpectedHasNothingNegativeLeft) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  time_left.set_current(spec_of(1, 100, 1), 25, 0, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0);
  time_left.set_current(spec_of(1, 100, 1), 25, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0.5 * 25);
}

TEST(TimeLeft, ARunAtItsLastStepHasNothingLeft) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 100), 8, 100, 100);
  EXPECT_DOUBLE_EQ(time_left.current_left_s(), 0);
}

TEST(TimeLeft, ARunWithoutKnownLengthSaysNothing) {
  TimeLeft time_left;
  time_left.set_current(spec_of(1, 100), 8, 5, 0);
  EXPECT_TRUE(std::isnan(time_left.current_left_s()));
  time_left.set_current(spec_of(1, 100), 8, -1, 100);
  EXPECT_TRUE(std::isnan(time_left.current_left_s()));
  EXPECT_TRUE(std::isnan(time_left.estimate_s(spec_of(2, 100))));
}

TEST(TimeLeft, FinishedRunsCountBeforeTheHalfDoneOne) {
  TimeLeft time_left;
  time_left.add_finished(spec_of(1, 100), 10);
  time_left.set_current(spec_of(2, 100), 100, 50, 100);
  EXPECT_DOUBLE_EQ(time_left.estimate_s(spec_of(4, 50)), 5);
}

/// What the console shows of two steps and a line, the second step too soon after the first.
std::string console_of(bool is_terminal) {
  const TemporaryFolder folder;
  std::ostringstream console;
  {
    Reporter reporter(console, Verbosity::normal, is_terminal, folder.path() / "driver.log");
    std::this_thread::sleep_for(Seconds(0.25));
    reporter.progress("step 1");
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
