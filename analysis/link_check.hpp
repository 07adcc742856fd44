#pragma once
/// Whether a link was emulated as its model says.

#include "study/settings.hpp"

#include "record/run_record.hpp"

#include "analysis/run_summary.hpp"

namespace scalestudy {

/// More makes a run invalid. Two thirds of the least difference of times that is ever called one
/// (least_margin_frac of analysis/floor.hpp): what is made of emulated times is right within that.
inline constexpr double most_link_excess_frac = 0.02;

/// What collectives took longer than the model of `link`, over all ranks and steady steps, as part
/// of what it says (METRICS.md#emulated-link). 0 where none is emulated. Local, pure.
[[nodiscard]] double link_excess_frac(const LinkSettings& link,
                                      const StepTable& steps,
                                      const SteadyWindow& window);

}  // namespace scalestudy
