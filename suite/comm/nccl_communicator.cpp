#include "comm/nccl_communicator.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/nccl_calls.hpp"
#include "comm/nccl_connection.hpp"
#include "comm/stream_watch.hpp"

namespace scalestudy {

namespace {

/// The id is NCCL's way to find the others; it travels by the host.
NcclUniqueId shared_id(const NcclApi& api, const Communicator& host) {
  NcclUniqueId id;
  if (host.is_root()) id = NcclConnection::make_id(api);
  host.broadcast({id.bytes.data(), ElementCount(id.bytes.size()), DataType::uint8}, Rank(0));
  return id;
}

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "unknown";
  }
}

class Nccl final : public CommunicatorInterface {
 public:
  Nccl(std::shared_ptr<NcclDevice> device, Communicator host, Seconds deadline)
      : device_(std::move(device)),
        host_(std::move(host)),
        watch_host_(host_.duplicate("watch")),
        deadline_(deadline) {
    const NcclConnection::Place place{shared_id(device_->api(), host_), rank(), world_size()};
    guarded([&] {
      connection_ =
          std::make_shared<NcclConnection>(device_, place, look("ncclCommInitRankConfig"));
    });
    int version = 0;
    device_->api().version(&version);
    watch_.emplace([this](const auto& started, const auto& look) { watch(started, look); },
                   [this](const std::exception_ptr& error) { fail_all(error); });
    transport_ = cat("NCCL ", nccl_version_text(version), "; arrivals by ", host_.transport(),
                     ", of what is on streams by the device's stamps");
  }

  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  [[nodiscard]] std::string transport() const override { return transport_; }
  [[nodiscard]] Rank rank() const override { return host_.rank(); }
  [[nodiscard]] WorldSize world_size() const override { return host_.world_size(); }

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return run(all_reduce_of(buffer, op));
  }
  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    return run(reduce_of(buffer, op, root));
  }
  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    return run(broadcast_of(buffer, root));
  }
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return run(all_gather_of(mine, all));
  }
  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return run(reduce_scatter_of(all, mine, op));
  }

  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    throw_if_failed();
    return guarded([&] { return deadline ? host_.barrier(*deadline) : host_.barrier(); });
  }

  CollectiveTimes agree(const CallSignature& call) override {
    throw_if_failed();
    return guarded([&] { return host_.agree(call); });
  }

  void throw_if_aborted() override {
    throw_if_failed();
    host_.throw_if_aborted();
    // Another communicator's failure ends this one before the thread that looks on knows.
    if (connection_ != nullptr) connection_->throw_if_ended();
  }
  void throw_if_ended() override { host_.throw_if_ended(); }

  /// Not ncclCommSplit: what shares connections also shares their end.
  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    throw_if_failed();
    return std::make_shared<Nccl>(device_, host_.duplicate(purpose), deadline_);
  }

  std::shared_ptr<CommunicatorInterface> split(std::int64_t group,
                                               const std::string& purpose) override {
    throw_if_failed();
    return std::make_shared<Nccl>(device_, host_.split(group, purpose), deadline_);
  }

  std::shared_ptr<std::byte> allocate(ByteCount bytes) override {
    throw_if_failed();
    return NcclConnection::allocate(connection_, bytes);
  }

  /// The host's operations learn it. NCCL's are ended by the thread that waits for them.
  void abort(const std::string& reason, ExitCode exit_code) noexcept override {
    host_.abort(reason, exit_code);
  }

  void set_clock_offset(Seconds ahead) override { host_.set_clock_offset(ahead); }

  [[nodiscard]] bool is_on_stream() const override { return true; }
  [[nodiscard]] int place() const override { return device_->index(); }
  [[nodiscard]] const Communicator* host() const override { return &host_; }

  StartedCollective start(const CollectiveCall& call, CudaEvent after) override {
    throw_if_failed();
    device_->use();
    StartedCollective started{call.signature, {}, device_->event(), device_->event()};
    guarded([&] {
      host_.throw_if_aborted();
      auto& stream = connection_->stream();
      stream.wait_for(after);
      started.begun->record_on(stream.get());
      launch(call);
      started.ended->record_on(stream.get());
    });
    watch_->add(started);
    return started;
  }

 private:
  [[nodiscard]] const NcclApi& api() const { return device_->api(); }

  void throw_if_failed() const {
    const std::lock_guard lock(failure_mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

  /// After any failure the ranks no longer stand at the same place: the first one stays, the peers
  /// hear of it, and what waits for the device goes on. Returns the first one.
  std::exception_ptr fail_all(const std::exception_ptr& error) {
    std::exception_ptr first;
    {
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = error;
      first = failure_;
    }
    const auto reason = text_of(first);
    host_.abort(reason);
    watch_host_.abort(reason);
    device_->abort_all(reason);
    return first;
  }

  /// In a thread of its own. Who times out asks on the host who else does: a rank that is missing
  /// there has not come.
  void watch(const StartedCollective& started, const std::function<void()>& is_wanted) {
    device_->use();
    const Stopwatch waited;
    const auto find_the_silent = [&] {
      is_wanted();
      host_.throw_if_aborted();
      if (waited.elapsed_s() < deadline_.count()) return;
      watch_host_.agree(started.call);
      fail_late(to_text(started.call));
    };
    with_who_ended([&] {
      connection_->await(*started.ended, to_text(started.call), find_the_silent, Seconds(0.005));
    });
  }

  /// NCCL says that something failed, not at which rank.
  void name_who_ended() const {
    constexpr double patience_s = 0.2;  // a process's connections end a little before it does
    const Stopwatch waited;
    while (connection_ != nullptr && connection_->has_failed() && waited.elapsed_s() < patience_s) {
      host_.throw_if_ended();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  template <class Body>
  auto with_who_ended(const Body& body) -> decltype(body()) {
    try {
      return body();
    } catch (const RunFailed&) {
      name_who_ended();
      throw;
    }
  }

  template <class Body>
  auto guarded(const Body& body) -> decltype(body()) {
    try {
      return with_who_ended(body);
    } catch (...) {
      std::rethrow_exception(fail_all(std::current_exception()));
    }
  }

  [[noreturn]] void fail_late(const std::string& what) const {
    throw RunFailed({cat(what, " did not end within ", human_duration(deadline_.count()),
                         " after all ranks had come"),
                     "every rank has to take part in each collective operation",
                     "Look for a rank that has stopped, or for operations of two communicators "
                     "that were started in different orders"});
  }

  /// What a wait does meanwhile.
  [[nodiscard]] NcclConnection::Look look(const std::string& what) const {
    return [this, what, waited = Stopwatch()] {
      host_.throw_if_aborted();
      if (waited.elapsed_s() > deadline_.count()) fail_late(what);
    };
  }

  void launch(const CollectiveCall& call) {
    if (call.signature.count == 0) return;  // the ranks have met, and there is nothing to do
    const auto text = to_text(call.signature);
    connection_->launch(
        text,
        [&](ncclComm* comm, CudaStream stream) {
          return put_into_stream(api(), call, comm, stream);
        },
        look(text));
  }

  CollectiveTimes run(const CollectiveCall& call) {
    throw_if_failed();
    device_->use();
    std::unique_lock turn(device_->turns(), std::defer_lock);
    return guarded([&] {
      if (host_.is_root()) turn.lock();
      auto times = host_.agree(call.signature);
      if (!turn.owns_lock()) turn.lock();
      const auto ended = device_->event();
      launch(call);
      ended->record_on(connection_->stream().get());
      const auto text = to_text(call.signature);
      connection_->await(*ended, text, look(text), {});
      times.left = Clock::now();
      return times;
    });
  }

  std::shared_ptr<NcclDevice> device_;
  Communicator host_;
  Communicator watch_host_;  ///< of the thread that looks on
  Seconds deadline_;
  std::shared_ptr<NcclConnection> connection_;
  std::string transport_;
  mutable std::mutex failure_mutex_;
  std::exception_ptr failure_;        ///< guarded by failure_mutex_
  std::optional<StreamWatch> watch_;  ///< last: it uses all of the above
};

}  // namespace

std::shared_ptr<CommunicatorInterface> make_nccl_communicator(std::shared_ptr<NcclDevice> device,
                                                              const Communicator& host,
                                                              Seconds deadline) {
  return std::make_shared<Nccl>(std::move(device), host, deadline);
}

}  // namespace scalestudy
