#include "driver/terminal/text_table.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

std::string printed_table(const TextTable& table) {
  std::ostringstream out;
  table.print(out, "| ");
  return out.str();
}

TEST(TextTable, AlignsByWhatTheTerminalShows) {
  TextTable table;
  table.add_column("name", Align::left);
  table.add_column("time", Align::right);
  table.add_row({"a", "12.0 µs"});
  table.add_row({"longer", "1.0 ms"});
  EXPECT_EQ(printed_table(table),
            "| name       time\n"
            "| a       12.0 µs\n"
            "| longer   1.0 ms\n");
}

TEST(TextTable, TakesOutConstantColumns) {
  TextTable table;
  table.add_column("ranks", Align::right);
  table.add_column("input", Align::left);
  table.add_column("arm", Align::left);
  table.add_row({"1", "sharded", "-"});
  table.add_row({"2", "sharded", "-"});
  EXPECT_THAT(table.take_constants({}), ElementsAre("input sharded"));
  EXPECT_EQ(printed_table(table), "| ranks\n|     1\n|     2\n");
}

TEST(TextTable, KeepsTheColumnsThatItIsAbout) {
  TextTable table;
  table.add_column("ranks", Align::right);
  table.add_column("input", Align::left);
  table.add_row({"1", "sharded"});
  EXPECT_THAT(table.take_constants({"ranks"}), ElementsAre("input sharded"));
  EXPECT_EQ(printed_table(table), "| ranks\n|     1\n");
}

TEST(TextTable, RefusesRowsOfAnotherLength) {
  TextTable table;
  table.add_column("a", Align::left);
  EXPECT_THROW(table.add_row({"1", "2"}), InternalError);
}

TEST(WrappedList, BreaksBeforeTheHundredthCharacter) {
  EXPECT_EQ(wrapped_list({"a", "b"}), "a, b");
  const std::string half(48, 'x');
  EXPECT_EQ(wrapped_list({half, half, "b", "c"}), half + ", " + half + ",\n    b, c");
}

TEST(GroupedDigits, KnownAnswers) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(1000), "1 000");
  EXPECT_EQ(grouped_digits(-123456), "-123 456");
  EXPECT_EQ(grouped_digits(1234567), "1 234 567");
}

TEST(TextTable, OneLongCellDoesNotWidenEveryRow) {
  TextTable table;
  table.add_column("name", Align::left);
  table.add_column("value", Align::left);
  for (int i = 0; i < 100; ++i) table.add_row({i == 50 ? std::string(100000, 'x') : "short", "1"});
  std::ostringstream out;
  table.print(out, "");
  EXPECT_LT(out.str().size(), 130000U);
}

}  // namespace
}  // namespace scalestudy
