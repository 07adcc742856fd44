#pragma once
/// What the launches of a study and its control arms say of N ranks beside one.

#include <span>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/step/step_causes.hpp"

namespace scalestudy {

/// By falling rank counts, as long as each but the last surely lost more than the margin: the fewer
/// ranks are asked only then (a fixed sequence needs no correction). `arms`: those of `proper`.
/// `margin_frac`: METRICS.md#floor.
[[nodiscard]] std::vector<StepDecision> step_causes(const Series& proper,
                                                    std::span<const Series* const> arms,
                                                    double margin_frac);

}  // namespace scalestudy
