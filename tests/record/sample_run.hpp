#pragma once
/// A small complete run with known values.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/run_file/run_file.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {

inline RunHeader sample_header() {
  RunHeader header;
  header.run_id = "noise2void-r2-linear_fixed_samples-bucketed_overlap-rep0-1a2b3c4d";
  header.build_id = "0.1.0+gabcdef01.release";
  header.labels = {"oversubscribed", "resumed"};
  return header;
}

/// The value of one cell: rank, step and column can be told from it.
inline double sample_step_value(std::int64_t rank, std::int64_t step, StepColumn column) {
  return static_cast<double>(rank) * 1e6 + static_cast<double>(step) * 100 +
         static_cast<double>(column.index()) + 1;
}

inline std::vector<StepRow> sample_steps(std::int64_t ranks,
                                         std::int64_t first,
                                         std::int64_t count) {
  std::vector<StepRow> rows;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    for (std::int64_t step = first; step < first + count; ++step) {
      auto& row = rows.emplace_back();
      for (const StepColumn column : columns_of<StepRow>)
        set_number(row, *column, sample_step_value(rank, step, column));
    }
  }
  return rows;
}

/// Numbers count up from `start`; texts are the column's name, a space, `start` and a µ.
template <class Row>
Row sample_row(double start) {
  Row row;
  for (const auto& column : columns_of<Row>) {
    if (const auto* text = std::get_if<std::string Row::*>(&column.field))
      row.** text = std::string(column.name) + " " + std::to_string(start) + " µ";
    else
      set_number(row, column, start + static_cast<double>(ColumnOf<Row>(column).index()));
  }
  return row;
}

/// Two ranks, seven steps in two blocks, one or two rows in each table, two panels.
inline void write_sample(RunFileWriter& writer) {
  writer.write_settings(R"({"a": "requested"})", R"({"a": "resolved"})", R"({"a": "µ"})");
  writer.write_environment(R"({"host": "somewhere"})");
  writer.append_steps(4, sample_steps(2, 0, 4));
  writer.append_steps(3, sample_steps(2, 4, 3));
  writer.append_epoch(sample_row<EpochRow>(0.5));
  writer.append_epoch(sample_row<EpochRow>(1.5));
  writer.append_evaluation(sample_row<EvaluationRow>(3));
  writer.append_buckets(std::vector<BucketRow>{{.rank = 0,
                                                .step = 0,
                                                .bucket = 0,
                                                .size_bytes = 4096,
                                                .ready_s = 0.1,
                                                .entered_s = 0.2,
                                                .left_s = 0.3},
                                               {.rank = 1,
                                                .step = 0,
                                                .bucket = 0,
                                                .size_bytes = 4096,
                                                .ready_s = 0.4,
                                                .entered_s = 0.5,
                                                .left_s = 0.6}});
  writer.append_rank(sample_row<RankRow>(10));
  writer.append_rank(sample_row<RankRow>(20));
  writer.append_event(sample_row<EventRow>(-1));
  writer.append_probe(std::vector{sample_row<ProbeRow>(0)});
  writer.append_monitor(std::vector{sample_row<MonitorRow>(0), sample_row<MonitorRow>(1)});
  writer.append_collectives(std::vector{sample_row<CollectiveRow>(1)});
  writer.write_panel({"input", 2, 3, {0.F, 1.F, 2.F, 3.F, 4.F, -5.5F}});
  writer.write_panel({"prediction", 1, 1, {7.F}});
  writer.write_summary(&SummaryRow::samples_per_s, 251.25);
  writer.write_summary(&SummaryRow::steady_start_step, 5);
  writer.flush();
}

inline Closing complete_closing() {
  Closing closing;
  closing.status = RunStatus::complete;
  closing.summary.launch_wall_time_s = 12.5;
  return closing;
}

/// A run file in `folder` that is not closed yet.
inline std::filesystem::path make_open_sample_run(const TemporaryFolder& folder) {
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 2);
  write_sample(writer);
  return part;
}

/// A closed run file in `folder`.
inline std::filesystem::path make_sample_run(const TemporaryFolder& folder) {
  return close_run_file(make_open_sample_run(folder), complete_closing());
}

}  // namespace scalestudy
