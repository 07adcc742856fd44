#include "record/run_file/column.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "record/run_file/columns.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {
namespace column_test {

struct Row {
  double a_s = 1;
  std::int64_t b_count = 2;
  std::string c;
};
struct Forgotten {
  double a = 0;
  double b = 0;
};
struct Twice {
  double a = 0;
  double b = 0;
};

}  // namespace column_test

using column_test::Row;
template <>
inline constexpr std::array columns_of<Row>{column<&Row::c>("1", "A text"),
                                            column<&Row::b_count>("1", "A count", Better::higher),
                                            column<&Row::a_s>("s", "A time", Better::lower, "sum")};
template <>
inline constexpr std::array columns_of<column_test::Forgotten>{
    column<&column_test::Forgotten::a>("1", "")};
template <>
inline constexpr std::array columns_of<column_test::Twice>{column<&column_test::Twice::a>("1", ""),
                                                           column<&column_test::Twice::a>("1", "")};

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(columns_cover_row<Row>());
static_assert(!columns_cover_row<column_test::Forgotten>());
static_assert(!columns_cover_row<column_test::Twice>());
static_assert(ColumnOf<Row>(&Row::a_s).index() == 2);

TEST(Column, NameAndStorageAreTheFields) {
  EXPECT_EQ(columns_of<Row>[0].name, "c");
  EXPECT_EQ(columns_of<Row>[0].storage, Storage::text);
  EXPECT_EQ(columns_of<Row>[1].name, "b_count");
  EXPECT_EQ(columns_of<Row>[1].storage, Storage::int64);
  EXPECT_EQ(columns_of<Row>[2].name, "a_s");
  EXPECT_EQ(columns_of<Row>[2].storage, Storage::float64);
}

TEST(Column, KeepsWhatIsSaidAboutIt) {
  const auto& time = column_of(&Row::a_s);
  EXPECT_EQ(time.unit, "s");
  EXPECT_EQ(time.description, "A time");
  EXPECT_EQ(time.better, Better::lower);
  EXPECT_EQ(time.aggregation, "sum");
  EXPECT_EQ(column_of(&Row::c).better, Better::none);
  EXPECT_EQ(column_of(&Row::c).aggregation, "none");
}

TEST(Column, IsFoundByFieldAndByItself) {
  for (std::size_t i = 0; i < columns_of<EvaluationRow>.size(); ++i)
    EXPECT_EQ(ColumnOf<EvaluationRow>(columns_of<EvaluationRow>[i]).index(), i);
  EXPECT_EQ(ColumnOf<Row>(&Row::b_count)->name, "b_count");
  EXPECT_EQ(&*ColumnOf<Row>(&Row::b_count), &columns_of<Row>[1]);
}

TEST(Column, NumbersOfBothTypesAreReadAndSet) {
  Row row{.a_s = 0.5, .b_count = 7, .c = "x"};
  EXPECT_EQ(number_in(row, columns_of<Row>[1]), 7);
  EXPECT_EQ(number_in(row, columns_of<Row>[2]), 0.5);
  set_number(row, columns_of<Row>[1], 12);
  set_number(row, columns_of<Row>[2], -3.25);
  EXPECT_EQ(row.b_count, 12);
  EXPECT_EQ(row.a_s, -3.25);
  EXPECT_EQ(row.c, "x");
}

TEST(Column, RealNumbersMayBeAnything) {
  Row row;
  set_number(row, columns_of<Row>[2], infinity);
  EXPECT_EQ(row.a_s, infinity);
  set_number(row, columns_of<Row>[2], nan);
  EXPECT_TRUE(std::isnan(row.a_s));
}

TEST(Column, WholeNumbersAreCutTowardsZero) {
  Row row;
  set_number(row, columns_of<Row>[1], 2.9);
  EXPECT_EQ(row.b_count, 2);
  set_number(row, columns_of<Row>[1], -2.9);
  EXPECT_EQ(row.b_count, -2);
}

TEST(Column, WhatIsNoWholeNumberOf64BitsIsZero) {
  for (const double value : {nan, infinity, -infinity, 9.3e18, -9.3e18, 1e300}) {
    Row row{.a_s = 0, .b_count = 5, .c = ""};
    set_number(row, columns_of<Row>[1], value);
    EXPECT_EQ(row.b_count, 0) << value;
  }
  Row row;
  set_number(row, columns_of<Row>[1], 9.1e18);
  EXPECT_EQ(row.b_count, 9'100'000'000'000'000'000);
  set_number(row, columns_of<Row>[1], -9.1e18);
  EXPECT_EQ(row.b_count, -9'100'000'000'000'000'000);
}

TEST(KnownValue, IsNothingForNaNAndForNegativeCounts) {
  SummaryRow summary;
  for (const ColumnOf<SummaryRow> column : columns_of<SummaryRow>)
    EXPECT_EQ(known_value(summary, column), std::nullopt) << column->name;
  summary.steady_start_step = 0;
  summary.final_loss = -2;
  EXPECT_EQ(known_value(summary, &SummaryRow::steady_start_step), 0);
  EXPECT_EQ(known_value(summary, &SummaryRow::final_loss), -2);
}

}  // namespace
}  // namespace scalestudy
