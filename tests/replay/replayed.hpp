#pragma once
/// A replay whose ranks are threads of the test in virtual time, and what it recorded.

#include <algorithm>
#include <chrono>
#include <sstream>

#include <gtest/gtest.h>

#include "record/run_file/run_file.hpp"

#include "engine/epoch_loop.hpp"

#include "tests/replay/planted.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/support/virtual_time.hpp"
#include "workloads/replay/replay_training.hpp"

namespace scalestudy {

inline RunRecord replayed(const RunSpec& spec, std::chrono::nanoseconds sleeps_late_by = {}) {
  const bool is_spoilt = std::ranges::any_of(
      spec.injections, [](const Injection& one) { return one.fault == Fault::nan; });
  const TemporaryFolder folder;
  const auto ranks = spec.ranks;
  RunFileWriter writer(folder / "run.h5.part", RunHeader{.run_id = "replay"}, ranks);
  writer.write_settings("{}", "{}", "{}");
  writer.write_environment("{}");
  const test::VirtualTime time(sleeps_late_by);
  HostClock clock;  // of all ranks, as the training clocks of one host have one zero
  on_ranks(ranks, [&](const Communicator& comm) {
    Heartbeat heartbeat(heartbeat_file(folder.path(), comm.rank().value()));
    std::ostringstream text;
    Log log(text, Verbosity::quiet);
    RankServices services{spec,         make_rank_communicators(comm, spec),
                          clock,        comm.is_root() ? &writer : nullptr,
                          heartbeat,    log,
                          folder.path()};
    replay::ReplayTraining training(services);
    EXPECT_EQ(EpochLoop(services, training).run({}).diverged, is_spoilt);
  });
  writer.flush();
  return read_run_file(folder / "run.h5.part");
}

/// A nanosecond of each of the few sleeps of a step.
inline constexpr double rounding_s = 1e-8;

/// In each step after the first ones.
inline void expect_gains(const Cause& cause,
                         const Replay& replayed,
                         const std::vector<Gain>& gains) {
  const auto with = replayed(cause);
  const auto without = replayed(cause.left_out());
  for (const auto& gain : gains) {
    const double expected_s = gain.expected_s(without);
    for (std::int64_t step = first_counted; step < steps; ++step)
      ASSERT_NEAR(with.steps.at(gain.column, gain.rank, step) -
                      without.steps.at(gain.column, gain.rank, step),
                  expected_s, rounding_s)
          << cause.name << ": " << gain.column->name << " of rank " << gain.rank << ", step "
          << step;
  }
}

/// What both passes of a rank took in a step.
inline double passes_s(const RunRecord& run, std::int64_t rank, std::int64_t step) {
  return run.steps.at(&StepRow::forward_s, rank, step) +
         run.steps.at(&StepRow::backward_s, rank, step);
}

}  // namespace scalestudy
