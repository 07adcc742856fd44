#pragma once
/// What a reduction strategy may stand beside.

#include <string>

#include "study/run_spec.hpp"

namespace scalestudy {

/// Why a strategy is no part of the study proper, or not with the run's other settings; else "".
[[nodiscard]] std::string unusable_reduction(const RunSpec& spec);

/// Whether gradients are added to zeros: as the settings say, and by PyTorch's reducer always.
[[nodiscard]] bool accumulates_gradients(const RunSpec& spec);

}  // namespace scalestudy
