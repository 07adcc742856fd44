#pragma once
/// Steps by columns, of rows that a test makes.

#include <vector>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// `rows` of all steps of rank 0, then those of rank 1, and so on.
inline StepTable step_table_of(std::int64_t ranks, const std::vector<StepRow>& rows) {
  StepTable table(ranks, std::ssize(rows) / ranks);
  for (const StepColumn column : columns_of<StepRow>) {
    auto& values = table.values(column);
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = number_in(rows[i], *column);
  }
  return table;
}

}  // namespace scalestudy
