#pragma once
/// Cores for the threads that carry gradients (settings.communication_thread own_core).

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"

namespace scalestudy {

struct CorePlacement {
  std::vector<int> computing;  ///< for all threads of the rank but one
  int communicating = 0;
};

/// Of a rank that may use `cores`, ascending, which as many ranks share as name the same ones on
/// its host: the last cores are for communicating, one for each rank in their order, and all
/// compute on the others. Collective. Errors: Unavailable where those are fewer than
/// `compute_threads` for each rank.
[[nodiscard]] CorePlacement place_on_cores(const Communicator& comm,
                                           const std::vector<int>& cores,
                                           std::int64_t compute_threads);

}  // namespace scalestudy
