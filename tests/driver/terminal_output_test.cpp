#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "driver/terminal/context.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

std::string printed(const TextTable& table, const std::string& indent = "") {
  std::ostringstream out;
  table.print(out, indent);
  return out.str();
}

TextTable table_of(const std::vector<std::string>& titles,
                   const std::vector<std::vector<std::string>>& rows) {
  TextTable table;
  for (const auto& title : titles) table.add_column(title, Align::left);
  for (const auto& row : rows) table.add_row(row);
  return table;
}

TEST(TextTable, AlignsByWhatTheTerminalShows) {
  TextTable table;
  table.add_column("name", Align::left);
  table.add_column("time", Align::right);
  table.add_row({"a", "12.0 µs"});
  table.add_row({"longer", "1.0 ms"});
  EXPECT_EQ(printed(table, "| "),
            "| name       time\n"
            "| a       12.0 µs\n"
            "| longer   1.0 ms\n");
}

TEST(TextTable, WithoutRowsItIsItsTitle) {
  EXPECT_EQ(printed(table_of({"name", "what"}, {})), "name  what\n");
  EXPECT_EQ(printed(TextTable()), "");
}

TEST(TextTable, EmptyCellsLeaveNoBlanksAtTheEnd) {
  EXPECT_EQ(printed(table_of({"a", "b"}, {{"1", ""}, {"22", "x"}})), "a   b\n1\n22  x\n");
}

TEST(TextTable, AnEmptyTitleStillHasAColumn) {
  TextTable table;
  table.add_column("", Align::right);
  table.add_column("unit", Align::left);
  table.add_row({"1.5", "s"});
  EXPECT_THAT(split(printed(table), '\n'), ElementsAre(testing::EndsWith("unit"), "1.5  s", ""));
}

TEST(TextTable, TakesOutConstantColumns) {
  auto table = table_of({"ranks", "arm", "input"}, {{"1", "-", "sharded"}, {"2", "-", "sharded"}});
  EXPECT_THAT(table.take_constants({}), ElementsAre("input sharded"));
  EXPECT_EQ(printed(table), "ranks\n1\n2\n");
}

TEST(TextTable, KeepsTheColumnsThatItIsAbout) {
  auto table = table_of({"ranks", "input"}, {{"1", "sharded"}});
  EXPECT_THAT(table.take_constants({"ranks"}), ElementsAre("input sharded"));
  EXPECT_EQ(printed(table), "ranks\n1\n");
}

TEST(TextTable, ConstantsAreTakenOnce) {
  auto table = table_of({"a", "b"}, {{"1", "x"}, {"2", "x"}});
  EXPECT_THAT(table.take_constants({}), ElementsAre("b x"));
  EXPECT_THAT(table.take_constants({}), ElementsAre());
}

TEST(TextTable, RefusesRowsOfAnotherLength) {
  EXPECT_THROW((void)table_of({"a"}, {{"1", "2"}}), InternalError);
}

TEST(TextTable, OneLongCellDoesNotWidenEveryRow) {
  std::vector<std::vector<std::string>> rows(100, {"short", "1"});
  rows[50][0] = std::string(100000, 'x');
  EXPECT_LT(printed(table_of({"name", "value"}, rows)).size(), 130000U);
}

TEST(FirstColumns, CutsBetweenCharacters) {
  EXPECT_EQ(first_columns("a€b", 0), "");
  EXPECT_EQ(first_columns("a€b", 2), "a€");
  EXPECT_EQ(first_columns("a€b", 9), "a€b");
}

TEST(DisplayWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("µs"), 2U);
  EXPECT_EQ(display_width("epochs×steps"), 12U);
  EXPECT_EQ(display_width("√N → 2"), 6U);
}

TEST(Wrapped, BreaksAtBlanksAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("a b", 4), "a b");
  EXPECT_EQ(wrapped("  - aa bb cc", 4, 9), "  - aa bb\n    cc");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(Wrapped, CountsCharactersAndKeepsAWordThatIsLonger) {
  EXPECT_EQ(wrapped("ää ää", 0, 5), "ää ää");
  EXPECT_EQ(wrapped("ää ää", 0, 4), "ää\nää");
  EXPECT_EQ(wrapped("a longer b", 2, 4), "a\n  longer\n  b");
}

TEST(GroupedDigits, GroupsFromTheRightWhateverTheSign) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(-1), "-1");
  EXPECT_EQ(grouped_digits(-999), "-999");
  EXPECT_EQ(grouped_digits(-1000), "-1 000");
  EXPECT_EQ(grouped_digits(100000), "100 000");
  EXPECT_EQ(grouped_digits(1234567), "1 234 567");
  EXPECT_EQ(grouped_digits(9223372036854775807), "9 223 372 036 854 775 807");
}

TEST(Context, QuietWinsOverVerbose) {
  std::ostringstream out;
  Context context{{}, "", out, out};
  EXPECT_EQ(context.verbosity(), Verbosity::normal);
  context.options.verbose = true;
  EXPECT_EQ(context.verbosity(), Verbosity::verbose);
  context.options.quiet = true;
  EXPECT_EQ(context.verbosity(), Verbosity::quiet);
}

TEST(Context, ColourFollowsTheStreamItIsWrittenTo) {
  std::ostringstream out;
  Context results{{}, "", out, out, true, false};
  EXPECT_TRUE(results.color());
  results.options.no_color = true;
  EXPECT_FALSE(results.color());
  const Context messages{{}, "", out, out, false, true};
  EXPECT_FALSE(messages.color());
}

}  // namespace
}  // namespace scalestudy
