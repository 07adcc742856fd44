#include "analysis/report/study/run_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

constexpr std::array learned{MeasureKind::learning, MeasureKind::quality, MeasureKind::baseline};

std::string validity_text(const Run& run) {
  if (!run.validity_codes.empty()) return "INVALID: " + join(run.validity_codes, ", ");
  return run.is_data() ? "valid" : "no data";
}

/// Qualities stand in a table of their own on the page.
void add_columns(ReportTable& table, MeasureKind kind) {
  const bool has_label = kind == MeasureKind::timing || kind == MeasureKind::learning;
  for (const Measure& measure : measures())
    if (measure.kind == kind)
      table.columns.push_back({std::string(measure.column->name), std::string(measure.label), true,
                               has_label && !measure.label.empty()});
}

TableCell measure_cell(const Measure& measure, double value) {
  if (measure.column->unit == "s") return shown_cell(duration(value), value);
  if (measure.column->storage == Storage::int64 && std::isfinite(value))
    return integer_cell(static_cast<std::int64_t>(value));
  return number_cell(value, 4);
}

void add_cells(std::vector<TableCell>& row, const Run& run, MeasureKind kind) {
  for (const Measure& measure : measures())
    if (measure.kind == kind)
      row.push_back(
          measure_cell(measure, run.is_data() ? run.measures[*measure.column] : not_available));
}

std::string stationary_text(const Run& run) {
  if (!run.is_timing_data()) return "";
  const Stationarity& found = run.measures.steady_window().stationarity;
  return !found.tested ? "too short" : found.is_stationary() ? "yes" : "no";
}

std::vector<TableCell> run_row(const Run& run) {
  const RunHeader& header = run.record.header;
  std::vector<TableCell> row{
      integer_cell(run.spec.ranks),        integer_cell(run.spec.repeat),
      text_cell(to_string(header.status)), text_cell(validity_text(run)),
      text_cell(join(run.labels, ", ")),   integer_cell(run.spec.settings.threads_per_rank),
      integer_cell(run.digest.step_count)};
  add_cells(row, run, MeasureKind::timing);
  row.push_back(text_cell(stationary_text(run)));
  const Stationarity& found = run.measures.steady_window().stationarity;
  for (const double change : {found.stretch_frac, found.drift_frac})
    row.push_back(number_cell(found.tested ? change : not_available));
  for (const auto kind : learned) add_cells(row, run, kind);
  row.push_back(yes_no_cell(run.is_data()));
  row.push_back(text_cell(run.left_out));
  row.push_back(text_cell(header.run_id));
  return row;
}

void add_absent(ReportTable& table, const std::vector<AbsentRun>& runs, const char* status) {
  const auto columns = table.columns.size();
  for (const AbsentRun& run : runs) {
    auto& row = table.rows.emplace_back(columns, text_cell(""));
    row[2] = text_cell(status);
    row[3] = text_cell("no data");
    row[columns - 2] = text_cell(run.reason);
    row[columns - 1] = text_cell(run.name);
  }
}

/// First of all, where there are several.
void add_machines(ReportTable& table, const StudyAnalysis& analysis) {
  if (!analysis.has_several_machines()) return;
  table.columns.insert(table.columns.begin(), {"machine", "machine", false});
  for (auto& row : table.rows) row.insert(row.begin(), text_cell(""));
  const auto& runs = analysis.runs().runs;
  for (std::size_t i = 0; i < runs.size(); ++i)
    table.rows[i].front() = text_cell(words_of_machine(analysis.machines(), runs[i].origin));
}

}  // namespace

ReportTable run_table(const StudyAnalysis& analysis) {
  const RunSet& set = analysis.runs();
  const bool differ_in_threads = std::ranges::any_of(set.runs, [&](const Run& run) {
    return run.spec.settings.threads_per_rank != set.runs.front().spec.settings.threads_per_rank;
  });
  ReportTable table{"runs",
                    "Every run, as data or with the reason why not. Numbers of runs that are no "
                    "data are not shown.",
                    {{"ranks", "ranks"},
                     {"repeat", "repeat"},
                     {"status", "status", false},
                     {"validity", "validity", false},
                     {"labels", "labels", false},
                     {"threads_per_rank", "threads", true, differ_in_threads},
                     {"steps", "steps"}},
                    {}};
  add_columns(table, MeasureKind::timing);
  table.columns.push_back({"stationary", "stationary", false});
  for (const auto* change : {"stretch_frac", "drift_frac"})
    table.columns.push_back(file_number(change));
  for (const auto kind : learned) add_columns(table, kind);
  table.columns.push_back(file_text("is_data"));
  table.columns.push_back({"left_out", "why it is no data", false});
  table.columns.push_back({"run_id", "run", false});
  for (const Run& run : set.runs) table.rows.push_back(run_row(run));
  add_absent(table, set.unreadable, "unreadable");
  add_absent(table, set.copies, "copy");
  add_absent(table, set.without_file, "absent");
  add_machines(table, analysis);
  return table;
}

ReportTable skipped_table(const StudyAnalysis& analysis) {
  ReportTable table{"left-out",
                    "Combinations of the axes that the plan left out.",
                    {{"combination", "combination", false}, {"reason", "reason", false}},
                    {}};
  for (const AbsentRun& run : analysis.runs().skipped) {
    table.rows.push_back({text_cell(run.name), text_cell(run.reason)});
  }
  return table;
}

}  // namespace scalestudy
