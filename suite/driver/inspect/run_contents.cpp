#include "driver/inspect/run_contents.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "record/run_file/run_layout.hpp"
#include "record/study_folder/study_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

ColumnContents describe_numbers(const Column& column, std::vector<double> values) {
  ColumnContents contents{.column = column, .missing_count = std::ssize(values)};
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  contents.missing_count -= std::ssize(values);
  if (values.empty()) return contents;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  contents.least = *least;
  contents.most = *most;
  contents.median = median(std::move(values));
  return contents;
}

TableContents steps_of(const RunRecord& record) {
  TableContents table{
      std::string(StepRow::group), {record.steps.ranks(), record.steps.steps()}, {}};
  for (const auto& column : columns_of<StepRow>) {
    table.columns.push_back(describe_numbers(column, record.steps.values(column)));
  }
  return table;
}

template <class Row>
ColumnContents describe(const RowColumn<Row>& column, const std::vector<Row>& rows) {
  if (const auto* text = std::get_if<std::string Row::*>(&column.field))
    return {.column = column, .first_text = rows.empty() ? "" : rows.front().**text};
  std::vector<double> numbers;
  for (const auto& row : rows) numbers.push_back(number_in(row, column));
  return describe_numbers(column, std::move(numbers));
}

template <class Row>
TableContents table_of(const std::vector<Row>& rows, const RunRecord& record) {
  TableContents table{std::string(Row::group), {std::ssize(rows)}, {}};
  for (const auto& column : columns_of<Row>) {
    const auto path = run_layout::path_of(Row::group, column.name);
    if (!record.absent_columns.contains(path)) table.columns.push_back(describe(column, rows));
  }
  return table;
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
  const auto runs = StudyFolder(folder).run_ids();
  if (!runs.empty()) {
    throw BadInput(
        {cat("'", folder.string(), "' is the folder of a study with ", counted(runs.size(), "run")),
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
  run_layout::for_each_table([&](auto rows) { tables.push_back(table_of(record.*rows, record)); });
  return tables;
}

fs::path find_run_file(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  if (auto file = run_file_in(path)) {
    require_inside(path, *file);
    return std::move(*file);
  }
  refuse_folder(path);
}

}  // namespace scalestudy
