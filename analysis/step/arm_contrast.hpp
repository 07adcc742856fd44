#pragma once
/// What a step takes less when something is left out: the difference between runs that do it and
/// the control arm that does not, beside what the columns say of the same. No verdict.
/// METRICS.md#arm-contrasts.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// Which runs are compared, and what they differ in.
struct ContrastKind {
  std::string_view name;           ///< snake case, for files: "moving_gradients"
  std::string_view left_out;       ///< in words: "moving gradients"
  std::optional<ControlArm> base;  ///< what the arm is compared with; none: the study proper
  ControlArm arm;
  /// The times of a step of the base that are spent on the same; their sum is the other look.
  std::span<double StepRow::*const> columns;
  /// Whether the arm is that of one rank, scaled to as many samples per rank as the base has.
  bool is_arm_of_one_rank = false;
};

[[nodiscard]] std::span<const ContrastKind> contrast_kinds();

struct ArmContrast {
  const ContrastKind* kind;
  std::int64_t ranks = 1;  ///< of the base
  /// Means over launches; the step is the mean over ranks and steady steps, seconds.
  double base_step_s = not_available;
  double arm_step_s = not_available;
  /// base_step_s − arm_step_s. Negative: the arm was slower.
  Estimate saved_s;
  Estimate saved_frac;  ///< 1 − ratio of the steps' geometric means
  /// What the base's columns say of the same, mean over launches; NaN where none does.
  double column_s = not_available;
  /// saved_s − column_s: what those columns do not see, of the base or of the arm.
  Estimate beyond_column_s;
  bool is_on_busy_machine = false;  ///< some of its runs were

  /// More or less than nothing, as far as the launches can tell; one of all contrasts of a study.
  [[nodiscard]] bool is_resolved() const { return scalestudy::is_resolved(saved_s, 0); }
};

/// All that `proper` and its own `arms` allow: by kind, then number of ranks.
[[nodiscard]] std::vector<ArmContrast> arm_contrasts(const Series& proper,
                                                     std::span<const Series* const> arms);

}  // namespace scalestudy
