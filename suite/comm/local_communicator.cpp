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
  CollectiveTimes all_reduce(BufferView, ReduceOp) override { return at_once(); }
  CollectiveTimes reduce(BufferView, ReduceOp, Rank) override { return at_once(); }
  CollectiveTimes broadcast(BufferView, Rank) override { return at_once(); }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    auto times = at_once();
    if (all.data != mine.data) copy(all.data, mine);
    times.left = Clock::now();
    return times;
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp) override {
    auto times = at_once();
    copy(mine.data, all);
    times.left = Clock::now();
    return times;
  }
  CollectiveTimes barrier(std::optional<Seconds>) override { return at_once(); }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string&) override {
    return std::make_shared<LocalCommunicator>();
  }
  std::shared_ptr<CommunicatorInterface> split(std::int64_t, const std::string& purpose) override {
    return duplicate(purpose);
  }
  void set_clock_offset(Seconds) override {}
  void abort(const std::string& reason, ExitCode) noexcept override {
    const std::lock_guard lock(mutex_);
    if (reason_.empty()) reason_ = "rank 0 aborted: " + reason;
  }

  void throw_if_aborted() override {
    const std::lock_guard lock(mutex_);
    if (reason_.empty()) return;
    throw RunFailed({reason_, "nothing can be exchanged any more", "Look at that rank's log"});
  }

 private:
  [[nodiscard]] CollectiveTimes at_once() {
    throw_if_aborted();
    const auto now = Clock::now();
    return {now, now, now};
  }

  std::mutex mutex_;  ///< abort() comes from any thread
  std::string reason_;
};

}  // namespace

Communicator make_local_communicator() {
  return Communicator(std::make_shared<LocalCommunicator>());
}

}  // namespace scalestudy
