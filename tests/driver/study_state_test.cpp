#include "driver/run/study_state.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "driver/run/driver_lock.hpp"
#include "tests/support/planned_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

RunState only_state(const PlannedFolder& study) {
  return state_of_study(study.folder()).runs.at(0);
}

TEST(RunStage, EveryStatusOfAClosedFileHasItsStage) {
  EXPECT_EQ(stage_of(RunStatus::complete), RunStage::complete);
  EXPECT_EQ(stage_of(RunStatus::diverged), RunStage::diverged);
  EXPECT_EQ(stage_of(RunStatus::timed_out), RunStage::timed_out);
  EXPECT_EQ(stage_of(RunStatus::interrupted), RunStage::interrupted);
  EXPECT_EQ(stage_of(RunStatus::failed), RunStage::failed);
  EXPECT_EQ(stage_of(RunStatus::running), RunStage::damaged) << "a closed file cannot be running";
}

TEST(RunStage, OnlyCompleteAndDivergedNeedNoSecondAttempt) {
  for (const auto stage : {RunStage::complete, RunStage::diverged}) EXPECT_TRUE(is_settled(stage));
  for (const auto stage :
       {RunStage::waiting, RunStage::running, RunStage::failed, RunStage::timed_out,
        RunStage::interrupted, RunStage::damaged, RunStage::unreadable})
    EXPECT_FALSE(is_settled(stage)) << to_string(stage);
}

TEST(StateOfRun, WithoutAFolderItWaits) {
  const PlannedFolder study(repeats_of({}, 1));
  const auto state = only_state(study);
  EXPECT_EQ(state.stage, RunStage::waiting);
  EXPECT_EQ(state.reason, "");
  EXPECT_EQ(state.step, -1);
  EXPECT_EQ(state.launch_wall_time_s, 0);
}

TEST(StateOfRun, AFolderWithoutALaunchStillWaits) {
  const PlannedFolder study(repeats_of({}, 1));
  study.folder().prepare_run(study.spec(0));
  EXPECT_EQ(only_state(study).stage, RunStage::waiting);
}

TEST(StateOfRun, AnUnreadableLaunchRecordIsNone) {
  const PlannedFolder study(repeats_of({}, 1));
  study.launch(0, "failed", "reason");
  write_text(study.folder().launch_file(study.id(0)), "{\"status\": ");
  EXPECT_EQ(only_state(study).stage, RunStage::waiting);
}

TEST(StateOfRun, AFileInThePlaceOfARunIsDamage) {
  const PlannedFolder study(repeats_of({}, 1));
  const auto place = study.folder().run_folder(study.id(0));
  std::filesystem::remove_all(place);
  write_text(place, "a file");
  EXPECT_EQ(only_state(study).stage, RunStage::damaged);
  EXPECT_EQ(only_state(study).reason, place.string() + " is no folder: nothing can run there");
}

TEST(StateOfRun, ItRunsOnlyUnderTheDriverThatHoldsTheFolder) {
  const PlannedFolder study(repeats_of({}, 1));
  study.launch(0, "");
  EXPECT_EQ(only_state(study).stage, RunStage::interrupted) << "no driver is there";
  EXPECT_EQ(only_state(study).reason,
            "the driver ended before the run did, or could not write down how it ended");
  const DriverLock lock(study.folder());
  EXPECT_EQ(only_state(study).stage, RunStage::running);
  study.launch(0, "", "", ::getpid() + 1);
  EXPECT_EQ(only_state(study).stage, RunStage::interrupted) << "another driver started it";
}

TEST(StateOfRun, AtWorkItTellsTheSlowestRank) {
  const PlannedFolder study(repeats_of({.ranks = 3}, 1));
  const DriverLock lock(study.folder());
  study.launch(0, "");
  study.beat(0, 0, "optimizer", 12);
  study.beat(0, 1, "input_wait", 10);
  study.beat(0, 2, "backward", 11);
  const auto state = only_state(study);
  EXPECT_EQ(state.step, 10);
  EXPECT_EQ(state.total_steps, 160);
  EXPECT_EQ(state.phase, "input_wait");
  EXPECT_GE(state.launch_wall_time_s, 0);
}

TEST(StateOfRun, AtWorkWithoutAHeartbeatItHasNoStep) {
  const PlannedFolder study(repeats_of({}, 1));
  const DriverLock lock(study.folder());
  study.launch(0, "");
  EXPECT_EQ(only_state(study).stage, RunStage::running);
  EXPECT_EQ(only_state(study).step, -1);
}

TEST(StateOfRun, ALaunchThatEndedWithoutAFileKeepsStatusReasonAndTime) {
  const PlannedFolder study(repeats_of({}, 1));
  const DriverLock lock(study.folder());  // at work on another run
  study.launch(0, "timed_out", "no rank made progress", ::getpid(), true);
  const auto state = only_state(study);
  EXPECT_EQ(state.stage, RunStage::timed_out);
  EXPECT_EQ(state.reason, "no rank made progress");
  EXPECT_EQ(state.launch_wall_time_s, 7.5);
  EXPECT_TRUE(state.resumed);
}

TEST(StateOfRun, AStatusOfALaterVersionIsAFailure) {
  const PlannedFolder study(repeats_of({}, 1));
  study.launch(0, "evaporated", "unheard of");
  EXPECT_EQ(only_state(study).stage, RunStage::failed);
  EXPECT_EQ(only_state(study).reason, "unheard of");
}

TEST(StateOfRun, TheResultFileIsBelievedBeforeTheLaunchRecord) {
  const PlannedFolder study(repeats_of({}, 1));
  study.record(0);
  study.launch(0, "failed", "from the launch record");
  const auto state = only_state(study);
  EXPECT_EQ(state.stage, RunStage::complete);
  EXPECT_EQ(state.reason, "");
  EXPECT_NE(state.launch_wall_time_s, 7.5);
  EXPECT_FALSE(state.resumed);
}

TEST(StateOfRun, EveryStatusOfAResultFileIsRead) {
  for (const auto status : {RunStatus::complete, RunStatus::diverged, RunStatus::failed,
                            RunStatus::timed_out, RunStatus::interrupted}) {
    const PlannedFolder study(repeats_of({.status = status}, 1));
    study.record(0);
    EXPECT_EQ(only_state(study).stage, stage_of(status)) << to_string(status);
  }
}

TEST(StateOfRun, AFileOfAResumedRunSaysSo) {
  const PlannedFolder study(repeats_of({.labels = {"resumed"}}, 1));
  study.record(0);
  EXPECT_TRUE(only_state(study).resumed);
}

SyntheticRun over_a_link(double excess_frac) {
  return {.link_bandwidth_bytes_per_s = 5e7, .link_excess_frac = excess_frac};
}

TEST(StateOfRun, ACompleteRunThatDoesNotCountSaysWhy) {
  auto exceeding = over_a_link(0.1);
  exceeding.repeat = 1;
  const PlannedFolder study({over_a_link(0.01), exceeding, {.repeat = 2, .nan_loss = true}});
  for (std::size_t i = 0; i < 3; ++i) study.record(i);
  const auto runs = state_of_study(study.folder()).runs;
  EXPECT_FALSE(is_invalid(runs[0]));
  EXPECT_FALSE(is_disturbed(runs[0]));
  EXPECT_THAT(runs[1].validity_codes, ElementsAre("emulation_exceeded"));
  EXPECT_TRUE(is_invalid(runs[1]));
  EXPECT_TRUE(is_disturbed(runs[1])) << "on a quiet machine it may count";
  EXPECT_THAT(runs[2].validity_codes, ElementsAre("nonfinite_loss"));
  EXPECT_FALSE(is_disturbed(runs[2]));
  EXPECT_EQ(count_text(runs, 4),
            "3 of 4 runs complete, 2 of them invalid (emulation_exceeded, nonfinite_loss)");
}

TEST(StateOfRun, HowToMakeInvalidOnesAgainFollowsFromWhy) {
  RunState valid, exceeding, diverging;
  for (auto* state : {&valid, &exceeding, &diverging}) state->stage = RunStage::complete;
  exceeding.validity_codes = {"emulation_exceeded"};
  diverging.validity_codes = {"nonfinite_loss"};
  EXPECT_EQ(advice_on_invalid({valid}), "");
  EXPECT_THAT(advice_on_invalid({valid, exceeding}),
              AllOf(HasSubstr("--redo-busy"), Not(HasSubstr("Delete"))));
  EXPECT_THAT(advice_on_invalid({diverging}),
              AllOf(HasSubstr("Delete"), Not(HasSubstr("--redo-busy"))));
}

TEST(StateOfRun, AnOpenFileAloneIsNoResult) {
  const PlannedFolder study(repeats_of({.close = false}, 1));
  study.record(0);
  EXPECT_EQ(only_state(study).stage, RunStage::interrupted) << "it is no run that nobody began";
  EXPECT_EQ(only_state(study).reason, "it got no further than run.h5.part");
  study.launch(0, "");
  EXPECT_EQ(only_state(study).stage, RunStage::interrupted);
}

TEST(StateOfRun, ACutFileIsDamagedAndNamed) {
  const PlannedFolder study(repeats_of({}, 1));
  const auto file = study.record(0);
  fs::resize_file(file, fs::file_size(file) / 2);
  const auto state = only_state(study);
  EXPECT_EQ(state.stage, RunStage::damaged);
  EXPECT_THAT(state.reason, HasSubstr("run.h5"));
}

TEST(StateOfRun, WhatNobodyCanOpenIsUnreadableAndSaysWhy) {
  const PlannedFolder study(repeats_of({}, 2));
  fs::create_directories(study.run_folder(0));
  fs::create_symlink("run.h5", study.run_folder(0) / "run.h5");
  fs::create_symlink(study.run_folder(1).filename(), study.run_folder(1));
  const auto runs = state_of_study(study.folder()).runs;
  for (const auto& run : runs) {
    EXPECT_EQ(run.stage, RunStage::unreadable) << run.reason;
    EXPECT_THAT(run.reason, HasSubstr("Too many levels of symbolic links"));
  }
  EXPECT_THAT(runs[0].reason, HasSubstr("run.h5 cannot be read: "));
  EXPECT_THAT(runs[1].reason, HasSubstr(study.run_folder(1).string() + " cannot be reached: "));
}

TEST(StateOfStudy, FollowsTheOrderOfThePlan) {
  const PlannedFolder study(repeats_of({}, 4));
  study.record(2);
  study.launch(0, "failed", "because");
  const auto state = state_of_study(study.folder());
  ASSERT_EQ(state.runs.size(), 4U);
  EXPECT_EQ(state.runs[0].stage, RunStage::failed);
  EXPECT_EQ(state.runs[1].stage, RunStage::waiting);
  EXPECT_EQ(state.runs[2].stage, RunStage::complete);
  EXPECT_EQ(count_of(state, RunStage::waiting), 2);
  EXPECT_EQ(count_of(state, RunStage::damaged), 0);
  EXPECT_FALSE(state.driver_alive);
}

TEST(StateOfStudy, TimeLeftIsThatOfTheWaitingRepeats) {
  const PlannedFolder study(repeats_of({}, 3));
  study.record(0);
  const auto state = state_of_study(study.folder());
  EXPECT_GT(state.runs[0].launch_wall_time_s, 0);
  EXPECT_DOUBLE_EQ(state.time_left_s, 2 * state.runs[0].launch_wall_time_s);
}

TEST(StateOfStudy, AResumedRunTellsNothingAboutTheOthers) {
  auto runs = repeats_of({}, 2);
  runs[0].labels = {"resumed"};
  const PlannedFolder study(runs);
  study.record(0);
  EXPECT_TRUE(std::isnan(state_of_study(study.folder()).time_left_s));
}

TEST(StateOfStudy, FailedRunsAreNotWaitedFor) {
  const PlannedFolder study(repeats_of({}, 2));
  study.record(0);
  study.launch(1, "failed", "because");
  EXPECT_EQ(state_of_study(study.folder()).time_left_s, 0);
}

TEST(StateOfStudy, InterruptedRunsAreMadeAgain) {
  const PlannedFolder study(repeats_of({}, 3));
  study.record(0);
  study.launch(1, "interrupted", "stopped by the user");
  const auto state = state_of_study(study.folder());
  EXPECT_DOUBLE_EQ(state.time_left_s, 2 * state.runs[0].launch_wall_time_s);
}

TEST(StateOfStudy, ARunWhoseFileIsGoneWillRunAgain) {
  const PlannedFolder study(repeats_of({}, 2));
  study.record(0);
  for (const auto* status : {"complete", "diverged"}) {
    study.launch(1, status);
    const auto run = state_of_study(study.folder()).runs[1];
    EXPECT_EQ(run.stage, RunStage::waiting) << status;
    EXPECT_EQ(run.reason, "its run.h5 is gone: it will run again");
  }
}

TEST(StateOfStudy, AFileInAnotherRunsFolderIsNoneOfIt) {
  const PlannedFolder study(repeats_of({}, 2));
  fs::create_directories(study.run_folder(1));
  fs::copy_file(study.record(0), study.run_folder(1) / "run.h5");
  const auto state = state_of_study(study.folder());
  EXPECT_EQ(state.runs[0].stage, RunStage::complete);
  EXPECT_EQ(state.runs[1].stage, RunStage::damaged);
  EXPECT_THAT(state.runs[1].reason, HasSubstr("is the file of run " + study.id(0)));
}

TEST(StateOfStudy, RunsOfAnotherPlanAreNotCounted) {
  const PlannedFolder study(repeats_of({}, 1));
  write_synthetic(study.folder().path(), {.repeat = 9});
  const auto state = state_of_study(study.folder());
  EXPECT_EQ(state.runs.size(), 1U);
  EXPECT_EQ(count_of(state, RunStage::complete), 0);
  const auto other = spec_of({.repeat = 9}).run_id();
  fs::create_directories(study.folder().run_folder("without a file"));
  EXPECT_THAT(state_of_study(study.folder()).unplanned, ElementsAre(other));
}

TEST(StateOfStudy, AFolderWithoutAPlanIsBadInput) {
  const TemporaryFolder folder;
  EXPECT_THROW(static_cast<void>(state_of_study(StudyFolder(folder.path()))), BadInput);
}

}  // namespace
}  // namespace scalestudy
