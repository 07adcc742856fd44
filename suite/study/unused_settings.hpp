#pragma once
/// Settings that only some workloads can apply: the others refuse them.

#include <string>

#include "study/run_spec.hpp"

namespace scalestudy {

/// For workloads that denoise no volume: why a run that has one of the settings of `data` for these
/// is left out, or "".
[[nodiscard]] std::string unused_volume_setting(const RunSpec& spec);

}  // namespace scalestudy
