#include "workloads/collectives/caller.hpp"

#include <algorithm>
#include <utility>

namespace scalestudy::collectives {
namespace {

class HostCaller final : public Caller {
 public:
  explicit HostCaller(Communicator measured) : measured_(std::move(measured)) {}

  CollectiveTimes call(Buffers& buffers, const Case& one) override {
    const auto into = buffers.received(one);
    const auto from = buffers.sent(one);
    measured_.barrier();
    if (one.operation == CollectiveOperation::barrier) return measured_.barrier();
    return measured_.start(call_of(one.operation, from, into), nullptr).times;
  }

 private:
  Communicator measured_;
};

/// Copies lie outside of what is timed: the device has them before the ranks meet.
class GpuCaller final : public Caller {
 public:
  GpuCaller(const Communicator& measured,
            Communicator control,
            StepClock& clock,
            std::shared_ptr<NcclDevice> gpu,
            std::int64_t most_bytes)
      : measured_(measured),
        control_(std::move(control)),
        clock_(clock),
        place_(gpu->index()),
        copies_(gpu),
        sending_(gpu->allocate(ByteCount(most_bytes))),
        receiving_(measured.allocate(ByteCount(most_bytes))) {}

  CollectiveTimes call(Buffers& buffers, const Case& one) override {
    if (one.operation == CollectiveOperation::barrier) {
      measured_.barrier();
      return measured_.barrier();
    }
    const auto into = buffers.received(one);
    const auto from = buffers.sent(one);
    copies_.copy(sending_.get(), from.data, from.bytes());
    copies_.copy(receiving_.get(), into.data, into.bytes());
    const auto times = timed(call_of(one.operation, {sending_.get(), from.count, from.type, place_},
                                     {receiving_.get(), into.count, into.type, place_}));
    copies_.copy(into.data, receiving_.get(), into.bytes());
    return times;
  }

 private:
  [[nodiscard]] CollectiveTimes timed(const CollectiveCall& call) {
    measured_.barrier();
    const auto started = measured_.start(call, clock_.event_of(clock_.mark()));
    const double left_s = clock_.seconds(clock_.adopt(started.ended));
    const double entered_s = clock_.seconds(clock_.adopt(started.begun));
    measured_.throw_if_aborted();  // an abort, too, lets the device go on
    clock_.recycle();
    const double last_entered_s = all_reduce_value(control_, entered_s, ReduceOp::max);
    return {host_time(entered_s), host_time(std::min(last_entered_s, left_s)), host_time(left_s)};
  }

  [[nodiscard]] Clock::time_point host_time(double clock_s) const {
    return Clock::time_point(clock_time(Seconds(clock_.origin_s() + clock_s)));
  }

  Communicator measured_;
  Communicator control_;
  StepClock& clock_;
  int place_;
  DeviceCopies copies_;
  std::shared_ptr<std::byte> sending_;
  std::shared_ptr<std::byte> receiving_;
};

}  // namespace

Caller::~Caller() = default;

std::unique_ptr<Caller> make_caller(const Communicator& measured,
                                    const Communicator& control,
                                    StepClock& clock,
                                    std::shared_ptr<NcclDevice> gpu,
                                    std::int64_t most_bytes) {
  if (!measured.is_on_stream()) return std::make_unique<HostCaller>(measured);
  return std::make_unique<GpuCaller>(measured, control, clock, std::move(gpu), most_bytes);
}

}  // namespace scalestudy::collectives
