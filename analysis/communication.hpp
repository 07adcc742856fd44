#pragma once
/// What a step's time consists of at each rank count, and which parts grew per sample. A measured
/// decomposition, no verdict.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/measures.hpp"
#include "analysis/path_step.hpp"
#include "analysis/statistics.hpp"

namespace scalestudy {

struct Series;

/// A part of the step. `uneven_end` is the longest step time of a rank minus the mean over ranks:
/// not load imbalance, which shows as waiting for the slowest rank.
struct PhaseInfo {
  double StepRow::*time;         ///< null for uneven_end, which follows from step_s
  std::string_view label;        ///< in words
  std::string_view short_label;  ///< for the key of a figure
  /// Snake case, for tables.
  [[nodiscard]] std::string_view name() const;
};

inline constexpr std::size_t step_phase_count = 13;
[[nodiscard]] const std::array<PhaseInfo, step_phase_count>& step_phases();

/// How a step at N ranks differs from what perfect scaling of the one-rank step predicts.
struct StepGrowth {
  double expected_s = 0;  ///< one-rank step × local samples ratio
  Estimate excess_s;      ///< measured − expected
  std::array<Estimate, step_phase_count>
      excess_by_phase_s{};  ///< their values' sum is that of excess_s
};

/// Means over the steady window of one run or of several with `ranks` ranks; seconds.
struct MeanStep {
  std::int64_t ranks = 1;
  std::size_t launches = 0;
  double local_samples = 0;                        ///< per rank and step
  std::array<double, step_phase_count> phase_s{};  ///< sum = step_s
  double step_s = 0;                               ///< max over ranks
  double communication_overhead_frac = 0;          ///< METRICS.md#communication-overhead
  double peer_wait_frac = 0;         ///< NaN where a run of an earlier version has no split
  double exposed_transfer_frac = 0;  ///< likewise

  [[nodiscard]] double phase(double StepRow::*time) const;
  /// Mean over ranks. The maximum over ranks would hide what waiting costs: without a barrier it is
  /// the slowest rank's in every step, which is just what the others wait for with one.
  [[nodiscard]] double step_of_a_rank_s() const { return step_s - phase(nullptr); }
};

/// Of one run; without a single launch where it has no steady step.
[[nodiscard]] MeanStep mean_step(const RunRecord& record, const RunMeasures& measures);

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
