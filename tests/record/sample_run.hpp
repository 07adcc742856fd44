#pragma once
/// A small complete run with known values.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/run_file.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {

inline RunHeader sample_header() {
  RunHeader header;
  header.run_id = "noise2void-r2-linear_fixed_samples-bucketed_overlap-rep0-1a2b3c4d";
  header.build_id = "0.1.0+gabcdef01.release";
  header.labels = {"oversubscribed"};
  return header;
}

/// The value of one cell: rank, step and column can be told from it.
inline double sample_step_value(std::int64_t rank, std::int64_t step, std::size_t column) {
  return static_cast<double>(rank) * 1e6 + static_cast<double>(step) * 100 +
         static_cast<double>(column) + 1;
}

inline std::vector<double> sample_steps(std::int64_t ranks,
                                        std::int64_t first,
                                        std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    for (std::int64_t step = first; step < first + count; ++step) {
      for (std::size_t column = 0; column < step_column::all().size(); ++column) {
        values.push_back(sample_step_value(rank, step, column));
      }
    }
  }
  return values;
}

/// Numbers count up from `start`; texts are the column's name, a space, `start` and a µ.
inline Row sample_row(std::span<const Column> columns, double start) {
  Row row;
  for (const auto& column : columns) {
    if (column.storage == Storage::text) {
      row.emplace_back(std::string(column.name) + " " + std::to_string(start) + " µ");
    } else {
      row.emplace_back(start + static_cast<double>(row.size()));
    }
  }
  return row;
}

/// Two ranks, seven steps in two blocks, one or two rows in each table, two panels.
inline void write_sample(RunFileWriter& writer) {
  writer.write_settings(R"({"a": "requested"})", R"({"a": "resolved"})", R"({"a": "µ"})");
  writer.write_environment(R"({"host": "somewhere"})");
  writer.append_steps(4, sample_steps(2, 0, 4));
  writer.append_steps(3, sample_steps(2, 4, 3));
  writer.append_epoch(sample_row(epoch_column::all(), 0.5));
  writer.append_epoch(sample_row(epoch_column::all(), 1.5));
  writer.append_evaluation(sample_row(evaluation_column::all(), 3));
  const std::vector<double> buckets{0, 0, 0, 4096, 0.1, 0.2, 0.3, 1, 0, 0, 4096, 0.4, 0.5, 0.6};
  writer.append_bucket_rows(buckets);
  writer.append_rank(sample_row(rank_column::all(), 10));
  writer.append_rank(sample_row(rank_column::all(), 20));
  writer.append_event(sample_row(event_column::all(), -1));
  writer.write_panel({"input", 2, 3, {0.F, 1.F, 2.F, 3.F, 4.F, -5.5F}});
  writer.write_panel({"prediction", 1, 1, {7.F}});
  writer.write_summary(summary_column::samples_per_s, 251.25);
  writer.write_summary(summary_column::steady_start_step, 5);
  writer.flush();
}

inline Closing complete_closing() {
  Closing closing;
  closing.status = RunStatus::complete;
  closing.launch_wall_time_s = 12.5;
  closing.extra_labels = {"resumed", "oversubscribed"};
  return closing;
}

/// A closed run file in `folder`.
inline std::filesystem::path make_sample_run(const TemporaryFolder& folder) {
  const auto part = folder / "run.h5.part";
  {
    RunFileWriter writer(part, sample_header(), 2);
    write_sample(writer);
  }
  return close_run_file(part, complete_closing());
}

}  // namespace scalestudy
