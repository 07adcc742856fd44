#include "analysis/export/table_lines.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace scalestudy {
namespace {

TEST(CsvLine, QuotesWhatWouldEndACell) {
  EXPECT_EQ(csv_line({std::string("a,b"), std::string("say \"no\""), std::string("two\nlines"),
                      std::string("plain")}),
            "\"a,b\",\"say \"\"no\"\"\",\"two\nlines\",plain\r\n");
}

TEST(CsvLine, GivesNumbersBackExactly) {
  const double third = 1.0 / 3;
  const auto line = csv_line({third, std::int64_t{-7}, ExportCell(), 1e-300});
  EXPECT_EQ(std::stod(line), third);
  EXPECT_EQ(line, "0.3333333333333333,-7,,1e-300\r\n");
}

TEST(CsvLine, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(csv_line({std::string("\033[2J")}), "\\u001b[2J\r\n");
}

TEST(JsonLine, NamesItsCells) {
  const ExportTable table{"t", {"run_id", "rank", "loss", "note", "late"}};
  const auto line = json_line(table, {std::string("a\"\xff"), std::int64_t{3}, 0.1, ExportCell(),
                                      std::numeric_limits<double>::infinity()});
  const auto parsed = nlohmann::json::parse(line);
  EXPECT_EQ(parsed["rank"], 3);
  EXPECT_EQ(parsed["loss"], 0.1);
  EXPECT_TRUE(parsed["note"].is_null() && parsed["late"].is_null());
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
}

}  // namespace
}  // namespace scalestudy
