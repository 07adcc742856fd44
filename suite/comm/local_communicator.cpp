#include <mutex>

#include "core/error.hpp"

#include "comm/back_ends.hpp"
#include "comm/reduction.hpp"

namespace scalestudy {

namespace {

/// One rank: every reduction is its own input.
class LocalCommunicator final : public CommunicatorInterface {
 public:
  [[nodiscard]] std::string_view name() const override { return "local"; }
  [[nodiscard]] std::string transport() const override { return "none (one rank)"; }
  [[nodiscard]] Rank rank() const override { return Rank(0); }
  [[nodiscard]] WorldSize world_size() const override { return WorldSize(1); }
  void all_reduce(BufferView, ReduceOp) override { throw_if_aborted(); }
  void broadcast(BufferView, Rank) override { throw_if_aborted(); }
  void all_gather(ConstBufferView mine, BufferView all) override {
    throw_if_aborted();
    copy(all.data, mine);
  }
  void reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp) override {
    throw_if_aborted();
    copy(mine.data, all);
  }
  void barrier(std::optional<Seconds>) override { throw_if_aborted(); }
  void abort(const std::string& reason, ExitCode) noexcept override {
    const std::lock_guard lock(mutex_);
    if (reason_.empty()) reason_ = "rank 0 aborted: " + reason;
  }

 private:
  void throw_if_aborted() {
    const std::lock_guard lock(mutex_);
    if (reason_.empty()) return;
    throw RunFailed({reason_, "nothing can be exchanged any more", "Look at that rank's log"});
  }

  std::mutex mutex_;  ///< abort() comes from any thread
  std::string reason_;
};

}  // namespace

Communicator make_local_communicator() {
  return Communicator(std::make_shared<LocalCommunicator>());
}

}  // namespace scalestudy
