#pragma once
/// A communicator whose all-reduces a test sees.

#include <functional>
#include <memory>
#include <utility>

#include "comm/communicator.hpp"

namespace scalestudy {

/// Called on the caller's thread when an all-reduce is done.
using AllReduceWatch = std::function<void(const BufferView&)>;

class WatchedCommunicator final : public CommunicatorInterface {
 public:
  WatchedCommunicator(Communicator comm, AllReduceWatch watch)
      : comm_(std::move(comm)), watch_(std::move(watch)) {}

  [[nodiscard]] std::string_view name() const override { return comm_.name(); }
  [[nodiscard]] std::string transport() const override { return comm_.transport(); }
  [[nodiscard]] Rank rank() const override { return comm_.rank(); }
  [[nodiscard]] WorldSize world_size() const override { return comm_.world_size(); }
  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    const auto times = comm_.all_reduce(buffer, op);
    watch_(buffer);
    return times;
  }
  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    return comm_.reduce(buffer, op, root);
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return comm_.broadcast(buffer, root);
  }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return comm_.all_gather(mine, all);
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return comm_.reduce_scatter(all, mine, op);
  }
  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    return deadline ? comm_.barrier(*deadline) : comm_.barrier();
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return std::make_shared<WatchedCommunicator>(comm_.duplicate(purpose), watch_);
  }
  std::shared_ptr<CommunicatorInterface> split(std::int64_t group,
                                               const std::string& purpose) override {
    return std::make_shared<WatchedCommunicator>(comm_.split(group, purpose), watch_);
  }
  void abort(const std::string& reason, ExitCode exit_code) noexcept override {
    comm_.abort(reason, exit_code);
  }
  void set_clock_offset(Seconds ahead) override { comm_.set_clock_offset(ahead); }

 private:
  Communicator comm_;
  AllReduceWatch watch_;
};

inline Communicator watched(const Communicator& comm, AllReduceWatch watch) {
  return Communicator(std::make_shared<WatchedCommunicator>(comm, std::move(watch)));
}

}  // namespace scalestudy
