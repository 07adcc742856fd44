#pragma once
/// What a step's time consists of at each rank count. A measured decomposition, no verdict.

#include <vector>

#include "record/measures/mean_step.hpp"
#include "record/measures/path_step.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// Of all runs with `ranks` ranks.
struct StepComposition : MeanStep {
  /// That of one rank × the ratio of samples a rank has; NaN where none was measured.
  double expected_s = not_available;
};

/// Keeps the runs whose times count and that have steady steps.
[[nodiscard]] RunGroup with_steps(const RunGroup& group);

/// MeanStep::step_of_a_rank_s() of such a run.
[[nodiscard]] Quantity step_of_a_rank();

/// MeanStep::local_samples of such a run.
[[nodiscard]] Quantity samples_of_a_rank();

[[nodiscard]] std::vector<StepComposition> step_compositions(const Series& series);

}  // namespace scalestudy
