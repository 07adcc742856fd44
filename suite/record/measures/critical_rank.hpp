#pragma once
/// Which rank decided how long each step took, and whether its recorded parts explain the step
/// (METRICS.md#critical-rank). Light: the record layer only. Local, pure.

#include <cstdint>
#include <vector>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// A step from the moment the gradients of the one before were there to the moment its own were.
struct CriticalStep {
  std::int64_t step = 0;
  std::int64_t rank = 0;    ///< whose last gradient was ready last
  double step_s = 0;        ///< between the ranks' last releases
  double spread_s = 0;      ///< between the first and the last rank's release
  double parts_s = 0;       ///< what the critical rank recorded of it
  double last_ready_s = 0;  ///< after the release of the step before, by the common clock
  double furthest_s = 0;    ///< the same without a common clock: each rank from its own release
  std::int64_t furthest_rank = 0;  ///< whose is furthest_s
  [[nodiscard]] double remainder_frac() const { return (step_s - parts_s) / step_s; }
};

/// What a rank updated between its release in the step before and its release in this one.
[[nodiscard]] double updated_s(const StepTable& steps, std::int64_t rank, std::int64_t step);

/// Of all steps that follow another one of their epoch and whose split all ranks recorded.
[[nodiscard]] std::vector<CriticalStep> critical_steps(const StepTable& steps);

}  // namespace scalestudy
