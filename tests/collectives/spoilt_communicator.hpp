#pragma once
/// A communicator whose results are wrong on purpose.

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "study/collective_operation.hpp"

#include "comm/forwarding_communicator.hpp"

namespace scalestudy {

/// Does what the other one does, then `spoil(result)`.
class Spoilt final : public ForwardingCommunicator {
 public:
  using Spoil = std::function<void(CollectiveOperation, BufferView)>;
  Spoilt(Communicator comm, Spoil spoil)
      : ForwardingCommunicator(std::move(comm)), spoil_(std::move(spoil)) {}

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return then_spoil(comm().all_reduce(buffer, op), CollectiveOperation::all_reduce, buffer);
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return then_spoil(comm().broadcast(buffer, root), CollectiveOperation::broadcast, buffer);
  }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return then_spoil(comm().all_gather(mine, all), CollectiveOperation::all_gather, all);
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return then_spoil(comm().reduce_scatter(all, mine, op), CollectiveOperation::reduce_scatter,
                      mine);
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string&) override { return {}; }
  std::shared_ptr<CommunicatorInterface> split(std::int64_t, const std::string&) override {
    return {};
  }

 private:
  CollectiveTimes then_spoil(const CollectiveTimes& times,
                             CollectiveOperation operation,
                             BufferView result) const {
    spoil_(operation, result);
    return times;
  }
  Spoil spoil_;
};

}  // namespace scalestudy
