#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/speed/speedup_table.hpp"
#include "analysis/report/study/file_tables.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/answer_text.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

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
  const auto found = conclusions_of(series());
  EXPECT_THAT(found.headline, HasSubstr("Launches run at two speeds: that two ranks trained"));
  EXPECT_THAT(found.headline, HasSubstr("is undecided"));
  EXPECT_THAT(all(found.speed),
              ContainsRegex("Two speeds: with two ranks 3 of 8 launches are 1[.][4-6]"));
  EXPECT_THAT(all(found.speed),
              HasSubstr("(no interval, launches run at two speeds; 8 runs each)"));
  EXPECT_THAT(all(found.speed), Not(HasSubstr("outlier")));
  EXPECT_THAT(all(found.causes),
              HasSubstr("in the mean of launches that run at two speeds: undecided"));
  const auto said = two_speeds_table(series());
  ASSERT_EQ(said.rows.size(), 1U);
  EXPECT_EQ(raw_in(said, 0, "ranks"), "2");
  EXPECT_EQ(raw_in(said, 0, "slow_launches"), "3");
  EXPECT_EQ(raw_in(said, 0, "launches"), "8");
  EXPECT_FALSE(cell_in(speedup_table(series()), 1, "training_speedup").interval);
}

}  // namespace
}  // namespace scalestudy
