#pragma once
/// How far the steady clocks of ranks are apart: not at all on one host, unless one of them lives
/// in a time namespace; on several hosts by when each booted.

#include <string>

#include "comm/communicator.hpp"

namespace scalestudy {

/// Rank 0's clock is `ahead_s` of this rank's, to within ± `error_s`.
struct ClockOffset {
  double ahead_s = 0;
  double error_s = 0;
};

/// The same for all processes of a machine since the start of its kernel; "?" where that is not
/// known.
[[nodiscard]] std::string boot_identity();

/// Processes with the same one read the same steady clock: boot of the kernel and time namespace.
[[nodiscard]] std::string clock_identity();

/// Nobody leaves a barrier before everybody has entered it: each of `rounds` barriers bounds the
/// offset from both sides (after Cristian 1989, with a barrier for the round trip). Ranks of rank
/// 0's `identity` are 0 ± 0 from it; no barrier is needed when all are. Collective.
[[nodiscard]] ClockOffset measure_clock_offset(const Communicator& comm,
                                               const std::string& identity,
                                               int rounds = 200);

}  // namespace scalestudy
