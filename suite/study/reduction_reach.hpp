#pragma once
/// What a reduction strategy may stand beside.

#include <string>

#include "study/run_spec.hpp"

namespace scalestudy {

/// Why a strategy is no part of the study proper, or not with the run's other settings; else "".
[[nodiscard]] std::string unusable_reduction(const RunSpec& spec);

/// Why the thread that communicates cannot have a core of its own on a machine of `cores`; else "".
[[nodiscard]] std::string unusable_own_core(const RunSpec& spec, std::int64_t cores);

/// Whether gradients are added to zeros: as the settings say, and by PyTorch's reducer always.
[[nodiscard]] bool accumulates_gradients(const RunSpec& spec);

}  // namespace scalestudy
