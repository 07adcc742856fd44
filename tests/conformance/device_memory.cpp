#include "conformance/device_memory.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/zeroed_memory.hpp"

namespace scalestudy {

namespace {

/// Device memory that grows with what is asked of it.
class Room {
 public:
  [[nodiscard]] void* of(ByteCount bytes, NcclDevice& device) {
    if (bytes.value() > size_.value()) {
      memory_.reset();
      memory_ = device.allocate(bytes);
      size_ = bytes;
    }
    return memory_.get();
  }

 private:
  std::shared_ptr<std::byte> memory_;
  ByteCount size_;
};

class OverDeviceMemory final : public CommunicatorInterface {
 public:
  OverDeviceMemory(std::shared_ptr<CommunicatorInterface> comm, std::shared_ptr<NcclDevice> device)
      : comm_(std::move(comm)), device_(std::move(device)), copies_(device_) {}

  [[nodiscard]] std::string_view name() const override { return comm_->name(); }
  [[nodiscard]] std::string transport() const override { return comm_->transport(); }
  [[nodiscard]] Rank rank() const override { return comm_->rank(); }
  [[nodiscard]] WorldSize world_size() const override { return comm_->world_size(); }

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return in_place(buffer, [&](BufferView there) { return comm_->all_reduce(there, op); });
  }
  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    return in_place(buffer, [&](BufferView there) { return comm_->reduce(there, op, root); });
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return in_place(buffer, [&](BufferView there) { return comm_->broadcast(there, root); });
  }

  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    const BufferView all_there = on_device(first_, all);
    const BufferView my_place =
        part_of(all_there, rank().value() * mine.count.value(), mine.count.value());
    const bool is_in_place =
        mine.data == part_of(all, rank().value() * mine.count.value(), mine.count.value()).data;
    const BufferView mine_there = is_in_place ? my_place : on_device(second_, mine);
    copies_.copy(mine_there.data, mine.data, mine.bytes());
    const auto times = comm_->all_gather(mine_there, all_there);
    copies_.copy(all.data, all_there.data, all.bytes());
    return times;
  }

  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    const BufferView all_there = on_device(first_, all);
    const BufferView mine_there = on_device(second_, mine);
    copies_.copy(all_there.data, all.data, all.bytes());
    const auto times = comm_->reduce_scatter(all_there, mine_there, op);
    copies_.copy(mine.data, mine_there.data, mine.bytes());
    return times;
  }

  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    return comm_->barrier(deadline);
  }
  CollectiveTimes agree(const CallSignature& call) override { return comm_->agree(call); }
  void throw_if_aborted() override { comm_->throw_if_aborted(); }
  void throw_if_ended() override { comm_->throw_if_ended(); }

  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return over(comm_->duplicate(purpose));
  }
  std::shared_ptr<CommunicatorInterface> split(std::int64_t group,
                                               const std::string& purpose) override {
    return over(comm_->split(group, purpose));
  }

  /// The host's is what the device's looks like from here.
  std::shared_ptr<std::byte> allocate(ByteCount bytes) override {
    const auto there = comm_->allocate(bytes);
    auto here = shared_zeros(static_cast<std::size_t>(bytes.value()));
    copies_.copy(here.get(), there.get(), bytes);
    allocated_ = {there, here, bytes.value()};
    return here;
  }

  void abort(const std::string& reason, ExitCode exit_code) noexcept override {
    comm_->abort(reason, exit_code);
  }
  void set_clock_offset(Seconds ahead) override { comm_->set_clock_offset(ahead); }

 private:
  struct Allocated {
    std::shared_ptr<std::byte> there;
    std::shared_ptr<std::byte> here;
    std::int64_t bytes = 0;
  };

  [[nodiscard]] std::shared_ptr<CommunicatorInterface> over(
      const std::shared_ptr<CommunicatorInterface>& made) const {
    return std::make_shared<OverDeviceMemory>(made, device_);
  }

  [[nodiscard]] BufferView on_device(Room& room, const ConstBufferView& like) {
    return {room.of(like.bytes(), *device_), like.count, like.type};
  }

  [[nodiscard]] BufferView place_of(const BufferView& buffer) {
    const auto offset = static_cast<const std::byte*>(buffer.data) - allocated_.here.get();
    if (allocated_.here != nullptr && offset >= 0 && offset < allocated_.bytes)
      return {allocated_.there.get() + offset, buffer.count, buffer.type};
    return on_device(first_, buffer);
  }

  template <class Operation>
  CollectiveTimes in_place(const BufferView& buffer, const Operation& operation) {
    const BufferView there = place_of(buffer);
    copies_.copy(there.data, buffer.data, buffer.bytes());
    const auto times = operation(there);
    copies_.copy(buffer.data, there.data, buffer.bytes());
    return times;
  }

  std::shared_ptr<CommunicatorInterface> comm_;
  std::shared_ptr<NcclDevice> device_;
  DeviceCopies copies_;
  Room first_;
  Room second_;
  Allocated allocated_;
};

}  // namespace

Communicator over_device_memory(std::shared_ptr<CommunicatorInterface> comm,
                                std::shared_ptr<NcclDevice> device) {
  return Communicator(std::make_shared<OverDeviceMemory>(std::move(comm), std::move(device)));
}

}  // namespace scalestudy
