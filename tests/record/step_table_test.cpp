#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "record/run_file/run_record.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsNan;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

StepTable times(std::int64_t ranks, std::vector<double> values) {
  StepTable table(ranks, static_cast<std::int64_t>(values.size()) / ranks);
  table.values(&StepRow::step_s) = std::move(values);
  return table;
}

TEST(StepTable, AMissingTimeOfAnyRankMakesTheMaximumUnknown) {
  for (const auto& values : {std::vector{missing, 1.0, 5.0, 2.0, 3.0, 4.0},
                             std::vector{3.0, 1.0, missing, 2.0, 5.0, 4.0},
                             std::vector{3.0, 1.0, 5.0, 2.0, missing, 4.0}}) {
    EXPECT_THAT(times(3, values).max_over_ranks(&StepRow::step_s), ElementsAre(IsNan(), 4));
  }
}

TEST(StepTable, AMissingValueOfAnyRankMakesSumAndMeanUnknown) {
  const auto table = times(2, {1, 2, missing, 4});
  EXPECT_THAT(table.sum_over_ranks(&StepRow::step_s), ElementsAre(IsNan(), 6));
  EXPECT_THAT(table.mean_over_ranks(&StepRow::step_s), ElementsAre(IsNan(), 3));
}

TEST(StepTable, TheMaximumOfNegativeValuesIsOneOfThem) {
  EXPECT_THAT(times(2, {-3, -1, -2, -7}).max_over_ranks(&StepRow::step_s), ElementsAre(-2, -1));
}

TEST(StepTable, OneRankIsItsOwnMaximumMeanAndSum) {
  const auto table = times(1, {3, 1, 2});
  EXPECT_THAT(table.max_over_ranks(&StepRow::step_s), ElementsAre(3, 1, 2));
  EXPECT_THAT(table.mean_over_ranks(&StepRow::step_s), ElementsAre(3, 1, 2));
  EXPECT_THAT(table.sum_over_ranks(&StepRow::step_s), ElementsAre(3, 1, 2));
}

TEST(StepTable, WithoutStepsThereIsNothing) {
  const auto table = times(2, {});
  EXPECT_EQ(table.steps(), 0);
  EXPECT_TRUE(table.max_over_ranks(&StepRow::step_s).empty());
  EXPECT_TRUE(table.mean_over_ranks(&StepRow::step_s).empty());
  EXPECT_THROW((void)table.at(&StepRow::step_s, 0, 0), InternalError);
}

TEST(StepTable, EveryIndexOutsideIsABugOfOurs) {
  const auto table = times(2, {1, 2, 3, 4});
  EXPECT_EQ(table.at(&StepRow::step_s, 1, 0), 3);
  for (const auto& [rank, step] : {std::pair{-1, 0}, {2, 0}, {0, -1}, {0, 2}})
    EXPECT_THROW((void)table.at(&StepRow::step_s, rank, step), InternalError);
}

TEST(StepTable, AColumnThatNobodyFilledIsNamed) {
  const auto table = times(1, {1});
  const auto sum = [&] { return table.sum_over_ranks(&StepRow::optimizer_s); };
  EXPECT_THAT(message_of<InternalError>(sum),
              testing::HasSubstr("/steps/optimizer_s was not recorded"));
}

TEST(StepTable, ANewColumnIsNotRecordedUntilItIsSet) {
  StepTable table(2, 1);
  EXPECT_THAT(table.values(&StepRow::loss), ElementsAre(IsNan(), IsNan()));
}

TEST(StepTable, GlobalLossIsWeightedAndNotTheMeanOfMeans) {
  StepTable table(4, 1);
  table.values(&StepRow::loss) = {1, 2, missing, 4};
  table.values(&StepRow::loss_weight) = {10, 4, 0, 2};  // the third is empty
  EXPECT_THAT(table.global_loss(), ElementsAre(DoubleEq((10 + 8 + 8) / 16.0)));
}

TEST(StepTable, GlobalLossIsUnknownWithoutWeightOrWithANaNThatHasOne) {
  StepTable table(2, 2);
  table.values(&StepRow::loss) = {missing, 1, missing, missing};
  table.values(&StepRow::loss_weight) = {0, 2, 0, 2};
  EXPECT_THAT(table.global_loss(), ElementsAre(IsNan(), IsNan()));
}

TEST(StepTable, ARowHasItsColumnsValues) {
  StepTable table(2, 2);
  for (const auto& column : columns_of<StepRow>) {
    const auto base = 100.0 * static_cast<double>(ColumnOf<StepRow>(column).index());
    table.values(column) = {base, base + 1, base + 2, base + 3};
  }
  const auto row = table.row(1, 0);
  for (const auto& column : columns_of<StepRow>)
    EXPECT_EQ(number_in(row, column),
              100.0 * static_cast<double>(ColumnOf<StepRow>(column).index()) + 2)
        << column.name;
}

}  // namespace
}  // namespace scalestudy
