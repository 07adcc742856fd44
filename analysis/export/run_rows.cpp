#include "analysis/export/run_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "record/measures/validity.hpp"

namespace scalestudy {
namespace {

ExportCell cell(double value) {
  if (std::isnan(value)) return std::monostate{};
  return value;
}

template <class Row>
ExportCell cell(const Row& row, const RowColumn<Row>& column) {
  return std::visit(
      [&](auto member) -> ExportCell {
        if constexpr (std::is_same_v<decltype(member), double Row::*>)
          return cell(row.*member);
        else
          return row.*member;
      },
      column.field);
}

template <class Row>
ExportTable table_of(const std::vector<std::string>& places) {
  ExportTable table{std::string(Row::group.substr(1)), {"run_id"}};  // "steps" of "/steps"
  table.columns.insert(table.columns.end(), places.begin(), places.end());
  for (const auto& column : columns_of<Row>) table.columns.emplace_back(column.name);
  return table;
}

class RowVisit {
 public:
  RowVisit(const RunRecord& record, const StepRange& steps, const RowTaker& take)
      : record_(record), steps_(steps), take_(take) {}

  void visit_run() const;
  void visit_steps() const;

  /// `place`: the name of the rows' number, or "" where a column has it.
  template <class Row>
  void visit(const std::vector<Row>& rows, const std::string& place) const {
    const auto table =
        table_of<Row>(place.empty() ? std::vector<std::string>() : std::vector{place});
    std::set<std::string_view> absent;
    for (const auto& column : columns_of<Row>)
      if (record_.absent_columns.contains(cat(Row::group, '/', column.name)))
        absent.insert(column.name);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if constexpr (std::is_same_v<Row, BucketRow>)
        if (!steps_.contains(rows[i].step)) continue;
      std::vector<ExportCell> cells{record_.header.run_id};
      if (!place.empty()) cells.emplace_back(static_cast<std::int64_t>(i));
      for (const auto& column : columns_of<Row>)
        cells.push_back(absent.contains(column.name) ? ExportCell() : cell(rows[i], column));
      take_(table, cells);
    }
  }

 private:
  const RunRecord& record_;
  const StepRange& steps_;
  const RowTaker& take_;
};

void RowVisit::visit_run() const {
  ExportTable table{"runs", {}};
  std::vector<ExportCell> cells;
  const auto add = [&](std::string_view name, ExportCell value) {
    table.columns.emplace_back(name);
    cells.push_back(std::move(value));
  };
  const auto& header = record_.header;
  const auto spec = run_spec_from_json_text(record_.resolved_settings, record_.file.string());
  add("run_id", header.run_id);
  add("study", spec.study);
  add("workload", spec.workload);
  add("ranks", spec.ranks);
  add("repeat", spec.repeat);
  add("control_arm", spec.control_arm ? std::string(to_string(*spec.control_arm)) : "");
  add("scaling_rule", std::string(to_string(spec.scaling_rule)));
  add("reduction", std::string(to_string(spec.reduction)));
  add("input", std::string(to_string(spec.input)));
  add("global_batch_size", spec.plan.global_batch_size);
  add("build_id", header.build_id);
  add("status", std::string(to_string(header.status)));
  add("reason", header.reason);
  add("labels", join(header.labels, " "));
  add("validity_codes", join(validity_codes_of(record_, spec), " "));
  add("data_warnings", join(header.data_warnings, "; "));
  for (const auto& column : columns_of<SummaryRow>) {
    const auto value = record_.summary_value(column);
    add(column.name, value ? cell(*value) : ExportCell());
  }
  add("requested_settings", record_.requested_settings);
  add("resolved_settings", record_.resolved_settings);
  add("effective_settings", record_.effective_settings);
  add("environment", record_.environment);
  take_(table, cells);
}

void RowVisit::visit_steps() const {
  const auto table = table_of<StepRow>({"rank", "step"});
  const auto& steps = record_.steps;
  const auto end = std::min(steps_.end, steps.steps());
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
    for (std::int64_t step = std::max<std::int64_t>(steps_.first, 0); step < end; ++step) {
      std::vector<ExportCell> cells{record_.header.run_id, rank, step};
      for (const auto& column : columns_of<StepRow>)
        cells.push_back(cell(steps.at(column, rank, step)));
      take_(table, cells);
    }
  }
}

}  // namespace

void visit_rows(const RunRecord& record, const StepRange& steps, const RowTaker& take) {
  const RowVisit visit(record, steps, take);
  visit.visit_run();
  visit.visit_steps();
  visit.visit(record.epochs, "epoch");
  visit.visit(record.evaluations, "");
  visit.visit(record.evaluated_samples, "");
  visit.visit(record.ranks, "rank");
  visit.visit(record.buckets, "");
  visit.visit(record.events, "");
  visit.visit(record.probe, "");
  visit.visit(record.monitor, "");
  visit.visit(record.collectives, "");
}

}  // namespace scalestudy
