#pragma once
/// What a reduction strategy may stand beside.

#include <cstdint>
#include <string>

#include "study/run_spec.hpp"

namespace scalestudy {

/// Why a strategy is no part of the study proper, or not with the run's other settings; else "".
[[nodiscard]] std::string unusable_reduction(const RunSpec& spec);

/// Ranks in a row that reduction hierarchical takes for those of one host: as its settings say,
/// else as those of the emulated link; 0: as the machines are.
[[nodiscard]] std::int64_t ranks_per_host(const CommonSettings& settings);

/// What of the strategy will mislead though it runs, in a sentence; else "".
[[nodiscard]] std::string reduction_warning(const RunSpec& spec);

/// Why runs on GPUs have no place on a machine with `gpus`, 0 where that is not known; "" where
/// they have one.
[[nodiscard]] std::string too_few_gpus(const RunSpec& spec, std::int64_t gpus);

/// Why the thread that communicates cannot have a core of its own on a machine of `cores`; else "".
[[nodiscard]] std::string unusable_own_core(const RunSpec& spec, std::int64_t cores);

/// Whether settings.gradients.updated_early has an effect.
[[nodiscard]] bool updates_early(const RunSpec& spec);

/// Whether settings.gradients.in_shared_memory has an effect: ranks of one host sum by all-reduce
/// where the gradients lie.
[[nodiscard]] bool sums_in_place(const RunSpec& spec);

/// Whether gradients are added to zeros: as the settings say, and by PyTorch's reducer always.
[[nodiscard]] bool accumulates_gradients(const RunSpec& spec);

}  // namespace scalestudy
