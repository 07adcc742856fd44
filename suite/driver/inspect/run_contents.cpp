#include "driver/inspect/run_contents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"

#include "record/run_layout.hpp"
#include "record/study_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

ColumnContents describe_numbers(const Column& column, std::vector<double> values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  ColumnContents contents{column, none, none, none, std::ssize(values), ""};
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  contents.missing_count -= std::ssize(values);
  if (values.empty()) return contents;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  contents.least = *least;
  contents.most = *most;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  contents.median = *middle;
  return contents;
}

ColumnContents describe_texts(const Column& column, const std::vector<std::string>& texts) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {column, none, none, none, 0, texts.empty() ? "" : texts.front()};
}

TableContents steps_of(const RunRecord& record) {
  TableContents table{"/steps", {record.steps.ranks(), record.steps.steps()}, {}};
  for (const auto& column : step_column::all()) {
    table.columns.push_back(describe_numbers(column, record.steps.values(column)));
  }
  return table;
}

TableContents table_of(const run_layout::TableLayout& layout, const Table& values) {
  TableContents table{std::string(layout.group), {static_cast<std::int64_t>(values.rows())}, {}};
  for (const auto& column : layout.columns()) {
    if (values.texts.contains(column.name)) {
      table.columns.push_back(describe_texts(column, values.text(column)));
    } else if (values.numbers.contains(column.name)) {
      table.columns.push_back(describe_numbers(column, values.values(column)));
    }
  }
  return table;
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
  const auto runs = StudyFolder(folder).run_ids();
  if (!runs.empty()) {
    throw BadInput(
        {cat("'", folder.string(), "' is the folder of a study with ", runs.size(), " runs"),
         "only one run can be inspected at a time",
         cat("Name one of them, e.g. ", (folder / "runs" / runs.front()).string(),
             ", or use scalestudy status")});
  }
  throw BadInput({cat("'", folder.string(), "' holds neither run.h5 nor run.h5.part"),
                  "there is no run to inspect", "Name a run file, or DIR/runs/RUN of a study"});
}

}  // namespace

std::vector<TableContents> contents_of(const RunRecord& record) {
  std::vector<TableContents> tables{steps_of(record)};
  for (const auto& layout : run_layout::tables) {
    tables.push_back(table_of(layout, record.*layout.member));
  }
  return tables;
}

fs::path find_run_file(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  if (auto file = run_file_in(path)) return std::move(*file);
  refuse_folder(path);
}

}  // namespace scalestudy
