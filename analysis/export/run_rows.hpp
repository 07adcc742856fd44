#pragma once
/// A run's recorded tables as rows of cells, for files that other programs read.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// Nothing: not recorded.
using ExportCell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// From `first` up to `end`, which is not among them.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] bool contains(std::int64_t step) const { return step >= first && step < end; }
};

struct ExportTable {
  std::string name;                  ///< "steps": that of its group in the run file
  std::vector<std::string> columns;  ///< "run_id" first, then what the place in the file says
};

using RowTaker = std::function<void(const ExportTable&, const std::vector<ExportCell>&)>;

/// Table "runs" (one row: what is known of the run as a whole, /summary and the settings), then
/// each table of results/SCHEMA.md but /panels; of /steps and /buckets only the steps in `steps`.
/// Columns that the file was written without hold nothing.
void visit_rows(const RunRecord& record, const StepRange& steps, const RowTaker& take);

}  // namespace scalestudy
