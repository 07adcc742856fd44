#pragma once
/// What a step's time consists of at each rank count, and which parts grew per sample. A measured
/// decomposition, no verdict.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
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

/// Of one launch whose times count.
struct LaunchSteps {
  std::int64_t block = 0;
  MeanStep step;
  std::optional<PathStep> path;
  bool is_busy = false;
  double started_unix_s = not_available;
};

/// Empty without such launches.
[[nodiscard]] std::vector<LaunchSteps> launch_steps(const Series& series, std::int64_t ranks);

[[nodiscard]] std::vector<StepComposition> step_compositions(const Series& series);

/// Contract: neither is empty.
[[nodiscard]] StepGrowth step_growth(std::span<const LaunchSteps> compared,
                                     std::span<const LaunchSteps> base,
                                     Comparison declared);

}  // namespace scalestudy
