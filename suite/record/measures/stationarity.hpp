#pragma once
/// Whether the steps of a window took as long all the way through (METRICS.md#steady-window). It
/// flags; nothing is cut. Light: the standard library only. Local, pure.

#include <span>

namespace scalestudy {

struct Stationarity {
  bool tested = false;      ///< enough steps to tell a change from noise
  double stretch_frac = 0;  ///< what an unusual stretch added to the window's time, or saved: share
                            ///< of it; 0 where there is none
  double drift_frac = 0;    ///< change of the step time from first to last, share of its mean;
                            ///< likewise
  [[nodiscard]] bool is_stationary() const { return stretch_frac == 0 && drift_frac == 0; }
};

/// Of the times of consecutive steps [s].
[[nodiscard]] Stationarity stationarity_of(std::span<const double> step_s);

}  // namespace scalestudy
