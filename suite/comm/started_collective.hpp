#pragma once
/// A collective as a value, and what is known of it once it has been started: where a back-end
/// works on a stream of the device, it is carried out later, in order with what computes there.

#include <memory>

#include "core/clock.hpp"
#include "core/ids.hpp"

#include "comm/buffer_view.hpp"
#include "comm/call_signature.hpp"

struct CUstream_st;
struct CUevent_st;

namespace scalestudy {

/// Handles have the tags of CUDA's own headers: they are handed over as they are.
using CudaStream = CUstream_st*;  ///< cudaStream_t
using CudaEvent = CUevent_st*;    ///< cudaEvent_t

class DeviceEvent;

/// When a collective happened, by the steady clock of the rank that asks. Waiting for slower ranks
/// ends with all_arrived; only what follows moves data.
struct CollectiveTimes {
  Clock::time_point entered;      ///< this rank came
  Clock::time_point all_arrived;  ///< the last rank came
  Clock::time_point left;         ///< this rank went on
  [[nodiscard]] double wait_s() const { return Seconds(all_arrived - entered).count(); }
  [[nodiscard]] double transfer_s() const { return Seconds(left - all_arrived).count(); }
};

/// What is to be done with which memory. `from` and `into` are the same where it is in place.
struct CollectiveCall {
  CallSignature signature;
  ConstBufferView from;
  BufferView into;
};

[[nodiscard]] CollectiveCall all_reduce_of(BufferView buffer, ReduceOp op = ReduceOp::sum);
[[nodiscard]] CollectiveCall reduce_of(BufferView buffer, ReduceOp op, Rank root);
[[nodiscard]] CollectiveCall broadcast_of(BufferView buffer, Rank root);
[[nodiscard]] CollectiveCall all_gather_of(ConstBufferView mine, BufferView all);
[[nodiscard]] CollectiveCall reduce_scatter_of(ConstBufferView all, BufferView mine, ReduceOp op);

/// Either has ended, with these times, or is on its way on a stream: then its memory belongs to it
/// until `ended` has passed, and nobody has seen when the other ranks came.
struct StartedCollective {
  CallSignature call;
  CollectiveTimes times;
  std::shared_ptr<DeviceEvent> begun = nullptr;  ///< what it waited for is there: its turn to enter
  std::shared_ptr<DeviceEvent> ended = nullptr;
  [[nodiscard]] bool is_on_stream() const { return ended != nullptr; }
};

}  // namespace scalestudy
