#include "analysis/importers/csv_table.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

TEST(CsvTable, ReadsQuotesLineEndsAndBlankLines) {
  const CsvTable table(
      "\xef\xbb\xbf"
      "a,b\r\n\"x, \"\"y\"\"\n\",2\r\n\n3,4",
      "t");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.text(0, 0), "x, \"y\"\n");
  EXPECT_EQ(table.number(0, 1), 2);
  EXPECT_EQ(table.number(1, 1), 4);
  EXPECT_EQ(table.place(1, 1), "t, line 5, column b");
}

TEST(CsvTable, LinesBeforeTheHeadingMayBeComments) {
  const CsvTable named("# run on a V100, at noon\n\n # of May\na,b\n1,2\n,,\n", "t");
  EXPECT_EQ(named.place(0, 1), "t, line 5, column b");
  const CsvTable by_comment("# of NumPy\n# A,b\n-1,2\n3,4\n", "t");
  ASSERT_EQ(by_comment.rows(), 2U);
  EXPECT_EQ(by_comment.number(0, *by_comment.find("a")), -1);
  EXPECT_EQ(by_comment.place(0, 0), "t, line 3, column A");
  const CsvTable of_excel("sep=;\r\na;b\r\n1;2\r\n", "t");
  EXPECT_EQ(of_excel.number(0, *of_excel.find("b")), 2);
  EXPECT_EQ(of_excel.place(0, 1), "t, line 3, column b");
}

TEST(CsvTable, RefusesWhatHasNoClearValues) {
  const auto refused = [](const std::string& text) {
    return message_of<BadInput>([&] { return CsvTable(text, "t").rows(); });
  };
  EXPECT_THAT(refused("a,b\n\"x"), HasSubstr("line 2: a quote is never closed"));
  EXPECT_THAT(refused("a,b\n\"x\"y,1\n"), HasSubstr("text behind a closed quote"));
  EXPECT_THAT(refused("a,a\n"), HasSubstr("two columns are called 'a'"));
  EXPECT_THAT(refused("a\n1,2\n"), HasSubstr("line 2: 2 values for 1 column of line 1"));
  EXPECT_THAT(refused("# by me\n1,2\n"), HasSubstr("line 2: 2 values for 1 column of line 1"));
  EXPECT_THAT(refused("# by me\n"), HasSubstr("t is empty"));
  EXPECT_THAT(refused("a,A\n"), HasSubstr("two columns are called 'A'"));
  EXPECT_THAT(refused(std::string(3000, ',') + "a"), HasSubstr("more than 1000 columns"));
  EXPECT_THAT(refused("{\"accuracy\": 0.7}\n"), HasSubstr("t begins as JSON does"));
  EXPECT_EQ(refused("a\n"), "accepted");
}

}  // namespace
}  // namespace scalestudy
