#include "comm/observed_communicator.hpp"

#include <thread>
#include <utility>

namespace scalestudy {
namespace {

class ObservedCommunicator final : public CommunicatorInterface {
 public:
  ObservedCommunicator(Communicator comm, CollectiveObserver observer)
      : comm_(std::move(comm)), observer_(std::move(observer)) {}

  [[nodiscard]] std::string_view name() const override { return comm_.name(); }
  [[nodiscard]] std::string transport() const override { return comm_.transport(); }
  [[nodiscard]] Rank rank() const override { return comm_.rank(); }
  [[nodiscard]] WorldSize world_size() const override { return comm_.world_size(); }
  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return observer_(comm_.all_reduce(buffer, op));
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return observer_(comm_.broadcast(buffer, root));
  }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return observer_(comm_.all_gather(mine, all));
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return observer_(comm_.reduce_scatter(all, mine, op));
  }
  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    return observer_(deadline ? comm_.barrier(*deadline) : comm_.barrier());
  }
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return std::make_shared<ObservedCommunicator>(comm_.duplicate(purpose),
                                                  [](CollectiveTimes times) { return times; });
  }
  void abort(const std::string& reason, ExitCode exit_code) noexcept override {
    comm_.abort(reason, exit_code);
  }
  void set_clock_offset(Seconds ahead) override { comm_.set_clock_offset(ahead); }

 private:
  Communicator comm_;
  CollectiveObserver observer_;
};

}  // namespace

Communicator observed(const Communicator& comm, CollectiveObserver observer) {
  return Communicator(std::make_shared<ObservedCommunicator>(comm, std::move(observer)));
}

Communicator held(const Communicator& comm, Seconds hold) {
  return observed(comm, [hold](CollectiveTimes times) {
    std::this_thread::sleep_for(hold);
    times.left = Clock::now();
    return times;
  });
}

}  // namespace scalestudy
