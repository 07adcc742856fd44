#include "comm/observed_communicator.hpp"

#include <thread>
#include <utility>

#include "comm/forwarding_communicator.hpp"

namespace scalestudy {
namespace {

/// What is called around each operation.
struct Hooks {
  std::function<void()> before;
  std::function<CollectiveTimes(CollectiveTimes, ByteCount)> after;
};

class ObservedCommunicator final : public ForwardingCommunicator {
 public:
  ObservedCommunicator(Communicator comm, Hooks hooks)
      : ForwardingCommunicator(std::move(comm)), hooks_(std::move(hooks)) {}
  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return around(buffer.bytes(), [&] { return comm().all_reduce(buffer, op); });
  }
  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    return around(buffer.bytes(), [&] { return comm().reduce(buffer, op, root); });
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return around(buffer.bytes(), [&] { return comm().broadcast(buffer, root); });
  }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return around(all.bytes(), [&] { return comm().all_gather(mine, all); });
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return around(all.bytes(), [&] { return comm().reduce_scatter(all, mine, op); });
  }
  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    return around(ByteCount(0), [&] { return ForwardingCommunicator::barrier(deadline); });
  }
  CollectiveTimes agree(const CallSignature& call) override {
    return around(ByteCount(0), [&] { return comm().agree(call); });
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return std::make_shared<ObservedCommunicator>(comm().duplicate(purpose), hooks_);
  }
  std::shared_ptr<CommunicatorInterface> split(std::int64_t group,
                                               const std::string& purpose) override {
    return std::make_shared<ObservedCommunicator>(comm().split(group, purpose), hooks_);
  }

 private:
  template <class Operation>
  CollectiveTimes around(ByteCount bytes, const Operation& operation) {
    if (hooks_.before) hooks_.before();
    return hooks_.after(operation(), bytes);
  }

  Hooks hooks_;
};

}  // namespace

Communicator observed(const Communicator& comm,
                      CollectiveObserver observer,
                      std::function<void()> before) {
  auto after = [observer = std::move(observer)](CollectiveTimes times, ByteCount) {
    return observer(times);
  };
  return Communicator(
      std::make_shared<ObservedCommunicator>(comm, Hooks{std::move(before), std::move(after)}));
}

Communicator slowed(const Communicator& comm, double rate_bytes_per_s) {
  const auto after = [rate_bytes_per_s](CollectiveTimes times, ByteCount bytes) {
    const Seconds least(static_cast<double>(bytes.value()) / rate_bytes_per_s);
    const auto end = times.all_arrived + std::chrono::duration_cast<Clock::duration>(least);
    if (times.left >= end) return times;
    std::this_thread::sleep_until(end);
    times.left = Clock::now();
    return times;
  };
  return Communicator(std::make_shared<ObservedCommunicator>(comm, Hooks{nullptr, after}));
}

}  // namespace scalestudy
