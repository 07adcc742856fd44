#include "comm/nccl_communicator.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/nccl_connection.hpp"

namespace scalestudy {

namespace {

int nccl_type(DataType type) {
  switch (type) {
    case DataType::float32:
      return nccl_float32;
    case DataType::float64:
      return nccl_float64;
    case DataType::int64:
      return nccl_int64;
    case DataType::uint8:
      return nccl_uint8;
    case DataType::float16:
      return nccl_float16;
    case DataType::bfloat16:
      return nccl_bfloat16;
  }
  return nccl_uint8;
}

int nccl_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return nccl_sum;
    case ReduceOp::min:
      return nccl_min;
    case ReduceOp::max:
      return nccl_max;
  }
  return nccl_sum;
}

std::size_t size_count(const ConstBufferView& view) {
  return view.count.value() > 0 ? static_cast<std::size_t>(view.count.value()) : 0;
}

/// The id is NCCL's way to find the others; it travels by the host.
NcclUniqueId shared_id(const NcclApi& api, const Communicator& host) {
  NcclUniqueId id;
  if (host.is_root()) id = NcclConnection::make_id(api);
  host.broadcast({id.bytes.data(), ElementCount(id.bytes.size()), DataType::uint8}, Rank(0));
  return id;
}

class Nccl final : public NcclCommunicator {
 public:
  Nccl(std::shared_ptr<NcclDevice> device, Communicator host, Seconds deadline)
      : device_(std::move(device)), host_(std::move(host)), deadline_(deadline), clock_(device_) {
    const NcclConnection::Place place{shared_id(device_->api(), host_), rank(), world_size()};
    guarded([&] {
      connection_ =
          std::make_shared<NcclConnection>(device_, place, look("ncclCommInitRankConfig"));
    });
    int version = 0;
    device_->api().version(&version);
    transport_ = cat("NCCL ", nccl_version_text(version), "; arrivals by ", host_.transport(),
                     ", of what is on streams by the device's stamps, to ",
                     human_duration(clock_.resolution().count()));
  }

  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  [[nodiscard]] std::string transport() const override { return transport_; }
  [[nodiscard]] Rank rank() const override { return host_.rank(); }
  [[nodiscard]] WorldSize world_size() const override { return host_.world_size(); }

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    return run({CallKind::all_reduce, buffer.type, op, 0, buffer.count.value()},
               [&](ncclComm* comm, CudaStream stream) {
                 return api().all_reduce(buffer.data, buffer.data, size_count(buffer),
                                         nccl_type(buffer.type), nccl_op(op), comm, stream);
               });
  }

  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    const auto at = static_cast<int>(root.value());
    return run({CallKind::reduce, buffer.type, op, at, buffer.count.value()},
               [&](ncclComm* comm, CudaStream stream) {
                 return api().reduce(buffer.data, buffer.data, size_count(buffer),
                                     nccl_type(buffer.type), nccl_op(op), at, comm, stream);
               });
  }

  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    const auto from = static_cast<int>(root.value());
    return run({CallKind::broadcast, buffer.type, ReduceOp::sum, from, buffer.count.value()},
               [&](ncclComm* comm, CudaStream stream) {
                 return api().broadcast(buffer.data, buffer.data, size_count(buffer),
                                        nccl_type(buffer.type), from, comm, stream);
               });
  }

  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    return run({CallKind::all_gather, mine.type, ReduceOp::sum, 0, mine.count.value()},
               [&](ncclComm* comm, CudaStream stream) {
                 return api().all_gather(mine.data, all.data, size_count(mine),
                                         nccl_type(mine.type), comm, stream);
               });
  }

  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    return run({CallKind::reduce_scatter, mine.type, op, 0, mine.count.value()},
               [&](ncclComm* comm, CudaStream stream) {
                 return api().reduce_scatter(all.data, mine.data, size_count(mine),
                                             nccl_type(mine.type), nccl_op(op), comm, stream);
               });
  }

  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    throw_if_failed();
    return guarded([&] { return deadline ? host_.barrier(*deadline) : host_.barrier(); });
  }

  CollectiveTimes agree(const CallSignature& call) override {
    throw_if_failed();
    return guarded([&] { return host_.agree(call); });
  }

  void throw_if_aborted() override { host_.throw_if_aborted(); }
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

  void set_clock_offset(Seconds ahead) override {
    host_.set_clock_offset(ahead);
    common_clock_.set_offset(ahead);
  }

  StartedCollective start_all_reduce(BufferView buffer, ReduceOp op, CudaEvent after) override {
    throw_if_failed();
    device_->use();
    StartedCollective started{{CallKind::all_reduce, buffer.type, op, 0, buffer.count.value()},
                              device_->event(),
                              device_->event()};
    guarded([&] {
      host_.throw_if_aborted();
      auto& stream = connection_->stream();
      stream.wait_for(after);
      started.begun->record_on(stream.get());
      launch(started.call, [&](ncclComm* comm, CudaStream on) {
        return api().all_reduce(buffer.data, buffer.data, size_count(buffer),
                                nccl_type(buffer.type), nccl_op(op), comm, on);
      });
      started.ended->record_on(stream.get());
    });
    return started;
  }

  void make_wait(CudaStream stream, const StartedCollective& started) override {
    device_->use();
    device_->check(api().stream_wait(stream, started.ended->get(), 0), "cudaStreamWaitEvent");
  }

  /// Who times out asks on the host who else does: a rank that is missing there has not come.
  void wait_for(const StartedCollective& started) override {
    throw_if_failed();
    device_->use();
    const Stopwatch waited;
    const auto find_the_silent = [&] {
      host_.throw_if_aborted();
      if (waited.elapsed_s() < deadline_.count()) return;
      host_.agree(started.call);
      fail_late(to_text(started.call));
    };
    guarded([&] { connection_->await(*started.ended, to_text(started.call), find_the_silent); });
  }

  [[nodiscard]] Seconds resolution() const override { return clock_.resolution(); }

  std::vector<CollectiveTimes> times_of(std::span<const StartedCollective> started) override {
    throw_if_failed();
    device_->use();
    std::vector<CollectiveTimes> times;
    std::vector<std::int64_t> stamps;
    for (const auto& each : started) {
      const auto entered = clock_.time_of(*each.begun);
      times.push_back({entered, entered, clock_.time_of(*each.ended)});
      stamps.push_back(common_clock_.stamp_of(entered));
    }
    const auto all = guarded([&] {
      require_alike(started);
      return all_of(stamps);
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& latest = times[i % times.size()].all_arrived;
      latest = std::max(latest, common_clock_.own_time_of(all[i]));
    }
    for (auto& each : times) each.all_arrived = std::min(each.all_arrived, each.left);
    clock_.renew();
    return times;
  }

 private:
  [[nodiscard]] const NcclApi& api() const { return device_->api(); }

  void throw_if_failed() const {
    if (failure_) std::rethrow_exception(failure_);
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
  auto body_or_who_ended(const Body& body) -> decltype(body()) {
    try {
      return body();
    } catch (const RunFailed&) {
      name_who_ended();
      throw;
    }
  }

  /// After any failure the ranks no longer stand at the same place: it stays, and the peers hear of
  /// it.
  template <class Body>
  auto guarded(const Body& body) -> decltype(body()) {
    try {
      return body_or_who_ended(body);
    } catch (const std::exception& error) {
      failure_ = std::current_exception();
      host_.abort(error.what());
      device_->abort_all(error.what());
      throw;
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

  template <class Operation>
  void launch(const CallSignature& call, const Operation& operation) {
    if (call.count == 0) return;  // the ranks have met, and there is nothing to do
    connection_->launch(to_text(call), operation, look(to_text(call)));
  }

  template <class Operation>
  CollectiveTimes run(const CallSignature& call, const Operation& operation) {
    throw_if_failed();
    device_->use();
    std::unique_lock turn(device_->turns(), std::defer_lock);
    return guarded([&] {
      if (host_.is_root()) turn.lock();
      auto times = host_.agree(call);
      if (!turn.owns_lock()) turn.lock();
      const auto ended = device_->event();
      launch(call, operation);
      ended->record_on(connection_->stream().get());
      connection_->await(*ended, to_text(call), look(to_text(call)));
      times.left = Clock::now();
      return times;
    });
  }

  /// Which numbers of elements were summed, of which type and how, compared with rank 0's.
  void require_alike(std::span<const StartedCollective> started) const {
    std::vector<std::int64_t> mine;
    for (const auto& [call, begun, ended] : started) {
      mine.push_back(call.count);
      mine.push_back(static_cast<std::int64_t>(call.type));
      mine.push_back(static_cast<std::int64_t>(call.op));
    }
    const auto all = all_of(mine);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != all[i % mine.size()])
        fail_unlike(all, i / mine.size(), i % mine.size() / 3, mine.size());
  }

  [[noreturn]] static void fail_unlike(std::span<const std::int64_t> all,
                                       std::size_t rank,
                                       std::size_t number,
                                       std::size_t length) {
    const auto call_at = [&](std::size_t first) {
      return to_text({CallKind::all_reduce, static_cast<DataType>(all[first + 1]),
                      static_cast<ReduceOp>(all[first + 2]), 0, all[first]});
    };
    throw RunFailed({cat("rank ", rank, " called ", call_at(rank * length + 3 * number),
                         " where rank 0 called ", call_at(3 * number)),
                     "sums of different numbers of elements are wrong on all ranks",
                     "Look at the log of the rank named first"});
  }

  [[nodiscard]] std::vector<std::int64_t> all_of(std::span<const std::int64_t> mine) const {
    std::vector<std::int64_t> all(mine.size() * world_size().index());
    host_.all_gather(const_view_of(mine), view_of(std::span(all)));
    return all;
  }

  std::shared_ptr<NcclDevice> device_;
  Communicator host_;
  Seconds deadline_;
  DeviceClock clock_;
  CommonClock common_clock_;
  std::shared_ptr<NcclConnection> connection_;
  std::string transport_;
  std::exception_ptr failure_;
};

}  // namespace

std::shared_ptr<NcclCommunicator> make_nccl_communicator(std::shared_ptr<NcclDevice> device,
                                                         const Communicator& host,
                                                         Seconds deadline) {
  return std::make_shared<Nccl>(std::move(device), host, deadline);
}

}  // namespace scalestudy
