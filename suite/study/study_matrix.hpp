#pragma once
/// Study × axes → runs, each resolved; every combination left out is listed with its reason.

#include <span>
#include <string>
#include <vector>

#include "study/environment.hpp"
#include "study/run_spec.hpp"
#include "study/study.hpp"

namespace scalestudy {

struct SkippedRun {
  std::string combination;  ///< "ranks=8, scaling_rule=strong, reduction=bucketed_overlap, …"
  std::string reason;
};

struct StudyMatrix {
  /// In the order in which they are made: block after block, each with one repeat of all. Within a
  /// block the order is random, drawn from settings.seed and the repeat, so that drift favours
  /// none.
  std::vector<RunSpec> runs;
  std::vector<SkippedRun> skipped;
};

/// For lists that people read: the study proper, then arm by arm; repeats and numbers of ranks
/// together.
[[nodiscard]] bool stands_before(const RunSpec& one, const RunSpec& other);

/// A run's arm: it is marked as one, and what the arm leaves out is left out. Runs that differ in
/// that only share their arm.
[[nodiscard]] RunSpec without(RunSpec spec, ControlArm arm);

/// For the A/A floor (METRICS.md#floor): `pairs` blocks, each of two identical launches of the
/// study's first run with one rank, and two of the like run with the most ranks, in random order.
/// Pairs differ in their seeds, the twins of one pair in nothing. `matrix` as expand() makes it;
/// without a run with one rank there are none.
[[nodiscard]] StudyMatrix twin_matrix(const StudyMatrix& matrix, std::int64_t pairs);

/// What there is of the machine that runs are planned for.
struct UsableMachine {
  // Converts: most callers know of cores alone.
  UsableMachine(std::int64_t usable_cores, std::int64_t visible_gpus = 0)
      : cores(usable_cores), gpus(visible_gpus) {}
  std::int64_t cores;
  std::int64_t gpus;  ///< 0: not known, as where a study is planned for another machine
};

/// Errors: BadInput for a launcher that is not among `launchers`, and for an injection that does
/// nothing in any run.
/// Cores decide what counts as oversubscribed (ranks × threads_per_rank > cores), and what has
/// no spare core: the threads that communicate or make batches in each rank need more. Runs on GPUs
/// that a launcher starts here have at most as many ranks as there are GPUs.
[[nodiscard]] StudyMatrix expand(const Study& study,
                                 const Environment& environment,
                                 const UsableMachine& machine,
                                 std::span<const WorkloadDescriptor* const> workloads,
                                 LauncherDescriptors launchers);

}  // namespace scalestudy
