#pragma once
/// Collectives inside a phase, as those of synchronised batch norm or of parameters that another
/// rank has updated: a slow rank would look like
/// everybody's slow forward pass, so what they take is taken out of the phase.

#include <mutex>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"

#include "engine/step_clock.hpp"

namespace scalestudy {

class InnerCollectives {
 public:
  /// The same communicator, whose operations are counted here. This outlives it.
  [[nodiscard]] Communicator counted(const Communicator& comm);

  /// One that was not carried out by such a communicator.
  void add(const CollectiveTimes& times);

  /// Likewise, also one that is on its way on a stream.
  void add(const StartedCollective& started, StepClock& clock);

  struct Times {
    double wait_s = 0;                             ///< until the last rank came
    double transfer_s = 0;                         ///< from then on
    std::vector<std::pair<Mark, Mark>> on_stream;  ///< entered and left, of what is in neither
  };
  /// Since the last call. Local.
  [[nodiscard]] Times take();

 private:
  std::mutex mutex_;  ///< passes may run on threads of the library
  Times times_;
};

}  // namespace scalestudy
