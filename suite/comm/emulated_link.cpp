#include "comm/emulated_link.hpp"

#include <thread>

#include "core/error.hpp"

namespace scalestudy {
namespace {

class EmulatedLink final : public CommunicatorInterface {
 public:
  EmulatedLink(Communicator comm,
               const LinkModel& model,
               Payload payload,
               std::shared_ptr<LinkMeter> meter)
      : comm_(std::move(comm)), model_(model), payload_(payload), meter_(std::move(meter)) {}

  [[nodiscard]] std::string_view name() const override { return comm_.name(); }
  [[nodiscard]] std::string transport() const override { return comm_.transport(); }
  [[nodiscard]] Rank rank() const override { return comm_.rank(); }
  [[nodiscard]] WorldSize world_size() const override { return comm_.world_size(); }

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return wait(comm_.all_reduce(carried(buffer), op), model_.all_reduce_s(bytes_of(buffer)));
  }
  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    return wait(comm_.reduce(carried(buffer), op, root), model_.reduce_s(bytes_of(buffer)));
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return wait(comm_.broadcast(carried(buffer), root), model_.broadcast_s(bytes_of(buffer)));
  }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return wait(comm_.all_gather(mine, all), model_.all_gather_s(bytes_of(all)));
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return wait(comm_.reduce_scatter(all, mine, op), model_.reduce_scatter_s(bytes_of(all)));
  }
  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    return wait(deadline ? comm_.barrier(*deadline) : comm_.barrier(), model_.barrier_s());
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return std::make_shared<EmulatedLink>(comm_.duplicate(purpose), model_, payload_, meter_);
  }
  /// The model knows nothing of groups, and nobody asks for one: levels are beneath.
  std::shared_ptr<CommunicatorInterface> split(std::int64_t /*group*/,
                                               const std::string& /*purpose*/) override {
    SCALESTUDY_EXPECT(false);
  }
  std::shared_ptr<std::byte> allocate(ByteCount bytes) override { return comm_.allocate(bytes); }
  void abort(const std::string& reason, ExitCode exit_code) noexcept override {
    comm_.abort(reason, exit_code);
  }
  void set_clock_offset(Seconds ahead) override { comm_.set_clock_offset(ahead); }

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

  Communicator comm_;
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
