#pragma once
/// One collective, waited for and timed, on the host or on a stream.

#include "comm/communicator.hpp"

#include "engine/step_clock.hpp"

namespace scalestudy {

/// Carries out `call` after what stands in the stream that `clock` marks; on a stream, with times
/// of the device, and every other mark of `clock` is done with. Collective, blocking. Errors: those
/// of the communicator.
[[nodiscard]] CollectiveTimes timed_collective(const Communicator& comm,
                                               StepClock& clock,
                                               const CollectiveCall& call);

}  // namespace scalestudy
