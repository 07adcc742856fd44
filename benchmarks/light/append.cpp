/// Handing rows of a run to run.h5, as rank 0 does about once a second.

#include <vector>

#include <benchmark/benchmark.h>

#include "core/ids.hpp"

#include "record/run_file/run_file.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t steps_per_block = 20;
constexpr std::int64_t buckets_per_step = 5;  ///< as many as ResNet50 has

/// Numbers that differ, as a file of equal ones could be written faster.
std::vector<StepRow> step_rows(std::int64_t ranks) {
  std::vector<StepRow> rows(static_cast<std::size_t>(ranks * steps_per_block));
  double value = 0;
  for (auto& row : rows)
    for (const StepColumn column : columns_of<StepRow>) set_number(row, *column, value += 1);
  return rows;
}

std::vector<BucketRow> bucket_rows(std::int64_t ranks) {
  std::vector<BucketRow> rows;
  for (std::int64_t step = 0; step < steps_per_block; ++step)
    for (std::int64_t rank = 0; rank < ranks; ++rank)
      for (std::int64_t bucket = 0; bucket < buckets_per_step; ++bucket)
        rows.push_back({.rank = rank, .step = step, .bucket = bucket, .size_bytes = mib});
  return rows;
}

/// One iteration: a block of 20 steps with five buckets each, until the operating system has it.
/// Argument: ranks. Their number is fixed, since the file grows.
void append_steps(benchmark::State& state) {
  const std::int64_t ranks = state.range(0);
  const TemporaryFolder folder;
  RunFileWriter writer(folder / "run.h5.part", RunHeader{}, ranks);
  const auto steps = step_rows(ranks);
  const auto buckets = bucket_rows(ranks);
  for (auto _ : state) {
    writer.append_steps(steps_per_block, steps);
    writer.append_buckets(buckets);
    writer.flush();
  }
  state.SetItemsProcessed(state.iterations() * steps_per_block * ranks);
}
BENCHMARK(append_steps)->Arg(1)->Arg(8)->Arg(64)->Iterations(100)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scalestudy
