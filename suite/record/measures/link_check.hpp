#pragma once
/// Whether a link was emulated as its model says.

#include "study/settings.hpp"

#include "record/measures/run_summary.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// What collectives took longer than the model of the emulated link says, over all ranks and steady
/// steps (METRICS.md#emulated-link).
struct LinkExcess {
  /// More of both makes a run invalid: two thirds and a sixth of the least difference of times that
  /// is ever called one (least_margin_frac of analysis/series/floor.hpp). What is made of emulated
  /// times is right within that, and a barrier, of which a link takes nothing, may be late.
  static constexpr double most_model_frac = 0.02, most_step_frac = 0.005;

  double model_frac = 0;  ///< of the time that the model says
  double step_frac = 0;   ///< of the time of the steps

  [[nodiscard]] bool is_too_much() const {
    return model_frac > most_model_frac && step_frac > most_step_frac;
  }
};

/// Zero where none is emulated. Local, pure.
[[nodiscard]] LinkExcess link_excess(const LinkSettings& link,
                                     const StepTable& steps,
                                     const SteadyWindow& window);

}  // namespace scalestudy
