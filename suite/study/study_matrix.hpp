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
  std::vector<RunSpec> runs;  ///< interleaved over ranks within each repeat, so that drift cancels
  std::vector<SkippedRun> skipped;
};

/// Errors: BadInput for a launcher that is not among `launchers`.
/// `cores` decides what counts as oversubscribed (ranks × threads_per_rank > cores).
[[nodiscard]] StudyMatrix expand(const Study& study,
                                 const Environment& environment,
                                 std::int64_t cores,
                                 std::span<const WorkloadDescriptor* const> workloads,
                                 LauncherDescriptors launchers);

}  // namespace scalestudy
