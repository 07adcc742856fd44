#pragma once
/// What of the settings about gradients and their exchange a run makes use of.

#include "study/run_spec.hpp"

#include "record/run_file/effective_settings.hpp"

namespace scalestudy {

/// `has_own_core`: the thread that carries gradients has one. Local, pure.
[[nodiscard]] EffectiveSettings exchange_in_force(const RunSpec& spec, bool has_own_core);

}  // namespace scalestudy
