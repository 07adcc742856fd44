#pragma once
/// What a step's time consists of at each rank count, and which parts grew per sample. A measured
/// decomposition, no verdict: exposed communication contains waiting for the slowest rank.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/run_set.hpp"
#include "analysis/statistics.hpp"

namespace scalestudy {

/// A part of the step. `imbalance` is the slowest rank's step time minus the mean over ranks.
struct PhaseInfo {
  double StepRow::*time;         ///< null for imbalance, which follows from step_s
  std::string_view label;        ///< in words
  std::string_view short_label;  ///< for the key of a figure
  /// Snake case, for tables.
  [[nodiscard]] std::string_view name() const;
};

inline constexpr std::size_t phase_count = 9;
[[nodiscard]] const std::array<PhaseInfo, phase_count>& step_phases();

/// How a step at N ranks differs from what perfect scaling of the one-rank step predicts.
struct StepGrowth {
  double expected_s = 0;                                ///< one-rank step × local samples ratio
  double excess_s = 0;                                  ///< measured − expected
  std::array<double, phase_count> excess_by_phase_s{};  ///< sum = excess_s
};

/// Means over the steady windows of all runs with `ranks` ranks; seconds.
struct StepComposition {
  std::int64_t ranks = 1;
  std::size_t launches = 0;
  double local_samples = 0;                   ///< per rank and step
  std::array<double, phase_count> phase_s{};  ///< sum = step_s
  double step_s = 0;                          ///< max over ranks
  double communication_overhead_frac = 0;     ///< METRICS.md#communication-overhead
  std::optional<StepGrowth> growth;           ///< none where no one-rank step was measured
};

[[nodiscard]] std::vector<StepComposition> step_compositions(const Series& series);

[[nodiscard]] StepGrowth step_growth(const StepComposition& compared, const StepComposition& base);

}  // namespace scalestudy
