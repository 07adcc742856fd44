#pragma once
/// What stands in a run file: every table with its columns, units and the range of their values.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// One column. Numbers: the range of all its finite values, NaN when it has none.
struct ColumnContents {
  Column column;
  double least = not_recorded;
  double median = not_recorded;
  double most = not_recorded;
  std::int64_t missing_count = 0;  ///< values that are no finite number
  std::string first_text;          ///< text columns: the first value
};

struct TableContents {
  std::string group;                ///< "/steps"
  std::vector<std::int64_t> shape;  ///< {ranks, steps}, else {rows}
  std::vector<ColumnContents> columns;
};

/// Steps, then the tables. Columns of tables that the file does not have are left out; those of
/// steps have no values.
[[nodiscard]] std::vector<TableContents> contents_of(const RunRecord& record);

/// The run file that a user means by a file, or by the folder of one run.
/// Errors: BadInput when there is none, naming the runs of a study folder.
[[nodiscard]] std::filesystem::path find_run_file(const std::filesystem::path& path);

}  // namespace scalestudy
