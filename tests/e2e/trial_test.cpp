/// What is found out before the first run that counts: `plan`, and the trial of `run`.

#include <cstdlib>

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

#include "tests/e2e/driver_process.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// `scalestudy run` as users call it: with a trial before the first run.
Finished run_with_trial(const Workplace& place, const Variables& variables = {}) {
  return place.call({"run", place.study_file().string(), "--out", place.out().string()}, variables);
}

Finished plan_of(const Workplace& place, const Variables& variables = {}) {
  return place.call({"plan", place.study_file().string()}, variables);
}

TEST(Trial, ComesBeforeTheRunsAndLeavesNothing) {
  const Workplace place;
  const auto finished = run_with_trial(place);
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("Trial: the first steps with 2 ranks, thrown away"));
  EXPECT_THAT(finished.err, HasSubstr("4 of 4 runs complete"));
  EXPECT_FALSE(fs::exists(place.out() / "trial"));
  EXPECT_THAT(run_with_trial(place).err, Not(HasSubstr("Trial"))) << "nothing is left to run";
}

TEST(Trial, ThatFailsLeavesTheVerdictToTheRuns) {
  const Workplace place;
  const auto finished = run_with_trial(place, {{"FAKE_RANK_FAULT", "fail 1 3"}});
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.err, HasSubstr("2 of 4 runs complete"));
  EXPECT_FALSE(fs::exists(place.out() / "trial"));
  EXPECT_THAT(content_of(place.out() / "driver.log"), HasSubstr("the trial: rank 1 exited"));
}

TEST(Trial, CanBeInterrupted) {
  const Workplace place;
  const auto driver = place.start(
      {"run", place.study_file().string(), "--out", place.out().string()}, place.hold());
  EXPECT_TRUE(eventually([&] { return fs::exists(place.out() / "trial" / "heartbeat-1"); }));
  ::kill(driver, SIGINT);
  EXPECT_EQ(place.wait_for(driver).code, 130);
  EXPECT_FALSE(fs::exists(place.out() / "trial"));
  EXPECT_TRUE(ranks_at_work_in(place.path()).empty());
}

TEST(Trial, TouchesNothingThatIsNoTrials) {
  const Workplace place;
  const auto mine = place.out() / "trial" / "notes.txt";
  write_text(mine, "mine");
  const auto finished = run_with_trial(place);
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("trial is there already and no trial's"));
  EXPECT_EQ(content_of(mine), "mine");
  EXPECT_EQ(place.run().code, 0) << "it needs no trial";
  EXPECT_EQ(content_of(mine), "mine");
}

TEST(Trial, ThatWasKilledIsClearedByTheNextRun) {
  const Workplace place;
  write_text(place.out() / "trial" / "thrown-away", "");
  write_text(place.out() / "trial" / "spec.json", "{}");
  EXPECT_EQ(place.run().code, 0);
  EXPECT_FALSE(fs::exists(place.out() / "trial"));
}

TEST(Trial, ThatIsHalfRemovedIsATrialStill) {
  SCALESTUDY_NEEDS("strace", std::system("strace -o /dev/null true") == 0);
  const Workplace place;
  const auto trial = place.out() / "trial";
  for (int call = 1; call <= 5; ++call) {  // four files and the folder
    for (const auto* name : {"thrown-away", "rank-0.log", "rank-1.log", "spec.json"})
      write_text(trial / name, "");
    const auto run =
        cat("strace -qq -o /dev/null -e inject=unlink,unlinkat,rmdir:signal=KILL:when=", call, " '",
            test::in_build("bin/scalestudy"), "' run \"", place.study_file().string(),
            "\" --out \"", place.out().string(), "\" --no-trial > /dev/null 2>&1");
    EXPECT_NE(std::system(run.c_str()), 0) << call;
    std::error_code gone;
    EXPECT_TRUE(fs::exists(trial / "thrown-away") || !fs::exists(trial) ||
                fs::is_empty(trial, gone))
        << call;
  }
}

TEST(Trial, ThatTakesTooLongIsStoppedAndSaysSo) {
  const Workplace place;
  place.write_study(R"("ranks": [2])", 1);
  const auto held = place.hold();
  const std::vector<std::string> short_time{"--set", "settings.timeouts.run_timeout_s=0.2"};
  std::vector<std::string> arguments{"plan", place.study_file().string()};
  arguments.insert(arguments.end(), short_time.begin(), short_time.end());
  const auto plan = place.call(arguments, held);
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("not known: the first steps with 2 ranks were not over after "));
  arguments.emplace_back("--json");
  EXPECT_THAT(place.call(arguments, held).out, HasSubstr("\"time_unknown_because\": \"the first"));
  arguments = {"run", place.study_file().string(), "--out", place.out().string()};
  arguments.insert(arguments.end(), short_time.begin(), short_time.end());
  EXPECT_THAT(place.call(arguments, held).err, HasSubstr("The trial was not over after "));
}

TEST(Plan, ClearsWhatKilledTrialsLeft) {
  const Workplace place;
  const auto temporary = place.path() / "tmp";
  constexpr const char* no_process = "scalestudy-trial-2147483647";
  write_text(temporary / no_process / "thrown-away", "");
  write_text(temporary / "scalestudy-trial-1" / "thrown-away", "");  // of a process that lives
  write_text(temporary / "scalestudy-trial-2147483646" / "notes.txt", "mine");
  const auto plan = plan_of(place, {{"TMPDIR", temporary.string()}});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_FALSE(fs::exists(temporary / no_process));
  EXPECT_TRUE(fs::exists(temporary / "scalestudy-trial-1"));
  EXPECT_TRUE(fs::exists(temporary / "scalestudy-trial-2147483646"));
}

TEST(Plan, NamesATemporaryFolderThatCannotBeUsed) {
  const Workplace place;
  const auto nowhere = plan_of(place, {{"TMPDIR", "/nowhere"}});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("Set TMPDIR to a folder that you may write to"));
  const auto read_only = plan_of(place, {{"TMPDIR", "/proc"}});
  EXPECT_EQ(read_only.code, 2);
  EXPECT_THAT(read_only.err, HasSubstr("Cannot make /proc/scalestudy-trial-"));
}

TEST(Plan, EstimatesTheTimeByATrial) {
  const Workplace place;
  const auto plan = plan_of(place);
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("All runs together: about "));
  const auto json = place.call({"plan", place.study_file().string(), "--json"});
  EXPECT_THAT(json.out, testing::ContainsRegex("\"estimated_time_s\": [0-9]"));
  const auto quick = place.call({"plan", place.study_file().string(), "--no-trial"});
  EXPECT_THAT(quick.out, Not(HasSubstr("All runs together")));
}

TEST(Plan, RefusesWhatTheRanksWouldRefuse) {
  const Workplace place;
  const auto plan = [&](const char* fault) { return plan_of(place, {{"FAKE_RANK_FAULT", fault}}); };
  const auto bad_input = plan("bad_input 0 0");
  EXPECT_EQ(bad_input.code, 2);
  EXPECT_THAT(bad_input.out, HasSubstr("4 runs of noise2void")) << "the plan is shown all the same";
  EXPECT_THAT(bad_input.err, HasSubstr("as a trial with 1 rank did: rank 0 exited with code 2"));
  EXPECT_EQ(plan("unavailable 0 0").code, 4);
  const auto of_two = plan("bad_input 1 0");
  EXPECT_EQ(of_two.code, 2);
  EXPECT_THAT(of_two.err, HasSubstr("as a trial with 2 ranks did"));
  EXPECT_EQ(plan("die 0 1").code, 5);
}

TEST(Plan, ShowsRunsWithoutStartingAny) {
  const Workplace place;
  const auto plan = plan_of(place);
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("4 runs of noise2void"));
  EXPECT_THAT(plan.out, HasSubstr("repeats 2"));
  for (const auto& line : split(plan.out, '\n')) EXPECT_LE(line.size(), 120U) << line;
  place.write_study(R"("ranks": [1, 2, 4], "scaling_rule": ["linear_fixed_samples", "strong"],
    "reduction": ["bucketed_overlap", "flat_after_backward"])",
                    5);
  const auto large =
      place.call({"plan", place.study_file().string(), "--set", "settings.epochs=8"});
  for (const auto& line : split(large.out, '\n')) EXPECT_LE(line.size(), 120U) << line;
  const auto json = place.call({"plan", place.study_file().string(), "--json"});
  EXPECT_THAT(json.out, HasSubstr("\"run_id\": \"noise2void-r2-linear_fixed_samples"));
}

}  // namespace
}  // namespace scalestudy
