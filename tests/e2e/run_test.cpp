/// The driver from outside: what it starts, keeps, refuses and says.

#include <gmock/gmock.h>

#include "record/run_file/run_file.hpp"

#include "tests/e2e/driver_process.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

RunHeader header_of(const fs::path& run_folder) {
  return read_run_file(run_folder / "run.h5").header;
}

TEST(Run, CompletesAStudyAndPrintsNoProgressOutsideATerminal) {
  const Workplace place;
  const auto finished = place.run();
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, HasSubstr("4 of 4 runs complete"));
  EXPECT_THAT(finished.err, Not(HasSubstr("\033")));
  EXPECT_THAT(finished.err, Not(HasSubstr("\r")));
  ASSERT_EQ(place.run_folders().size(), 4U);
  for (const auto& folder : place.run_folders()) {
    const auto record = read_run_file(folder / "run.h5");
    EXPECT_EQ(record.header.status, RunStatus::complete);
    EXPECT_GT(record.summary_value(&SummaryRow::launch_wall_time_s).value_or(0), 0);
    EXPECT_FALSE(fs::exists(folder / "run.h5.part"));
    EXPECT_TRUE(fs::exists(folder / "rank-0.log"));
  }
  EXPECT_THAT(content_of(place.out() / "driver.log"), HasSubstr("4 of 4 runs complete"));
  const auto longest = read_run_file(place.run_folders().front() / "run.h5");
  EXPECT_EQ(longest.summary_value(&SummaryRow::steady_step_s).value_or(0), 1);
}

TEST(Run, AFailedRankIsNamedAndTheOtherRunsGoOn) {
  const Workplace place;
  const auto finished = place.run({{"FAKE_RANK_FAULT", "fail 1 3"}});
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.err, HasSubstr("2 of 4 runs complete"));
  EXPECT_THAT(finished.err, HasSubstr("rank 1 exited with code 5 in phase 'forward' of step 3: "
                                      "Fault 'fail' in rank 1"));
  const auto header = header_of(place.run_folders().back());
  EXPECT_EQ(header.status, RunStatus::failed);
  EXPECT_EQ(header.failed_rank, 1);
  EXPECT_EQ(header.failed_phase, "forward");
  const auto again = place.run();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(header_of(place.run_folders().back() / "attempt-1").status, RunStatus::failed);
}

TEST(Run, ARankThatDiesWithoutAWordIsNamed) {
  const Workplace place;
  const auto finished = place.run({{"FAKE_RANK_FAULT", "silent 1 2"}});
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.err, HasSubstr("rank 1 exited with code 3"));
  EXPECT_THAT(finished.err, HasSubstr("rank-1.log"));
}

TEST(Run, ARankThatPrintsWithoutEndDoesNotFillTheDisk) {
  const Workplace place;
  place.write_study(R"("ranks": [1])", 1);
  const auto finished = place.run({{"FAKE_RANK_FAULT", "chatter 0 2"}});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const auto log = place.run_folders()[0] / "rank-0.log";
  EXPECT_LE(fs::file_size(log), 16U << 20U);
  EXPECT_THAT(content_of(log), HasSubstr("[scalestudy left out about "));
}

TEST(Run, DivergenceIsKeptAndNotRepeated) {
  const Workplace place;
  EXPECT_EQ(place.run({{"FAKE_RANK_FAULT", "diverge 0 2 2"}}).code, 5);
  const auto header = header_of(place.run_folders().back());
  EXPECT_EQ(header.status, RunStatus::diverged);
  EXPECT_EQ(header.reason, "the loss became NaN");
  const auto again = place.run();
  EXPECT_EQ(again.code, 5);
  EXPECT_THAT(again.err, HasSubstr("4 kept"));
}

/// Ranks of which those of two-rank runs leave a result file that cannot even be opened.
fs::path half_broken_rank_program(const Workplace& place) {
  const auto script = place.path() / "rank.sh";
  write_text(script, cat("#!/bin/sh\ncase $4 in *-r2-*) mkdir -p \"$4/run.h5.part\" ;; *) exec ",
                         rank_program(), " \"$@\" ;; esac\n"));
  fs::permissions(script, fs::perms::owner_all);
  return script;
}

TEST(Run, AResultFileThatCannotBeReadFailsItsRunAlone) {
  const Workplace place;
  place.write_study(R"("ranks": [2, 1])", 1);
  const auto script = half_broken_rank_program(place);
  const auto finished = place.run({{"SCALESTUDY_RANK_PROGRAM", script.string()}});
  EXPECT_EQ(finished.code, 5) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("run.h5.part cannot be closed"));
  EXPECT_THAT(finished.err, HasSubstr("1 of 2 runs complete"));
}

TEST(Run, OneKindOfFailureKeepsItsExitCode) {
  const Workplace place;
  const auto bad_input = place.run({{"FAKE_RANK_FAULT", "bad_input 0 1"}});
  EXPECT_EQ(bad_input.code, 2);
  EXPECT_THAT(bad_input.err, HasSubstr("Fault 'bad_input' in rank 0 (a test asked for it)"));
  EXPECT_EQ(place.run({{"FAKE_RANK_FAULT", "unavailable 0 1"}}).code, 4);
}

TEST(Run, RefusesTheResultsOfAnotherBuildMachineOrStudy) {
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  const auto launch = place.run_folders().front() / "launch.json";
  auto text = content_of(launch);
  const auto at = text.find("\"build_id\": \"") + 13;
  text.insert(at, "9.9.9+");
  write_text(launch, text);
  const auto mixed = place.run();
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("made by build 9.9.9+"));
  EXPECT_THAT(mixed.err, HasSubstr("--accept-mixed"));
  EXPECT_EQ(place.run({}, {"--accept-mixed"}).code, 0);
  EXPECT_EQ(place.run({}, {"--accept-mixed", "--set", "settings.epochs=4"}).code, 0);
  const auto other = place.run({}, {"--set", "settings.epochs=6"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("has no such run"));
}

TEST(Run, ARenamedRunIsCalledSo) {
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  const auto folder = place.run_folders().front();
  fs::rename(folder, folder.parent_path() / "renamed");
  const auto again = place.run();
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err,
              HasSubstr("renamed/run.h5 is the file of run " + folder.filename().string()));
  EXPECT_THAT(again.err, HasSubstr("Put it back into its own folder, runs/"));
}

/// A run that died, with a file that only the driver takes for a checkpoint.
Workplace& interrupted(Workplace& place) {
  place.write_study(R"("ranks": [1])", 1);
  EXPECT_EQ(place.run({{"FAKE_RANK_FAULT", "die 0 3"}}).code, 5);
  write_text(place.run_folders().at(0) / "checkpoint.pt", "");
  return place;
}

TEST(Run, GoesOnFromACheckpointAndRemovesItAtTheEnd) {
  Workplace place;
  const auto folder = interrupted(place).run_folders().at(0);
  EXPECT_EQ(place.run({{"FAKE_RANK_FAULT", "fail 0 3"}}).code, 5);
  EXPECT_TRUE(fs::exists(folder / "checkpoint.pt"));
  EXPECT_FALSE(fs::exists(folder / "attempt-1" / "checkpoint.pt"));
  const auto finished = place.run();
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("goes on from its checkpoint: its times will not count"));
  EXPECT_FALSE(fs::exists(folder / "checkpoint.pt"));
}

TEST(Run, StopsAtARefusalThatAllRunsShare) {
  const Workplace place;
  const auto refused = place.run({{"FAKE_RANK_FAULT", "unavailable 0 0"}});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("The other runs would be refused alike"));
  EXPECT_LT(place.run_folders().size(), 4U);
}

TEST(Run, GoesOnAfterARefusalOfOneWorldSize) {
  const Workplace place;
  const auto mixed = place.run({{"FAKE_RANK_FAULT", "bad_input 0 0 2"}});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("2 of 4 runs complete"));
}

TEST(Run, FreshStartsUnfinishedRunsAnew) {
  Workplace place;
  const auto folder = interrupted(place).run_folders().at(0);
  const auto finished = place.run({}, {"--fresh", "--verbose"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, Not(HasSubstr("goes on from its checkpoint")));
  EXPECT_TRUE(fs::exists(folder / "attempt-1" / "checkpoint.pt"));
}

TEST(Run, RefusesTheCheckpointOfAnotherBuild) {
  Workplace place;
  const auto folder = interrupted(place).run_folders().at(0);
  auto text = content_of(folder / "launch.json");
  text.insert(text.find("\"build_id\": \"") + 13, "9.9.9+");
  write_text(folder / "launch.json", text);
  const auto refused = place.run();
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("the checkpoint of noise2void-r1"));
  EXPECT_THAT(refused.err, HasSubstr("made by build 9.9.9+"));
  EXPECT_THAT(refused.err, HasSubstr("--fresh"));
  EXPECT_EQ(place.run({}, {"--accept-mixed"}).code, 0);
  EXPECT_TRUE(fs::exists(folder / "attempt-1" / "checkpoint.pt")) << "it was not gone on from";
}

TEST(Run, RefusesWithoutMpirun) {
  const Workplace place;
  const auto finished = place.run({{"PATH", "/nowhere"}}, {"--launcher", "mpirun"});
  EXPECT_EQ(finished.code, 4);
  EXPECT_THAT(finished.err, HasSubstr("openmpi"));
}

TEST(Mpirun, CompletesAStudyInAFolderWithBlanksAndQuotes) {
  SCALESTUDY_NEEDS("mpi", has_mpirun());
  const Workplace place;
  place.write_study(R"("ranks": [1, 2, 3])", 1);  // 3 ranks: oversubscribed on a small machine
  const auto finished = place.run({{"RANK", "7"}, {"WORLD_SIZE", "9"}},
                                  {"--launcher", "mpirun", "--set", "settings.epochs=3"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("3 of 3 runs complete"));
}

TEST(Mpirun, NamesTheRankThatFailedOrDied) {
  SCALESTUDY_NEEDS("mpi", has_mpirun());
  const Workplace place;
  place.write_study(R"("ranks": [2])", 1);
  const auto failed = place.run({{"FAKE_RANK_FAULT", "fail 1 2"}}, {"--launcher", "mpirun"});
  EXPECT_EQ(failed.code, 5);
  EXPECT_THAT(failed.err, HasSubstr("rank 1 failed in phase 'forward' of step 2: Fault 'fail'"));
  const auto died = place.run({{"FAKE_RANK_FAULT", "die 1 2"}}, {"--launcher", "mpirun"});
  EXPECT_EQ(died.code, 5);
  EXPECT_THAT(died.err, HasSubstr("rank 1 was killed by signal 9 in phase 'forward' of step 2"));
  EXPECT_TRUE(ranks_at_work_in(place.path()).empty());
}

TEST(Mpirun, LeavesNoOrphanWhenTheDriverIsKilled) {
  SCALESTUDY_NEEDS("mpi", has_mpirun());
  const Workplace place;
  place.write_study(R"("ranks": [2])", 1);
  auto variables = place.hold();
  // A killed mpirun leaves its session folder behind: here it goes with the test.
  variables["TMPDIR"] = place.path().string();
  const auto driver = place.start(place.run_arguments({"--launcher", "mpirun"}), variables);
  // A rank binds itself to mpirun, some time after it was started.
  EXPECT_TRUE(eventually([&] { return heartbeats_in(place.path()) == 2; }));
  ::kill(driver, SIGKILL);
  EXPECT_EQ(place.wait_for(driver).code, -SIGKILL);
  EXPECT_TRUE(eventually([&] { return ranks_at_work_in(place.path()).empty(); }));
}

TEST(Run, JsonListsEveryRun) {
  const Workplace place;
  const auto finished = place.run({{"FAKE_RANK_FAULT", "fail 0 1 2"}}, {"--json"});
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.out, HasSubstr("\"exit_code\": 5"));
  EXPECT_THAT(finished.out, HasSubstr("\"stage\": \"complete\""));
  EXPECT_THAT(finished.out, HasSubstr("\"stage\": \"failed\""));
}

TEST(Run, QuietSaysNothingButErrors) {
  EXPECT_EQ(Workplace().run({}, {"--quiet"}).err, "");
  const auto failed = Workplace().run({{"FAKE_RANK_FAULT", "fail 1 3"}}, {"--quiet"});
  EXPECT_EQ(failed.code, 5);
  EXPECT_THAT(failed.err,
              testing::MatchesRegex("(error: run . of 4: [^\n]*with code 5[^\n]*\n){2}"));
}

TEST(Status, ShowsARunningStudyFromAnotherShell) {
  const Workplace place;
  const auto driver = place.start(place.run_arguments(), place.hold());
  std::string out;
  const auto shows_a_step = [&] {
    Workplace other;  // its own output files
    out = other.call({"status", place.out().string()}).out;
    return out.find("step ") != std::string::npos;
  };
  EXPECT_TRUE(eventually(shows_a_step)) << out;
  EXPECT_THAT(out, HasSubstr("1 running"));
  EXPECT_THAT(out, AnyOf(HasSubstr("/8, "), HasSubstr("/4, ")));  // of one rank, of two
  ::kill(driver, SIGTERM);
  EXPECT_EQ(place.wait_for(driver).code, 130);
}

TEST(Run, AResultThatIsGoneIsMadeAgain) {
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  fs::remove(place.run_folders()[1] / "run.h5");
  EXPECT_THAT(place.call({"status", place.out().string()}).out,
              HasSubstr("its run.h5 is gone: it will run again"));
  const auto again = place.run();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("4 of 4 runs complete"));
  EXPECT_THAT(again.err, HasSubstr("(3 kept from before)"));
  EXPECT_TRUE(fs::exists(place.run_folders()[1] / "run.h5"));
}

}  // namespace
}  // namespace scalestudy
