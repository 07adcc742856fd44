/// The A/A floor, from launches of the fake rank to what plan says of it.

#include <gmock/gmock.h>

#include "tests/e2e/driver_process.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Floor : public ::testing::Test {
 protected:
  [[nodiscard]] Finished call(std::vector<std::string> arguments, Variables variables = {}) const {
    variables["XDG_CACHE_HOME"] = (place_.path() / "cache").string();
    return place_.call(arguments, variables);
  }
  [[nodiscard]] Finished floor(std::vector<std::string> more = {}, Variables variables = {}) const {
    more.insert(more.begin(), {"floor", place_.study_file().string(), "--out",
                               place_.out().string(), "--no-trial"});
    return call(more, std::move(variables));
  }
  [[nodiscard]] Finished plan() const {
    return call({"plan", place_.study_file().string(), "--no-trial", "--set", "repeats=4"});
  }
  [[nodiscard]] bool is_stored() const {
    const auto floors = place_.path() / "cache" / "scalestudy" / "floors";
    return fs::exists(floors) && !fs::is_empty(floors);
  }

  Workplace place_;
};

TEST_F(Floor, IsMeasuredKeptAndUsedByPlan) {
  const auto measured = floor();
  EXPECT_EQ(measured.code, 0) << measured.err;
  EXPECT_EQ(place_.run_folders().size(), 20U) << "5 pairs at one rank and at two";
  EXPECT_THAT(measured.out, HasSubstr("A/A floor of my study"));
  EXPECT_THAT(measured.out, HasSubstr("Kept for plan and run: "));
  EXPECT_THAT(measured.err, HasSubstr("20 of 20 runs complete"));
  EXPECT_THAT(measured.err, Not(HasSubstr("Next:")));
  const auto planned = plan();
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("With 4 repeats, paired, a speed-up is resolved from ±"));
}

TEST_F(Floor, GoesOnWhereItWasLeft) {
  const auto first = floor({"--pairs", "3"});
  ASSERT_EQ(first.code, 0) << first.err;
  const auto more = floor({"--pairs", "4"});
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("16 of 16 runs complete"));
  EXPECT_THAT(more.err, HasSubstr("(12 kept from before)"));
  const auto fewer = floor({"--pairs", "3"});
  EXPECT_EQ(fewer.code, 0) << "pairs grow, none is thrown away: " << fewer.err;
  EXPECT_THAT(fewer.err, HasSubstr("16 of 16 runs complete"));
}

TEST_F(Floor, NothingIsStartedWhereItCannotBeKept) {
  write_text(place_.path() / "cache", "in the way");
  const auto refused = floor();
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("Set XDG_CACHE_HOME to a folder that you may write to"));
  EXPECT_FALSE(fs::exists(place_.out()));
}

TEST_F(Floor, OfLaunchesThatFailIsNotKept) {
  const auto failed = floor({"--pairs", "3"}, {{"FAKE_RANK_FAULT", "fail 1 3 2"}});
  EXPECT_EQ(failed.code, 5) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("nothing was stored"));
  EXPECT_FALSE(is_stored());
}

TEST_F(Floor, ItsRunsAreNoRepeatsOfTheStudy) {
  const auto first = floor({"--pairs", "3"});
  ASSERT_EQ(first.code, 0) << first.err;
  const auto run = place_.run();
  EXPECT_EQ(run.code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("holds results of another study"));
}

}  // namespace
}  // namespace scalestudy
