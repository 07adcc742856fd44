#pragma once
/// What the run's own collectives take when nobody computes: a bound on exchange that needs no
/// other run.

#include <cstdint>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/parallel.hpp"

#include "study/settings.hpp"

#include "comm/communicator.hpp"
#include "record/run_file/cause_columns.hpp"

#include "engine/step_clock.hpp"

namespace scalestudy {

struct ProbeLimits {
  std::int64_t least_rounds = 3;
  std::int64_t most_rounds = 30;
  Seconds time{2};  ///< no round begins that would end after it, but for the first ones
};

/// Rounds of one barrier and one all-reduce of each size, on ranks that do nothing else. Sizes that
/// are there several times are tried once a round. What is sent lies where `settings` put
/// gradients, on a device where `comm` works on its stream, timed by `clock`, whose other marks are
/// done with; `comm` has no memory of its own yet; `heartbeat` comes before each exchange, which
/// over a slow link takes long. This rank's rows; none without sizes or with one rank. Collective.
[[nodiscard]] std::vector<ProbeRow> probe(const Communicator& comm,
                                          StepClock& clock,
                                          std::span<const std::int64_t> sizes_bytes,
                                          const CommonSettings& settings,
                                          const HeartbeatCallback& heartbeat,
                                          const ProbeLimits& limits = {});

}  // namespace scalestudy
