/// What of a study will mislead though it can run: plan says it, and run by the same means.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/driver/driver_answer.hpp"
#include "tests/support/study_place.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

DriverAnswer planned(const StudyPlace& place, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"plan", place.study(), "--no-trial"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return ask_driver(arguments);
}

TEST(PlanWarnings, WarnsOfAStudyWithoutOneRankAsRunDoes) {
  const StudyPlace place;
  const auto answer = planned(place, {"--set", "axes.ranks=[2]"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.out, StartsWith("Study my study: 2 runs of noise2void"));
  EXPECT_THAT(answer.err, HasSubstr("warning: No run has one rank"));
  EXPECT_THAT(planned(place, {}).err, Not(HasSubstr("warning")));
}

TEST(PlanWarnings, WarnsWhereAStrategyOfTwoLevelsHasOne) {
  const StudyPlace place;
  const auto warnings = [&](const std::string& hosts) {
    return planned(place,
                   {"--set", "axes.ranks=[1,2]", "--set", R"(axes.reduction=["hierarchical"])",
                    "--set", "settings.hierarchical.ranks_per_host=" + hosts})
        .err;
  };
  EXPECT_THAT(warnings("0"), HasSubstr("hierarchical has one host with 2 ranks"));
  EXPECT_THAT(warnings("2"), HasSubstr("hierarchical has one host with 2 ranks"));
  EXPECT_EQ(warnings("1"), "");
}

TEST(PlanWarnings, WarnsOfMilestonesBeyondTheTraining) {
  const StudyPlace place;
  const auto warnings = [&](const std::string& milestones) {
    return planned(place, {"--set", "settings.schedule.name=step", "--set",
                           "settings.schedule.milestones_epochs=" + milestones})
        .err;
  };
  constexpr auto beyond = "a milestone of settings.schedule lies beyond the training";
  EXPECT_THAT(warnings("[2,8]"), HasSubstr(std::string("With ranks 1, 2 ") + beyond));
  EXPECT_THAT(warnings("[4]"), HasSubstr(std::string("With ranks 2 ") + beyond))
      << "two ranks train for 4 epochs";
  EXPECT_EQ(warnings("[2,3]"), "");
}

TEST(PlanWarnings, WarnsOfAWarmUpAsLongAsTheTraining) {
  const StudyPlace place;
  const auto warnings = [&](const std::string& epochs, const std::string& rule) {
    return planned(place, {"--set", "settings.epochs=" + epochs, "--set",
                           "axes.scaling_rule=[\"" + rule + "\"]"})
        .err;
  };
  EXPECT_THAT(warnings("5", "linear_warmup"),
              HasSubstr("With ranks 2 the warm-up lasts the whole training"));
  EXPECT_EQ(warnings("6", "linear_warmup"), "");
  EXPECT_EQ(warnings("5", "linear_fixed_epochs"), "");
}

}  // namespace
}  // namespace scalestudy
