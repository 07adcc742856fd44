#pragma once
/// Hands on to another communicator, for memory of the host, what a class derived of it does not
/// change. Around one that works on a stream, start(), is_on_stream(), place() and host() are the
/// derived one's.

#include <utility>

#include "comm/communicator.hpp"

namespace scalestudy {

/// Base class; groups and duplicates (split, duplicate) are the derived one's.
class ForwardingCommunicator : public CommunicatorInterface {
 public:
  explicit ForwardingCommunicator(Communicator comm) : comm_(std::move(comm)) {}

  [[nodiscard]] std::string_view name() const override { return comm_.name(); }
  [[nodiscard]] std::string transport() const override { return comm_.transport(); }
  [[nodiscard]] Rank rank() const override { return comm_.rank(); }
  [[nodiscard]] WorldSize world_size() const override { return comm_.world_size(); }
  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return comm_.all_reduce(buffer, op);
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
  CollectiveTimes agree(const CallSignature& call) override { return comm_.agree(call); }
  void throw_if_aborted() override { comm_.throw_if_aborted(); }
  void throw_if_ended() override { comm_.throw_if_ended(); }
  std::shared_ptr<std::byte> allocate(ByteCount bytes) override { return comm_.allocate(bytes); }
  void abort(const std::string& reason, ExitCode exit_code) noexcept override {
    comm_.abort(reason, exit_code);
  }
  void set_clock_offset(Seconds ahead) override { comm_.set_clock_offset(ahead); }

 protected:
  [[nodiscard]] const Communicator& comm() const { return comm_; }

 private:
  Communicator comm_;
};

}  // namespace scalestudy
