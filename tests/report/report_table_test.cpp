#include "analysis/report/text/report_table.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

ReportTable hostile_table() {
  const Estimate estimate{.value = 2, .interval = Interval{1.5, 2.5}};
  return {"t",
          "a <b> & \"c\"",
          {{"name", "na<me", false}, {"speedup", "speed-up"}},
          {{text_cell("x, \"y\"\n<script>"), estimate_cell(estimate)},
           {text_cell("plain"), estimate_cell({})}}};
}

TEST(ReportTable, CsvQuotesAndKeepsIntervalsApart) {
  EXPECT_EQ(to_csv(hostile_table()),
            "name,speedup,speedup_low,speedup_high\n"
            "\"x, \"\"y\"\"\n<script>\",2,1.5,2.5\n"
            "plain,NaN,NaN,NaN\n");
}

TEST(ReportTable, HtmlEscapesEverything) {
  const std::string html = to_html(hostile_table());
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("2.00</span> <span>(1.50–2.50)"), std::string::npos);
}

TEST(ReportTable, CellsOfFilesAreNotOnThePage) {
  ReportTable table{"t", "", {{"ranks", "ranks"}}, {}};
  for (const int ranks : {1, 2}) {
    table.rows.push_back({integer_cell(ranks)});
    add_file_cells(table, {{"is_loss", yes_no_cell(ranks == 2), false},
                           {"needed", integer_cell(std::optional<std::int64_t>())}});
  }
  EXPECT_EQ(to_csv(table), "ranks,is_loss,needed\n1,no,\n2,yes,\n");
  EXPECT_EQ(to_html(table).find("yes"), std::string::npos);
}

TEST(ReportTable, AnIntervalWithoutWidthIsNotSaid) {
  Estimate estimate;
  estimate.interval = Interval{0, 0};
  EXPECT_FALSE(shown_cell("0", estimate).interval);
  estimate.interval = Interval{0, 1};
  EXPECT_TRUE(shown_cell("0", estimate).interval);
}

TEST(ReportTable, OfManyShownColumnsIsWide) {
  ReportTable table{"t", "", std::vector<TableColumn>(12), {}};
  table.columns.push_back(label_column);
  EXPECT_EQ(to_html(table).find("class=\"table wide\""), std::string::npos);
  table.columns.emplace_back();
  EXPECT_NE(to_html(table).find("class=\"table wide\""), std::string::npos);
}

TEST(ReportTable, ControlBytesDoNotReachTheOutput) {
  EXPECT_EQ(escape_html(std::string("a\x01\x1b b\xff")), "a\\u0001\\u001b b\\xff");
}

TEST(ReportTable, SpreadsheetsCalculateNothingOfAFile) {
  ReportTable table{"t", "", {{"name", "name", false}}, {}};
  for (const char* text : {"=1+1", "@x", "+1", "-1"}) table.rows.push_back({text_cell(text)});
  EXPECT_EQ(to_csv(table), "name\n'=1+1\n'@x\n'+1\n-1\n");
}

}  // namespace
}  // namespace scalestudy
