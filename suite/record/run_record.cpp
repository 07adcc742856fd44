#include "record/run_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "core/text.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_layout.hpp"

namespace scalestudy {
namespace {

constexpr std::array status_names{
    std::pair{RunStatus::running, "running"},   std::pair{RunStatus::complete, "complete"},
    std::pair{RunStatus::failed, "failed"},     std::pair{RunStatus::timed_out, "timed_out"},
    std::pair{RunStatus::diverged, "diverged"}, std::pair{RunStatus::interrupted, "interrupted"}};

template <class Fold>
std::vector<double> over_ranks(const StepTable& table,
                               const Column& column,
                               double start,
                               Fold fold) {
  std::vector<double> result(static_cast<std::size_t>(table.steps()), start);
  for (std::int64_t rank = 0; rank < table.ranks(); ++rank) {
    for (std::int64_t step = 0; step < table.steps(); ++step) {
      auto& value = result[static_cast<std::size_t>(step)];
      value = fold(value, table.at(column, rank, step));
    }
  }
  return result;
}

}  // namespace

std::string_view to_string(RunStatus status) {
  for (const auto& [value, name] : status_names) {
    if (value == status) return name;
  }
  return "unknown";
}

bool RunHeader::has_label(RunLabel label) const {
  return contains(labels, label);
}

double StepTable::at(const Column& column, std::int64_t rank, std::int64_t step) const {
  SCALESTUDY_EXPECT(rank >= 0 && rank < ranks_ && step >= 0 && step < steps_);
  return values(column).at(static_cast<std::size_t>(rank * steps_ + step));
}

std::vector<double> StepTable::max_over_ranks(const Column& column) const {
  return over_ranks(*this, column, -std::numeric_limits<double>::infinity(),
                    [](double a, double b) { return std::isnan(b) ? b : std::max(a, b); });
}

std::vector<double> StepTable::sum_over_ranks(const Column& column) const {
  return over_ranks(*this, column, 0.0, std::plus<>());
}

std::vector<double> StepTable::mean_over_ranks(const Column& column) const {
  auto result = sum_over_ranks(column);
  for (auto& value : result) value /= static_cast<double>(ranks_);
  return result;
}

std::vector<double> StepTable::global_loss() const {
  const auto weights = sum_over_ranks(step_column::loss_weight);
  std::vector<double> result(weights.size(), 0.0);
  for (std::int64_t step = 0; step < steps_; ++step) {
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      const double weight = at(step_column::loss_weight, rank, step);
      // A rank without samples has weight 0 and no loss; its NaN must not count.
      if (weight > 0) {
        result[static_cast<std::size_t>(step)] += weight * at(step_column::loss, rank, step);
      }
    }
    result[static_cast<std::size_t>(step)] /= weights[static_cast<std::size_t>(step)];
  }
  return result;
}

std::vector<double>& StepTable::values(const Column& column) {
  auto& values = columns_[std::string(column.name)];
  values.resize(static_cast<std::size_t>(ranks_ * steps_),
                std::numeric_limits<double>::quiet_NaN());
  return values;
}

const std::vector<double>& StepTable::values(const Column& column) const {
  const auto found = columns_.find(column.name);
  if (found == columns_.end()) {
    throw InternalError({cat("/steps/", column.name, " was not recorded in this table"),
                         "a column is asked for that its maker never filled in",
                         "Please report it with the command that led here"});
  }
  return found->second;
}

std::size_t Table::rows() const {
  if (!numbers.empty()) return numbers.begin()->second.size();
  return texts.empty() ? 0 : texts.begin()->second.size();
}

const std::vector<double>& Table::values(const Column& column) const {
  static const std::vector<double> nothing;
  const auto found = numbers.find(column.name);
  return found == numbers.end() ? nothing : found->second;
}

const std::vector<std::string>& Table::text(const Column& column) const {
  static const std::vector<std::string> nothing;
  const auto found = texts.find(column.name);
  return found == texts.end() ? nothing : found->second;
}

std::optional<double> RunRecord::summary_value(const Column& column) const {
  const auto found = summary.find(column.name);
  if (found == summary.end()) return std::nullopt;
  return found->second;
}

namespace run_layout {

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

std::optional<RunStatus> status_from_text(std::string_view text) {
  for (const auto& [value, name] : status_names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace run_layout
}  // namespace scalestudy
