/// A study that gets more runs goes on in its folder; one whose data have changed does not.

#include <map>

#include <gmock/gmock.h>

#include "tests/e2e/driver_process.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Of one and two ranks, twice each, with `more`.
Finished run_with(const Workplace& place, const std::vector<std::string>& more = {}) {
  std::vector<std::string> options{"--set", "settings.epochs=4"};
  for (const auto& value : more) options.insert(options.end(), {"--set", value});
  return place.run({}, options);
}

std::map<fs::path, fs::file_time_type> results_of(const Workplace& place) {
  std::map<fs::path, fs::file_time_type> times;
  for (const auto& folder : place.run_folders())
    times[folder / "run.h5"] = fs::last_write_time(folder / "run.h5");
  return times;
}

TEST(GrowingStudy, RunsWhatIsNewAndKeepsTheRest) {
  const Workplace place;
  ASSERT_EQ(run_with(place).code, 0);
  const auto before = results_of(place);
  ASSERT_EQ(before.size(), 4U);
  const auto grown =
      run_with(place, {"axes.ranks=[4, 1, 2]", "repeats=3", R"(control_arms=["barrier_only"])"});
  EXPECT_EQ(grown.code, 0) << grown.err;
  EXPECT_THAT(grown.err, HasSubstr("18 of 18 runs complete"));
  EXPECT_THAT(grown.err, HasSubstr("(4 kept from before)"));
  const auto after = results_of(place);
  EXPECT_EQ(after.size(), 18U);
  for (const auto& [file, time] : before) EXPECT_EQ(after.at(file), time) << file;
}

TEST(GrowingStudy, OneThatLosesRunsIsRefused) {
  const Workplace place;
  ASSERT_EQ(run_with(place).code, 0);
  const auto less = run_with(place, {"axes.ranks=[1]"});
  EXPECT_EQ(less.code, 2);
  EXPECT_THAT(less.err, HasSubstr("the study as it is now has no such run"));
  EXPECT_THAT(less.err, HasSubstr("the nearest has other ranks (2, 1)"));
  const auto other = run_with(place, {"settings.seed=7"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("the nearest has other settings.seed (1, 7)"));
}

TEST(StudyData, ChangedUnderTheSamePathTheyAreRefused) {
  const Workplace place;
  ASSERT_EQ(run_with(place).code, 0);
  write_text(place.path() / "volume.tif", "not read by the fake rank either");
  const auto again = run_with(place);
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("what lies at data.path has changed since"));
  EXPECT_THAT(place.call({"status", place.out().string()}).out, HasSubstr("4 of 4 runs complete"));
}

TEST(StudyData, MovedTheyAreTheSame) {
  const Workplace place;
  ASSERT_EQ(run_with(place).code, 0);
  const auto elsewhere = place.path() / "elsewhere.tif";
  fs::rename(place.path() / "volume.tif", elsewhere);
  const auto again = run_with(place, {"data.path=" + elsewhere.string()});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("(4 kept from before)"));
}

TEST(StudyData, AReceivedFolderNeedsNone) {
  const Workplace place;
  ASSERT_EQ(run_with(place).code, 0);
  fs::remove(place.path() / "volume.tif");
  fs::remove(place.study_file());
  for (const auto* command : {"status", "report"})
    EXPECT_EQ(place.call({command, place.out().string()}).code, 0) << command;
  EXPECT_EQ(place.call({"inspect", place.run_folders()[0].string()}).code, 0);
}

}  // namespace
}  // namespace scalestudy
