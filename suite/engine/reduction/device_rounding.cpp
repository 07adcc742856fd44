#include "engine/reduction/device_rounding.hpp"

namespace scalestudy {

StartedCollective start_rounded(const Communicator& comm,
                                DeviceRounding& rounding,
                                const Piece& piece,
                                bool carries_weight,
                                CudaEvent after) {
  auto& device = rounding.device();
  device.use();
  const auto begin_after = [&](CudaEvent event) { device.make_wait(rounding.stream(), event); };
  const auto now = [&] { return device.event_on(rounding.stream()); };
  begin_after(after);
  const auto proposed = rounding.propose(piece, carries_weight);
  const auto agreed = comm.start(all_reduce_of(proposed), now()->get());
  begin_after(agreed.ended->get());
  const auto narrowed = rounding.narrow(piece);
  const auto summed = comm.start(all_reduce_of(narrowed), now()->get());
  begin_after(summed.ended->get());
  rounding.widen(piece, carries_weight);
  return {summed.call, {}, agreed.begun, now()};
}

}  // namespace scalestudy
