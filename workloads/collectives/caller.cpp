#include "workloads/collectives/caller.hpp"

#include <utility>

#include "engine/timed_collective.hpp"

namespace scalestudy::collectives {
namespace {

class HostCaller : public Caller {
 public:
  HostCaller(Communicator measured, StepClock& clock)
      : measured_(std::move(measured)), clock_(clock) {}

  CollectiveTimes call(Buffers& buffers, const Case& one) override {
    const auto into = buffers.received(one);
    const auto from = buffers.sent(one);
    measured_.barrier();
    return timed(call_of(one.operation, from, into));
  }

 protected:
  [[nodiscard]] const Communicator& measured() const { return measured_; }
  [[nodiscard]] CollectiveTimes timed(const CollectiveCall& call) {
    if (call.signature.kind == CallKind::barrier) return measured_.barrier();
    return timed_collective(measured_, clock_, call);
  }

 private:
  Communicator measured_;
  StepClock& clock_;
};

/// Copies lie outside of what is timed: the device has them before the ranks meet.
class GpuCaller final : public HostCaller {
 public:
  GpuCaller(const Communicator& measured,
            StepClock& clock,
            const std::shared_ptr<NcclDevice>& gpu,
            std::int64_t most_bytes)
      : HostCaller(measured, clock),
        place_(gpu->index()),
        copies_(gpu),
        sending_(gpu->allocate(ByteCount(most_bytes))),
        receiving_(measured.allocate(ByteCount(most_bytes))) {}

  CollectiveTimes call(Buffers& buffers, const Case& one) override {
    const auto into = buffers.received(one);
    const auto from = buffers.sent(one);
    copies_.copy(sending_.get(), from.data, from.bytes());
    copies_.copy(receiving_.get(), into.data, into.bytes());
    measured().barrier();
    const auto times = timed(call_of(one.operation, {sending_.get(), from.count, from.type, place_},
                                     {receiving_.get(), into.count, into.type, place_}));
    copies_.copy(into.data, receiving_.get(), into.bytes());
    return times;
  }

 private:
  int place_;
  DeviceCopies copies_;
  std::shared_ptr<std::byte> sending_;
  std::shared_ptr<std::byte> receiving_;
};

}  // namespace

Caller::~Caller() = default;

std::unique_ptr<Caller> make_caller(const Communicator& measured,
                                    StepClock& clock,
                                    const std::shared_ptr<NcclDevice>& gpu,
                                    std::int64_t most_bytes) {
  if (!measured.is_on_stream()) return std::make_unique<HostCaller>(measured, clock);
  return std::make_unique<GpuCaller>(measured, clock, gpu, most_bytes);
}

}  // namespace scalestudy::collectives
