#pragma once
/// A communicator whose all-reduces a test sees.

#include <functional>
#include <memory>
#include <utility>

#include "comm/forwarding_communicator.hpp"

namespace scalestudy {

/// Called on the caller's thread when an all-reduce is done.
using AllReduceWatch = std::function<void(const BufferView&)>;

class WatchedCommunicator final : public ForwardingCommunicator {
 public:
  WatchedCommunicator(Communicator comm, AllReduceWatch watch)
      : ForwardingCommunicator(std::move(comm)), watch_(std::move(watch)) {}

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    const auto times = ForwardingCommunicator::all_reduce(buffer, op);
    watch_(buffer);
    return times;
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return std::make_shared<WatchedCommunicator>(comm().duplicate(purpose), watch_);
  }
  std::shared_ptr<CommunicatorInterface> split(std::int64_t group,
                                               const std::string& purpose) override {
    return std::make_shared<WatchedCommunicator>(comm().split(group, purpose), watch_);
  }

 private:
  AllReduceWatch watch_;
};

inline Communicator watched(const Communicator& comm, AllReduceWatch watch) {
  return Communicator(std::make_shared<WatchedCommunicator>(comm, std::move(watch)));
}

}  // namespace scalestudy
