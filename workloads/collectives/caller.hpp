#pragma once
/// One collective call after the other, on memory of the host or of a GPU.

#include <memory>

#include "comm/nccl_device.hpp"

#include "engine/step_clock.hpp"

#include "workloads/collectives/buffers.hpp"

namespace scalestudy::collectives {

class Caller {
 public:
  virtual ~Caller();
  /// Does the operation on what `buffers` holds and leaves the result there. Collective. Errors:
  /// those of the communicator.
  [[nodiscard]] virtual CollectiveTimes call(Buffers& buffers, const Case& one) = 0;
};

/// Where `measured` works on a stream: on memory of `gpu` for cases up to `most_bytes`, timed by
/// `clock`, which marks a stream of it. Collective.
[[nodiscard]] std::unique_ptr<Caller> make_caller(const Communicator& measured,
                                                  StepClock& clock,
                                                  const std::shared_ptr<NcclDevice>& gpu,
                                                  std::int64_t most_bytes);

}  // namespace scalestudy::collectives
