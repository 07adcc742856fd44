#include "analysis/importers/csv_table.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST(CsvTable, ALastValueThatTheEndMayHaveCutIsDoubted) {
  const auto doubts = [](const std::string& text) { return CsvTable(text, "t").doubts(); };
  EXPECT_THAT(doubts("a,b\n1,17.03\n2,17.1"),
              ElementsAre("t, line 3, column b: the file ends there without a line end: '17.1' may "
                          "be cut"));
  for (const auto* text : {"b\n60\n6", "b\n17.03\n17.", "b\n17.03\n17", "b\n1.5\n16.25\n6.25",
                           "b\nhttps://a.org\nhttps://a", "b\n17.03\r\n1\r"})
    EXPECT_THAT(doubts(text), ElementsAre(HasSubstr("may be cut"))) << text;
  for (const auto* text : {"b\n17.03\n17.1\n", "b\n17.03\n16.10", "b\n60\n62\n60", "b\nx/s\nx/s",
                           "b\n17.03\n\"17\"", "b\n17.03\n1\n# the end", "b\n17.03\n1\n ", "b"})
    EXPECT_THAT(doubts(text), IsEmpty()) << text;
}

TEST(CsvTable, PointsThatMayStandBetweenThousandsAreDoubted) {
  const auto doubts = [](const std::string& text) { return CsvTable(text, "t").doubts(); };
  for (const auto* text : {"n;time\n1;4.640\n2;3.628\n", "n;time\n1;1.269\n2;971\n3;1.003\n",
                           "n,rate\n1,1.200\n8,8.900\n", "n,rate\n1,12.400\n8,118.900\n"})
    EXPECT_THAT(doubts(text), ElementsAre(HasSubstr("if the point stands between thousands")))
        << text;
  for (const auto* text :
       {"n,time\n1,4.640\n2,3.628\n", "n;loss;time\n1;0.581;4.640\n2;0.473;3.628\n",
        "n;lr;time\n1;1e-3;4.64\n2;1e-3;3.628\n", "n,rate\n1,1200.500\n8,8.900\n",
        "n,rate\n1,1.200\n", "n;rate\n1;.200\n2;.300\n", "v;w\n1.200.1;1.200\n1;1.300\n"})
    EXPECT_THAT(doubts(text), IsEmpty()) << text;
}

TEST(CsvTable, WhatIsNoTableOfItsFormatIsToldFromItsHeading) {
  const auto refused = [](const std::string& text) {
    return message_of<BadInput>([&] { return CsvTable(text, "t").require("c"); });
  };
  EXPECT_EQ(
      refused("a,\"b, c\"\n"),
      "t has no column 'c' (its columns are 'a', 'b, c'). Call the column that holds it 'c'.");
  EXPECT_THAT(refused("# a c\n1 2\n"),
              HasSubstr("are 'a c'). Check that it is a table, with commas, semicolons or"));
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
  EXPECT_THAT(refused("[ {\"accuracy\": 0.7}]\n"), HasSubstr("t begins as JSON does"));
  EXPECT_EQ(refused("[2023-05-12 10:20:10] step 1\n"), "accepted") << "a log";
  EXPECT_EQ(refused("a\n"), "accepted");
}

}  // namespace
}  // namespace scalestudy
