#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/page/summary_json.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

using TwoSpeedsOfStudy = AnalysedStudy;

TEST_F(TwoSpeedsOfStudy, AreSaidAndTheirMeanDecidesNothing) {
  const SyntheticRun run{.steps_per_epoch = 20, .time_noise = 0.005};
  add(run, 8);
  for (int repeat = 0; repeat < 8; ++repeat) {
    auto two = run;
    two.ranks = 2;
    two.epochs = 2;
    two.repeat = repeat;
    two.compute_s *= (repeat < 3 ? 1.6 : 1.0) * (1 + 0.001 * repeat);
    add_run(two);
  }
  const auto all = conclusions_of(series());
  EXPECT_THAT(all.headline, HasSubstr("Launches run at two speeds: that two ranks trained"));
  EXPECT_THAT(all.headline, HasSubstr("is undecided"));
  EXPECT_THAT(all.speed, ContainsRegex("Two speeds: with two ranks 3 of 8 launches are 1[.][4-6]"));
  EXPECT_THAT(all.speed, HasSubstr("(no interval, launches run at two speeds; 8 runs each)"));
  EXPECT_THAT(all.speed, Not(HasSubstr("outlier")));
  EXPECT_THAT(all.causes, HasSubstr("in the mean of launches that run at two speeds: undecided"));
  const auto summary = json::parse(summary_json(analysis()));
  const auto& said = summary["series"][0]["two_speeds"];
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0]["ranks"], 2);
  EXPECT_EQ(said[0]["slow_launches"], 3);
  EXPECT_EQ(said[0]["launches"], 8);
  EXPECT_TRUE(summary["series"][0]["points"][1]["speedup"]["training"]["interval"].is_null());
}

}  // namespace
}  // namespace scalestudy
