#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "driver/run/driver_lock.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/planned_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

json status_of(const PlannedFolder& study) {
  return json_of_driver({"status", study.path()});
}

TEST(StatusCommand, AStudyNotStartedIsAllWaiting) {
  const PlannedFolder study(repeats_of({}, 3));
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, StartsWith("Study synthetic: 0 of 3 runs complete, 3 waiting\n"));
  EXPECT_THAT(answer.out, HasSubstr("No `scalestudy run` is at work in " + study.path()));
  EXPECT_THAT(answer.out, HasSubstr(study.id(2) + "  waiting"));
  const auto found = status_of(study);
  EXPECT_EQ(found["counts"], json({{"waiting", 3}}));
  EXPECT_EQ(found["driver_alive"], false);
  EXPECT_TRUE(found["time_left_s"].is_null()) << "nothing was measured yet";
  EXPECT_FALSE(found["runs"][0].contains("step")) << "only a running one has steps";
}

TEST(StatusCommand, ATrialAtWorkIsSaid) {
  const PlannedFolder study(repeats_of({}, 1));
  write_text(study.folder().trial_folder() / "thrown-away", "");
  EXPECT_EQ(status_of(study)["in_trial"], false) << "it was killed";
  const DriverLock lock(study.folder());
  EXPECT_EQ(status_of(study)["in_trial"], true);
  EXPECT_THAT(ask_driver({"status", study.path()}).out,
              HasSubstr("1 waiting\nA trial of the first steps comes before them.\n"));
}

TEST(StatusCommand, ACompleteStudyHasNothingLeft) {
  const PlannedFolder study(repeats_of({}, 2));
  study.record(0);
  study.record(1);
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_THAT(answer.out, StartsWith("Study synthetic: 2 of 2 runs complete\n"));
  EXPECT_THAT(answer.out, Not(HasSubstr("No `scalestudy")));
  const auto found = status_of(study);
  EXPECT_EQ(found["study"], "synthetic");
  EXPECT_EQ(found["folder"], study.path());
  EXPECT_EQ(found["counts"], json({{"complete", 2}}));
  EXPECT_EQ(found["time_left_s"], 0);
  EXPECT_EQ(found["runs"][1]["run_id"], study.id(1));
  EXPECT_GT(found["runs"][1]["launch_wall_time_s"], 1.5);
}

TEST(StatusCommand, ARunOfNoPlanIsNamed) {
  const PlannedFolder study(repeats_of({}, 1));
  study.record(0);
  EXPECT_EQ(status_of(study)["unplanned"], json::array());
  write_synthetic(study.folder().path(), {.repeat = 9, .close = false});
  const auto id = spec_of({.repeat = 9}).run_id();
  EXPECT_THAT(ask_driver({"status", study.path()}).out,
              StartsWith("Study synthetic: 1 of 1 run complete\nNot of this plan, though a report "
                         "counts what they hold, copies once: " +
                         id + ".\n"));
  EXPECT_EQ(status_of(study)["unplanned"], json::array({id}));
}

TEST(StatusCommand, AFailedRunIsShownWithItsReason) {
  const PlannedFolder study({{}, {.repeat = 1, .status = RunStatus::failed}});
  study.record(0);
  study.record(1);
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_EQ(answer.code, 0) << "the question was answered";
  EXPECT_THAT(answer.out, StartsWith("Study synthetic: 1 of 2 runs complete, 1 failed\n"));
  EXPECT_THAT(answer.out,
              HasSubstr("\n  " + study.id(1) + ":\n    rank 1 was killed by signal 9\n"));
  EXPECT_THAT(answer.out, HasSubstr("goes on"));
  EXPECT_EQ(status_of(study)["runs"][1]["reason"], "rank 1 was killed by signal 9");
}

TEST(StatusCommand, WhatDoesNotCountIsSaid) {
  const PlannedFolder study(
      {{}, {.repeat = 1, .link_bandwidth_bytes_per_s = 5e7, .link_excess_frac = 0.1}});
  study.record(0);
  study.record(1);
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_THAT(answer.out,
              StartsWith("Study synthetic: 2 of 2 runs complete, 1 of them invalid "
                         "(emulation_exceeded)\nWhat is invalid does not count. --redo-busy"));
  EXPECT_THAT(answer.out, HasSubstr("invalid: emulation_exceeded\n"));
  EXPECT_EQ(status_of(study)["runs"][1]["validity_codes"], json({"emulation_exceeded"}));
  const auto run = study.folder().run_folder(study.id(1)).string();
  EXPECT_THAT(ask_driver({"inspect", run}).out, HasSubstr("INVALID: emulation_exceeded\n"));
  EXPECT_EQ(json_of_driver({"inspect", run})["validity_codes"], json({"emulation_exceeded"}));
}

TEST(StatusCommand, ARunAtWorkShowsTheSlowestRanksStepAndPhase) {
  const PlannedFolder study(repeats_of({.ranks = 2}, 2));
  study.record(0);
  const DriverLock lock(study.folder());
  study.launch(1, "");
  study.beat(1, 0, "exposed_communication", 41);
  study.beat(1, 1, "forward", 40);
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_THAT(answer.out, StartsWith("Study synthetic: 1 of 2 runs complete, 1 running\n"));
  EXPECT_THAT(answer.out, HasSubstr("step 40/160, forward"));
  EXPECT_THAT(answer.out, HasSubstr("About "));
  const auto run = status_of(study)["runs"][1];
  EXPECT_EQ(run["stage"], "running");
  EXPECT_EQ(run["step"], 40);
  EXPECT_EQ(run["total_steps"], 160);
  EXPECT_EQ(run["phase"], "forward");
}

TEST(StatusCommand, BeforeThePlanTheStudyIsStarting) {
  const PlannedFolder study(repeats_of({}, 1));
  std::filesystem::remove(study.folder().plan_file());
  EXPECT_EQ(ask_driver({"status", study.path()}).code, 2) << "nobody will write one";
  const DriverLock lock(study.folder());
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, StartsWith("The study is starting"));
  const auto status = status_of(study);
  EXPECT_EQ(status["in_trial"], false);
  EXPECT_EQ(status["time_left_s"], nullptr);
  EXPECT_EQ(status["runs"], json::array());
}

TEST(StatusCommand, AResumedRunAtWorkSaysSo) {
  const PlannedFolder study(repeats_of({}, 1));
  const DriverLock lock(study.folder());
  study.launch(0, "", "", ::getpid(), true);
  study.beat(0, 0, "backward", 3);
  EXPECT_THAT(ask_driver({"status", study.path()}).out, HasSubstr("resumed, step 3/160, backward"));
  EXPECT_EQ(status_of(study)["runs"][0]["resumed"], true);
}

TEST(StatusCommand, BeforeItsFirstStepARunShowsItsPhaseOnly) {
  const PlannedFolder study(repeats_of({}, 1));
  const DriverLock lock(study.folder());
  study.launch(0, "");
  study.beat(0, 0, "initialisation", -1);
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_THAT(answer.out, HasSubstr("initialisation"));
  EXPECT_THAT(answer.out, Not(HasSubstr("step -1")));
}

TEST(StatusCommand, EveryKindOfEndIsCountedByItsName) {
  const PlannedFolder study(repeats_of({}, 5));
  const std::vector<std::string> ends{"failed", "timed_out", "interrupted"};
  for (std::size_t i = 0; i < ends.size(); ++i) study.launch(i, ends[i], "why " + ends[i]);
  write_text(study.run_folder(3) / "run.h5", "no HDF5");
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_THAT(answer.out, StartsWith("Study synthetic: 0 of 5 runs complete, 1 waiting, "
                                     "1 failed, 1 timed_out, 1 interrupted, 1 damaged\n"));
  const auto found = status_of(study);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(found["runs"][i]["stage"], ends[i]);
    EXPECT_EQ(found["runs"][i]["reason"], "why " + ends[i]);
    EXPECT_EQ(found["counts"][ends[i]], 1);
    EXPECT_THAT(answer.out, HasSubstr(study.id(i) + ":\n    why " + ends[i]));
  }
  EXPECT_EQ(found["runs"][3]["stage"], "damaged");
}

TEST(StatusCommand, BytesOfAReasonCannotBreakTheJson) {
  const PlannedFolder study(repeats_of({}, 1));
  study.launch(0, "failed", "caf\xe9 \"quoted\"\n");
  const auto reason = status_of(study)["runs"][0]["reason"].get<std::string>();
  EXPECT_THAT(reason, StartsWith("caf"));
  EXPECT_THAT(reason, HasSubstr("\"quoted\""));
}

TEST(StatusCommand, ATrailingSlashIsTheSameFolder) {
  const PlannedFolder study(repeats_of({}, 1));
  EXPECT_EQ(json_of_driver({"status", study.path() + "/"})["folder"], study.path());
}

TEST(StatusCommand, AFolderWithoutAPlanIsBadInput) {
  const TemporaryFolder folder;
  for (const auto& arguments : {std::vector<std::string>{"status", folder.path().string()},
                                {"status", folder.path().string(), "--json"}}) {
    const auto answer = ask_driver(arguments);
    EXPECT_EQ(answer.code, 2);
    EXPECT_EQ(answer.out.empty(), arguments.size() == 2);
    EXPECT_THAT(answer.err, HasSubstr("it has no plan.json"));
  }
}

TEST(StatusCommand, RunsThatCannotBeReadAreNoRunsThatWait) {
  const PlannedFolder study(repeats_of({}, 1));
  fs::remove_all(study.folder().runs_folder());
  write_text(study.folder().runs_folder(), "a file");
  const auto answer = ask_driver({"status", study.path()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("/runs cannot be read: Not a directory"));
}

TEST(StatusCommand, ADamagedPlanIsNamed) {
  const PlannedFolder study(repeats_of({}, 1));
  const auto whole = content_of(study.folder().plan_file());
  for (const auto& text :
       {std::string(), std::string("[]"), std::string("{}"), whole.substr(0, whole.size() / 2)}) {
    write_text(study.folder().plan_file(), text);
    const auto answer = ask_driver({"status", study.path()});
    EXPECT_EQ(answer.code, 2) << text;
    EXPECT_THAT(answer.err, HasSubstr("plan.json")) << text;
  }
}

}  // namespace
}  // namespace scalestudy
