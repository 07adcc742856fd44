/// What recording takes of a step in which nothing happens (timeline_benchmark.cpp: of real ones).

#include <benchmark/benchmark.h>

#include "record/machine/thread_load.hpp"

#include "engine/phase_timeline.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t steps_per_block = 1000;  ///< between two looks at the marks

/// One iteration: the marks of a step and of all its phases, with heartbeat, and its share of
/// turning a thousand steps' marks into seconds.
void empty_step(benchmark::State& state) {
  const TemporaryFolder folder;
  HostClock clock;
  Heartbeat heartbeat(heartbeat_file(folder.path(), 0));
  PhaseTimeline timeline(clock, &heartbeat);
  while (state.KeepRunningBatch(steps_per_block)) {
    for (std::int64_t step = 0; step < steps_per_block; ++step) {
      timeline.begin_step(step);
      for (std::size_t p = 0; p < phase_count; ++p) (void)timeline.phase(static_cast<Phase>(p));
      timeline.end_step();
    }
    benchmark::DoNotOptimize(timeline.take_finished());
  }
}
BENCHMARK(empty_step);

/// One iteration: one of the two looks at its thread that a step takes.
void read_thread_load(benchmark::State& state) {
  const ThreadLoadMeter meter;
  for (auto _ : state) benchmark::DoNotOptimize(meter.read());
}
BENCHMARK(read_thread_load);

}  // namespace
}  // namespace scalestudy
