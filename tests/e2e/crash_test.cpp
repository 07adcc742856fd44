/// What SIGKILL and Ctrl-C leave behind: readable files, no orphans, and a study that can go on.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "record/run_file/run_file.hpp"

#include "tests/e2e/driver_process.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

/// Every result file of the study, attempts included, can be read.
void expect_all_readable(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const auto name = entry.path().filename();
    if (name != "run.h5" && name != "run.h5.part") continue;
    EXPECT_NO_THROW(static_cast<void>(read_run_file(entry.path()))) << entry.path();
  }
}

bool no_ranks_left(const Workplace& place) {
  return eventually([&] { return ranks_at_work_in(place.path()).empty(); });
}

fs::path first_folder_that_records(const Workplace& place) {
  std::vector<fs::path> folders;
  EXPECT_TRUE(eventually([&] {
    folders = place.run_folders();
    return !folders.empty() && fs::exists(folders.front() / "run.h5.part");
  }));
  return folders.front();
}

void expect_completes_when_run_again(const Workplace& place) {
  const auto again = place.run();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err,
              AnyOf(HasSubstr("2 of 2 runs complete"), HasSubstr("4 of 4 runs complete")));
  expect_all_readable(place.out());
}

TEST(Crash, RankZeroKilledClosesTheFileWithItsReason) {
  const Workplace place;
  const auto finished = place.run({{"FAKE_RANK_FAULT", "die 0 3 2"}});
  EXPECT_EQ(finished.code, 5);
  const auto record = read_run_file(place.run_folders().back() / "run.h5");
  EXPECT_EQ(record.header.status, RunStatus::failed);
  EXPECT_EQ(record.header.failed_rank, 0);
  EXPECT_EQ(record.header.failed_phase, "forward");
  EXPECT_THAT(record.header.reason, HasSubstr("rank 0 was killed by signal 9"));
  EXPECT_EQ(record.steps.steps(), 3);  // all that were flushed
  expect_completes_when_run_again(place);
}

TEST(Crash, AnyRankKilledFromOutsideIsNamed) {
  const Workplace place;
  place.write_study(R"("ranks": [2])", 2);
  const auto driver = place.start(place.run_arguments(), place.hold());
  std::vector<pid_t> ranks;
  EXPECT_TRUE(eventually([&] {
    ranks = ranks_at_work_in(place.path());
    return ranks.size() == 2;
  }));
  for (const auto rank : ranks) ::kill(rank, SIGKILL);
  place.release();
  const auto finished = place.wait_for(driver);
  EXPECT_EQ(finished.code, 5) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("was killed by signal 9"));
  EXPECT_THAT(finished.err, HasSubstr("1 of 2 runs complete"));
  expect_completes_when_run_again(place);
}

TEST(Crash, AKilledDriversRunIsInterruptedAndOfNoKnownLaunchTime) {
  const Workplace place;
  const auto driver = place.start(place.run_arguments(), place.hold());
  const auto folder = first_folder_that_records(place);
  ::kill(driver, SIGKILL);
  static_cast<void>(place.wait_for(driver));
  EXPECT_TRUE(no_ranks_left(place));
  const auto status = place.call({"status", place.out().string()});
  EXPECT_THAT(status.out, HasSubstr("1 interrupted"));
  EXPECT_THAT(status.out, HasSubstr("the driver ended before the run did"));
  expect_completes_when_run_again(place);
  const auto record = read_run_file(folder / "attempt-1" / "run.h5");
  EXPECT_EQ(record.header.status, RunStatus::interrupted);
  EXPECT_EQ(record.summary_value(&SummaryRow::launch_wall_time_s), std::nullopt);
}

/// As on a full disk, or when the driver is killed at that moment.
TEST(Crash, ARunThatEndedAndCouldNotBeClosedIsClosedLater) {
  const Workplace place;
  const auto driver = place.start(place.run_arguments(), place.hold());
  const auto folder = first_folder_that_records(place);
  const auto in_the_way = folder / "run.h5.new";
  fs::create_directories(in_the_way / "full");
  place.release();
  const auto finished = place.wait_for(driver);
  EXPECT_EQ(finished.code, 5) << finished.err;
  EXPECT_TRUE(fs::exists(folder / "run.h5.part"));
  fs::remove_all(in_the_way);
  const auto again = place.run();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("had ended, and its file is closed now"));
  const auto record = read_run_file(folder / "run.h5");
  EXPECT_EQ(record.header.status, RunStatus::complete);
  EXPECT_FALSE(record.header.has_label(RunLabel::resumed));
  EXPECT_EQ(record.summary_value(&SummaryRow::launch_wall_time_s), std::nullopt);
  EXPECT_TRUE(record.summary_value(&SummaryRow::training_time_s));
  EXPECT_FALSE(fs::exists(folder / "attempt-1")) << "nothing ran again";
}

/// It would be refused as a result of another build.
TEST(Crash, ARunThatAnotherBuildCouldNotCloseRunsAgain) {
  const Workplace place;
  const auto driver = place.start(place.run_arguments(), place.hold());
  const auto folder = first_folder_that_records(place);
  fs::create_directories(folder / "run.h5.new" / "full");
  place.release();
  EXPECT_EQ(place.wait_for(driver).code, 5);
  fs::remove_all(folder / "run.h5.new");
  auto launch = nlohmann::json::parse(content_of(folder / "launch.json"));
  launch["build_id"] = "another";
  write_text(folder / "launch.json", launch.dump());
  EXPECT_EQ(place.run().code, 0);
  EXPECT_TRUE(fs::exists(folder / "attempt-1"));
}

TEST(Interrupt, ClosesTheFileAndSaysHowToResume) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Workplace place;
    const auto driver =
        place.start(place.run_arguments({"--set", "settings.seed=7"}), place.hold());
    static_cast<void>(first_folder_that_records(place));
    ::kill(driver, signal);
    const auto finished = place.wait_for(driver);
    EXPECT_EQ(finished.code, 130) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("scalestudy run "));
    EXPECT_THAT(finished.err, HasSubstr("--set settings.seed=7"));
    EXPECT_TRUE(no_ranks_left(place));
    const auto record = read_run_file(place.run_folders().front() / "run.h5");
    EXPECT_EQ(record.header.status, RunStatus::interrupted);
    EXPECT_EQ(place.run({}, {"--set", "settings.seed=7"}).code, 0);
  }
}

}  // namespace
}  // namespace scalestudy
