#pragma once
/// A run in memory whose phases fill its steps, with two buckets a step.

#include "record/run_file/run_record.hpp"

namespace scalestudy {

inline constexpr double traced_step_s = 0.1;

inline void fill_step(RunRecord& run, std::int64_t rank, std::int64_t step) {
  const auto at = static_cast<std::size_t>(rank * run.steps.steps() + step);
  const double start_s = 1 + traced_step_s * double(step) + 0.001 * double(rank);
  const auto set = [&](StepColumn column, double value) { run.steps.values(column)[at] = value; };
  set(&StepRow::start_s, start_s);
  set(&StepRow::step_s, 0.09);
  set(&StepRow::input_wait_s, 0.005);
  set(&StepRow::forward_s, 0.02);
  set(&StepRow::backward_s, 0.04);
  set(&StepRow::ready_s, start_s + 0.065);
  set(&StepRow::peer_wait_s, 0.002);
  set(&StepRow::exposed_transfer_s, 0.008);
  set(&StepRow::released_s, start_s + 0.075);
  set(&StepRow::optimizer_s, 0.01);
  set(&StepRow::recording_s, 0.001);
  for (std::int64_t bucket = 0; bucket < 2; ++bucket) {
    const double entered_s = 0.05 + 0.013 * double(bucket);
    run.buckets.push_back({.rank = rank,
                           .step = step,
                           .bucket = bucket,
                           .size_bytes = 1000 * (bucket + 1),
                           .ready_s = entered_s - 0.001,
                           .entered_s = entered_s,
                           .all_arrived_s = entered_s + 0.002,
                           .left_s = entered_s + 0.012});
  }
}

inline RunRecord traced_run(std::int64_t ranks, std::int64_t steps) {
  RunRecord run;
  run.header.run_id = "traced";
  run.resolved_settings = "{}";
  run.steps = StepTable(ranks, steps);
  for (const auto& column : columns_of<StepRow>)
    run.steps.values(column).assign(static_cast<std::size_t>(ranks * steps), not_recorded);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    RankRow row;
    row.host = "here";
    row.device = "cpu";
    row.clock_offset_error_s = 1e-6 * double(rank);
    run.ranks.push_back(row);
    for (std::int64_t step = 0; step < steps; ++step) fill_step(run, rank, step);
  }
  return run;
}

}  // namespace scalestudy
