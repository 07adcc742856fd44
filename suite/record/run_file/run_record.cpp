#include "record/run_file/run_record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "core/text.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_file/run_layout.hpp"

namespace scalestudy {
namespace {

template <class Fold>
std::vector<double> over_ranks(const StepTable& table, StepColumn column, double start, Fold fold) {
  const auto steps = static_cast<std::size_t>(table.steps());
  std::vector<double> result(steps, start);
  if (table.ranks() == 0 || steps == 0) return result;
  const auto& values = table.values(column);
  for (std::size_t i = 0; i < values.size(); ++i)
    result[i % steps] = fold(result[i % steps], values[i]);
  return result;
}

}  // namespace

bool RunHeader::has_label(RunLabel label) const {
  return contains(labels, label);
}

std::vector<double> StepTable::max_over_ranks(StepColumn column) const {
  return over_ranks(*this, column, -std::numeric_limits<double>::infinity(),
                    [](double a, double b) { return std::isnan(b) ? b : std::max(a, b); });
}

std::vector<double> StepTable::sum_over_ranks(StepColumn column) const {
  return over_ranks(*this, column, 0.0, std::plus<>());
}

std::vector<double> StepTable::mean_over_ranks(StepColumn column) const {
  auto result = sum_over_ranks(column);
  for (auto& value : result) value /= static_cast<double>(ranks_);
  return result;
}

std::vector<double> StepTable::global_loss() const {
  const auto weights = sum_over_ranks(&StepRow::loss_weight);
  std::vector<double> result(weights.size(), 0.0);
  for (std::int64_t step = 0; step < steps_; ++step) {
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      const double weight = at(&StepRow::loss_weight, rank, step);
      // A rank without samples has weight 0 and no loss; its NaN must not count.
      if (weight > 0) {
        result[static_cast<std::size_t>(step)] += weight * at(&StepRow::loss, rank, step);
      }
    }
    result[static_cast<std::size_t>(step)] /= weights[static_cast<std::size_t>(step)];
  }
  return result;
}

StepRow StepTable::row(std::int64_t rank, std::int64_t step) const {
  StepRow row;
  for (const auto& column : columns_of<StepRow>) set_number(row, column, at(column, rank, step));
  return row;
}

std::vector<double>& StepTable::values(StepColumn column) {
  auto& values = columns_[column.index()];
  if (!values) values.emplace(static_cast<std::size_t>(ranks_ * steps_), not_recorded);
  return *values;
}

void StepTable::fail_without(StepColumn column) {
  throw InternalError({cat("/steps/", column->name, " was not recorded in this table"),
                       "a column is asked for that its maker never filled in",
                       "Please report it with the command that led here"});
}

std::optional<double> known_value(const SummaryRow& summary, ColumnOf<SummaryRow> column) {
  const double value = number_in(summary, *column);
  const bool is_known = column->storage == Storage::int64 ? value >= 0 : !std::isnan(value);
  return is_known ? std::optional(value) : std::nullopt;
}

namespace run_layout {
namespace {

template <class Row>
GroupColumns group_of() {
  return {Row::group, {columns_of<Row>.begin(), columns_of<Row>.end()}};
}

}  // namespace

std::vector<GroupColumns> all_columns() {
  std::vector<GroupColumns> all{group_of<SummaryRow>(), group_of<StepRow>()};
  for_each_table([&]<class Row>(std::vector<Row> RunRecord::*) { all.push_back(group_of<Row>()); });
  return all;
}

std::string former_path(const std::string& path) {
  if (path == path_of(BucketRow::group, column_of(&BucketRow::entered_s).name))
    return path_of(BucketRow::group, "start_s");
  if (path == path_of(BucketRow::group, column_of(&BucketRow::left_s).name))
    return path_of(BucketRow::group, "end_s");
  return path;
}

std::string path_of(std::string_view group, std::string_view name) {
  return cat(group, "/", name);
}

std::string_view to_string(Better better) {
  if (better == Better::higher) return "higher";
  return better == Better::lower ? "lower" : "none";
}

void describe(std::int64_t dataset, const Column& column) {
  const auto write = [&](const char* name, std::string_view text) {
    hdf5::write_attribute(dataset, name, std::string(text));
  };
  write("unit", column.unit);
  write("description", column.description);
  write("better", to_string(column.better));
  write("aggregation", column.aggregation);
}

}  // namespace run_layout

bool is_in_own_folder(const RunFacts& run) {
  return std::filesystem::absolute(run.file).parent_path().filename() == run.header.run_id;
}

void require_own_folder(const RunFacts& run) {
  if (is_in_own_folder(run)) return;
  throw BadInput({cat(run.file.string(), " is the file of run ", run.header.run_id),
                  "it would count as a run that never was",
                  cat("Put it back into its own folder, runs/", run.header.run_id)});
}

}  // namespace scalestudy
