#pragma once
/// How a replay's steps scatter and what loss it invents: decided by seed, rank and step alone, so
/// that repeats differ and the same run is the same again. Local, pure.

#include <cstdint>

#include "core/ids.hpp"

#include "workloads/replay/settings.hpp"

namespace scalestudy::replay {

/// A burst begins and ends with stretches of so many steps.
inline constexpr std::int64_t burst_steps = 10;

/// How many times as long both passes take in this step: noise, drift and bursts together. Mean 1
/// over the noise. `run_steps`: of the whole run.
[[nodiscard]] double compute_factor(const Settings& settings,
                                    std::uint64_t seed,
                                    Rank rank,
                                    StepIndex step,
                                    std::int64_t run_steps);

/// The invented loss after so many samples of all ranks: 0.1 + 0.9 · 10^(−samples ÷ S), where S is
/// samples_to_quality with what the seed scatters it by. 1 where that is 0.
[[nodiscard]] double invented_loss(const Settings& settings,
                                   std::uint64_t seed,
                                   std::int64_t samples);

}  // namespace scalestudy::replay
