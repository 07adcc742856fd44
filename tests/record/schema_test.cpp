#include <algorithm>
#include <span>

#include <gtest/gtest.h>

#include "core/text.hpp"

#include "record/run_file/columns.hpp"
#include "record/run_file/run_layout.hpp"

#include "tests/support/documented_table.hpp"

namespace scalestudy {
namespace {

std::string table_of(std::span<const Column> columns) {
  const auto name_of = [](Storage storage) {
    if (storage == Storage::text) return "text";
    return storage == Storage::int64 ? "int64" : "float64";
  };
  std::string text;
  for (const auto& column : columns) {
    text += cat("| ", column.name, " | ", name_of(column.storage), " | ", column.unit, " | ",
                run_layout::to_string(column.better), " | ", column.aggregation, " | ",
                column.description, " |\n");
  }
  return text;
}

TEST(Schema, DocumentHasExactlyTheRecordedColumns) {
  for (const auto& [group, columns] : run_layout::all_columns())
    test::expect_documented("results/SCHEMA.md", cat("## `", group, "`:"), table_of(columns));
}

TEST(Schema, EveryColumnHasUnitAndDescriptionAndNoNameTwice) {
  for (const auto& [group, columns] : run_layout::all_columns()) {
    std::vector<std::string> names;
    for (const auto& column : columns) {
      EXPECT_FALSE(column.unit.empty() || column.description.empty()) << column.name;
      EXPECT_FALSE(column.aggregation.empty()) << column.name;
      EXPECT_EQ(std::count(names.begin(), names.end(), column.name), 0) << column.name;
      names.emplace_back(column.name);
      const bool is_seconds = column.name.ends_with("_s") && !column.name.ends_with("_per_s");
      EXPECT_EQ(is_seconds, column.unit == "s") << column.name;
      EXPECT_EQ(column.name.ends_with("_bytes"), column.unit == "bytes") << column.name;
    }
  }
}

}  // namespace
}  // namespace scalestudy
