#pragma once
/// Settings that only some workloads can apply: the others refuse them.

#include <string>

#include "study/run_spec.hpp"

namespace scalestudy {

/// For workloads that denoise nothing: why a run that has data.reference_path or
/// data.added_noise_std is left out, or "".
[[nodiscard]] std::string unused_denoising_setting(const RunSpec& spec);

}  // namespace scalestudy
