#pragma once
/// A communicator whose results are wrong on purpose.

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "study/collective_operation.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

/// Does what the other one does, then `spoil(result)`.
class Spoilt final : public CommunicatorInterface {
 public:
  using Spoil = std::function<void(CollectiveOperation, BufferView)>;
  Spoilt(Communicator comm, Spoil spoil) : comm_(std::move(comm)), spoil_(std::move(spoil)) {}

  [[nodiscard]] std::string_view name() const override { return "spoilt"; }
  [[nodiscard]] std::string transport() const override { return "none"; }
  [[nodiscard]] Rank rank() const override { return comm_.rank(); }
  [[nodiscard]] WorldSize world_size() const override { return comm_.world_size(); }
  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return then_spoil(comm_.all_reduce(buffer, op), CollectiveOperation::all_reduce, buffer);
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return then_spoil(comm_.broadcast(buffer, root), CollectiveOperation::broadcast, buffer);
  }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return then_spoil(comm_.all_gather(mine, all), CollectiveOperation::all_gather, all);
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return then_spoil(comm_.reduce_scatter(all, mine, op), CollectiveOperation::reduce_scatter,
                      mine);
  }
  CollectiveTimes barrier(std::optional<Seconds>) override { return comm_.barrier(); }
  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    return comm_.reduce(buffer, op, root);
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string&) override { return {}; }
  std::shared_ptr<CommunicatorInterface> split(std::int64_t, const std::string&) override {
    return {};
  }
  void abort(const std::string& reason, ExitCode code) noexcept override {
    comm_.abort(reason, code);
  }
  void set_clock_offset(Seconds ahead) override { comm_.set_clock_offset(ahead); }

 private:
  CollectiveTimes then_spoil(const CollectiveTimes& times,
                             CollectiveOperation operation,
                             BufferView result) const {
    spoil_(operation, result);
    return times;
  }
  Communicator comm_;
  Spoil spoil_;
};

}  // namespace scalestudy
