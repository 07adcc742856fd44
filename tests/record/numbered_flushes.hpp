#pragma once
/// A run whose flushes can be told from each other: each adds a row or more to every table.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "record/run_file/run_layout.hpp"

#include "tests/record/sample_run.hpp"

namespace scalestudy {

inline constexpr std::int64_t numbered_ranks = 2;
inline constexpr std::int64_t numbered_steps = 3;  ///< a flush

inline std::string numbered_text(std::int64_t flush) {
  return R"({"flush": )" + std::to_string(flush) + "}";
}

/// Of a rank or an epoch that there is, where a row has one.
template <class Row>
Row numbered_row(std::int64_t flush) {
  auto row = sample_row<Row>(static_cast<double>(flush));
  if constexpr (requires { row.rank; }) row.rank = flush % numbered_ranks;
  return row;
}

inline void write_flush(RunFileWriter& writer, std::int64_t flush) {
  const auto text = numbered_text(flush);
  writer.write_settings(text, text, text);
  writer.write_environment(text);
  writer.append_steps(numbered_steps,
                      sample_steps(numbered_ranks, flush * numbered_steps, numbered_steps));
  writer.append_epoch(numbered_row<EpochRow>(flush));
  writer.append_evaluation(numbered_row<EvaluationRow>(flush));
  writer.append_evaluated_samples(std::vector{numbered_row<SampleRow>(flush)});
  writer.append_buckets(std::vector{numbered_row<BucketRow>(flush)});
  if (flush < numbered_ranks) writer.append_rank(numbered_row<RankRow>(flush));
  writer.append_event(numbered_row<EventRow>(flush));
  writer.append_probe(std::vector{numbered_row<ProbeRow>(flush)});
  writer.append_monitor(std::vector{numbered_row<MonitorRow>(flush)});
  writer.append_collectives(std::vector{numbered_row<CollectiveRow>(flush)});
  writer.write_panel({"input-" + std::to_string(flush), 1, 1, {static_cast<float>(flush)}});
  writer.write_summary(&SummaryRow::final_loss, static_cast<double>(flush));
  writer.set_status(RunStatus::running, text);
  writer.flush();
}

template <class Row>
void expect_numbered(const std::vector<Row>& rows, std::size_t count) {
  ASSERT_EQ(rows.size(), count) << Row::group;
  for (std::size_t flush = 0; flush < count; ++flush) {
    const auto expected = numbered_row<Row>(static_cast<std::int64_t>(flush));
    for (const auto& column : columns_of<Row>)
      std::visit([&](auto field) { ASSERT_EQ(rows[flush].*field, expected.*field) << column.name; },
                 column.field);
  }
}

/// That the run has what at least `least` flushes wrote, and all of the last one.
inline void expect_flushes(const RunRecord& run, std::int64_t least) {
  const auto flushes = std::ssize(run.events);
  ASSERT_GE(flushes, least);
  ASSERT_GE(flushes, 1);
  ASSERT_EQ(run.steps.ranks(), numbered_ranks);
  ASSERT_EQ(run.steps.steps(), flushes * numbered_steps);
  for (const StepColumn column : columns_of<StepRow>)
    for (std::int64_t rank = 0; rank < numbered_ranks; ++rank)
      for (std::int64_t step = 0; step < run.steps.steps(); ++step)
        ASSERT_EQ(run.steps.at(column, rank, step), sample_step_value(rank, step, column));
  run_layout::for_each_table([&]<class Row>(std::vector<Row> RunRecord::*rows) {
    const auto count = std::is_same_v<Row, RankRow> ? std::min(flushes, numbered_ranks) : flushes;
    expect_numbered(run.*rows, static_cast<std::size_t>(count));
  });
  for (const auto& text : run_layout::texts)
    EXPECT_EQ(run.*text.member, numbered_text(flushes - 1)) << text.path;
  ASSERT_EQ(std::ssize(run.panels), flushes);
  for (std::int64_t flush = 0; flush < flushes; ++flush)
    EXPECT_EQ(run.panels[static_cast<std::size_t>(flush)].pixels.at(0), static_cast<float>(flush));
  EXPECT_EQ(run.summary.final_loss, static_cast<double>(flushes - 1));
}

}  // namespace scalestudy
