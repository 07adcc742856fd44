#include "comm/emulated_link.hpp"

#include <thread>

#include "core/error.hpp"

#include "comm/forwarding_communicator.hpp"

namespace scalestudy {
namespace {

class EmulatedLink final : public ForwardingCommunicator {
 public:
  EmulatedLink(Communicator comm,
               const LinkModel& model,
               Payload payload,
               std::shared_ptr<LinkMeter> meter)
      : ForwardingCommunicator(std::move(comm)),
        model_(model),
        payload_(payload),
        meter_(std::move(meter)) {}

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return wait(comm().all_reduce(carried(buffer), op), model_.all_reduce_s(bytes_of(buffer)));
  }
  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    return wait(comm().reduce(carried(buffer), op, root), model_.reduce_s(bytes_of(buffer)));
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return wait(comm().broadcast(carried(buffer), root), model_.broadcast_s(bytes_of(buffer)));
  }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return wait(comm().all_gather(mine, all), model_.all_gather_s(bytes_of(all)));
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return wait(comm().reduce_scatter(all, mine, op), model_.reduce_scatter_s(bytes_of(all)));
  }
  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    return wait(ForwardingCommunicator::barrier(deadline), model_.barrier_s());
  }
  CollectiveTimes agree(const CallSignature& call) override {
    return wait(comm().agree(call), model_.barrier_s());
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return std::make_shared<EmulatedLink>(comm().duplicate(purpose), model_, payload_, meter_);
  }
  /// The model knows nothing of groups, and nobody asks for one: levels are beneath.
  std::shared_ptr<CommunicatorInterface> split(std::int64_t /*group*/,
                                               const std::string& /*purpose*/) override {
    SCALESTUDY_EXPECT(false);
  }

 private:
  static double bytes_of(const ConstBufferView& view) {
    return static_cast<double>(view.bytes().value());
  }

  [[nodiscard]] BufferView carried(const BufferView& buffer) const {
    if (payload_ == Payload::full || buffer.count.value() == 0) return buffer;
    return part_of(buffer, buffer.count.value() - 1, 1);
  }

  CollectiveTimes wait(CollectiveTimes times, double model_s) {
    const auto end = times.all_arrived + clock_time(Seconds(model_s));
    if (times.left < end) {
      std::this_thread::sleep_until(end);
      times.left = Clock::now();
    }
    meter_->add({model_s, Seconds(times.left - end).count()});
    return times;
  }

  LinkModel model_;
  Payload payload_;
  std::shared_ptr<LinkMeter> meter_;
};

}  // namespace

Communicator emulated_link(const Communicator& comm,
                           const LinkModel& model,
                           Payload payload,
                           std::shared_ptr<LinkMeter> meter) {
  return Communicator(std::make_shared<EmulatedLink>(comm, model, payload, std::move(meter)));
}

}  // namespace scalestudy
