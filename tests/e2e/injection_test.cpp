/// Faults on purpose in a replay, by the real driver and ranks.

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "tests/e2e/injected_replay.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

TEST(Injection, SlownessIsSaidLabelledAndShown) {
  const InjectedReplay place;
  const auto finished = place.inject("slow-rank=1:2x");
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("injected on purpose: rank 1 computes 2x as long"));
  EXPECT_TRUE(place.record().header.has_label(RunLabel::injected));
  const auto inspected = place.call({"inspect", place.run_folders().at(0).string()});
  EXPECT_THAT(inspected.out, HasSubstr("injected, emulated_compute\n"
                                       "Injected  [\"slow-rank=1:2x\"]\n"));
}

TEST(Injection, OtherOnesDoNotGoIntoTheSameFolder) {
  const InjectedReplay place;
  EXPECT_EQ(place.inject("slow-rank=1:2x").code, 0);
  const auto refused = place.inject("slow-rank=1:3x");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("holds results of another study"));
  EXPECT_EQ(place.run().code, 2);
  EXPECT_THAT(place.inject("slow-rank=1:2x").err, HasSubstr("1 kept from before"));
}

/// It fails by what was injected, and once only: run again, it is complete.
void expect_failure_once(const std::string& fault, const std::string& reason) {
  const InjectedReplay place;
  const auto failed = place.inject(fault);
  EXPECT_EQ(failed.code, 5) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr(reason)) << fault;
  const auto named = "; injected on purpose: " + fault;
  EXPECT_THAT(failed.err, HasSubstr(named));
  EXPECT_THAT(place.call({"status", place.out().string()}).out, HasSubstr(named));
  EXPECT_EQ(place.record().header.status, RunStatus::failed);
  EXPECT_TRUE(place.record().header.has_label(RunLabel::injected));
  const auto again = place.inject(fault);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(place.record().header.status, RunStatus::complete);
  EXPECT_TRUE(place.record().header.has_label(RunLabel::injected));
}

TEST(Injection, AKilledRankIsNamed) {
  expect_failure_once("kill@step=10", "rank 1 was killed by signal 9");
  expect_failure_once("kill@step=10:rank=0", "rank 0 was killed by signal 9");
}

TEST(Injection, ARankWithoutMemorySaysSo) {
  expect_failure_once("oom@step=10", "Out of memory");
}

TEST(Injection, WhatFailsBeforeItIsNotBlamedOnIt) {
  const InjectedReplay place;
  const auto failed = place.run({}, {"--inject", "oom@step=5", "--inject", "nan@step=30"});
  EXPECT_THAT(failed.err, HasSubstr("; injected on purpose: oom@step=5\n"));
}

TEST(Injection, ALossThatIsNoNumberDiverges) {
  const InjectedReplay place;
  const auto diverged = place.inject("nan@step=10");
  EXPECT_EQ(diverged.code, 5) << diverged.err;
  EXPECT_THAT(diverged.err, HasSubstr("not finite"));
  EXPECT_THAT(diverged.err, HasSubstr("; injected on purpose: nan@step=10"));
  EXPECT_EQ(place.record().header.status, RunStatus::diverged);
}

TEST(Injection, ATrialIsSparedWhatHappensOnce) {
  const InjectedReplay place;
  const auto planned = place.call({"plan", place.study_file().string(), "--inject", "kill@step=1",
                                   "--set", "axes.ranks=[1,2]"});
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("by a trial of the first steps"));
  EXPECT_THAT(planned.out, HasSubstr("kill@step=1: after 1 steps the process gets SIGKILL"));
}

}  // namespace
}  // namespace scalestudy
