#pragma once
/// What a step of one run consists of: means over its steady window.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/measures/measures.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

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

}  // namespace scalestudy
