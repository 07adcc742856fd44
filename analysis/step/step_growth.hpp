#pragma once
/// What a step's time consists of at each rank count, and which parts grew per sample. A measured
/// decomposition, no verdict.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "record/measures/mean_step.hpp"
#include "record/measures/path_step.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// How a step at N ranks differs from what perfect scaling of the one-rank step predicts.
struct StepGrowth {
  double expected_s = 0;  ///< one-rank step × local samples ratio
  Estimate excess_s;      ///< measured − expected
  std::array<Estimate, step_phase_count>
      excess_by_phase_s{};  ///< their values' sum is that of excess_s
};

/// Of all runs with `ranks` ranks.
struct StepComposition : MeanStep {
  std::optional<StepGrowth> growth;  ///< none where no one-rank step was measured
};

/// Keeps the runs whose times count and that have steady steps.
[[nodiscard]] RunGroup with_steps(const RunGroup& group);

/// MeanStep::step_of_a_rank_s() of such a run.
[[nodiscard]] Quantity step_of_a_rank();

/// MeanStep::local_samples of such a run.
[[nodiscard]] Quantity samples_of_a_rank();

[[nodiscard]] std::vector<StepComposition> step_compositions(const Series& series);

/// Contract: both are of with_steps() and not empty.
[[nodiscard]] StepGrowth step_growth(const RunGroup& compared, const RunGroup& base);

}  // namespace scalestudy
