#pragma once
/// A record in memory becomes the file that it would be read from.

#include <vector>

#include "record/run_file/run_file.hpp"

namespace scalestudy {

/// Writes `record.file`: closed, unless it is called run.h5.part.
inline void write_record(const RunRecord& record) {
  auto part = record.file;
  const bool is_open = part.extension() == ".part";
  if (!is_open) part += ".part";
  auto header = record.header;
  if (!is_open) header.status = RunStatus::running;
  {
    const auto& steps = record.steps;
    RunFileWriter writer(part, header, steps.ranks());
    writer.write_settings(record.requested_settings, record.resolved_settings,
                          record.effective_settings);
    writer.write_environment(record.environment);
    std::vector<StepRow> rows;
    for (std::int64_t rank = 0; rank < steps.ranks(); ++rank)
      for (std::int64_t step = 0; step < steps.steps(); ++step)
        rows.push_back(steps.row(rank, step));
    writer.append_steps(steps.steps(), rows);
    for (const auto& row : record.epochs) writer.append_epoch(row);
    for (const auto& row : record.evaluations) writer.append_evaluation(row);
    writer.append_evaluated_samples(record.evaluated_samples);
    writer.append_buckets(record.buckets);
    for (const auto& row : record.ranks) writer.append_rank(row);
    for (const auto& row : record.events) writer.append_event(row);
    writer.append_probe(record.probe);
    writer.append_monitor(record.monitor);
    writer.append_collectives(record.collectives);
    for (const auto& panel : record.panels) writer.write_panel(panel);
    for (const auto& column : columns_of<SummaryRow>)
      if (const auto value = record.summary_value(column)) writer.write_summary(column, *value);
    writer.flush();
  }
  if (is_open) return;
  Closing closing;
  closing.status = record.header.status;
  closing.reason = record.header.reason;
  closing.failed_rank = record.header.failed_rank;
  closing.failed_phase = record.header.failed_phase;
  close_run_file(part, closing);
}

}  // namespace scalestudy
