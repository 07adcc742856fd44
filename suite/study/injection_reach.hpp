#pragma once
/// What injections can do in a run: a study has the same ones at every number of ranks, also where
/// there is no such rank, or nothing is exchanged.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "study/run_spec.hpp"

namespace scalestudy {

/// Why `injection` does nothing in this run, in words; "" where it does something.
[[nodiscard]] std::string reason_without_effect(const Injection& injection, const RunSpec& spec);

/// Those that do something on `rank`.
[[nodiscard]] std::vector<Injection> injections_on(const RunSpec& spec, std::int64_t rank);

/// settings.input with the sample cost that holds on `rank`: the setting's, or a larger one that is
/// injected.
[[nodiscard]] InputSettings input_settings_on(const RunSpec& spec, std::int64_t rank);

/// Errors: BadInput for an injection that does nothing in any of `runs`.
void require_effect(std::span<const Injection> injections, std::span<const RunSpec> runs);

}  // namespace scalestudy
