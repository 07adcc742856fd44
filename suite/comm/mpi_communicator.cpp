#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/back_ends.hpp"
#include "comm/mpi_session.hpp"
#include "comm/mpi_types.hpp"
#include "comm/reduction.hpp"
#include "comm/slot_block.hpp"
#include "comm/watchdog.hpp"

namespace scalestudy {

namespace {

int int_count(const ConstBufferView& view) {
  return static_cast<int>(view.count.value());
}

/// A duplicate, so that our messages cannot meet those of others.
class OwnComm {
 public:
  OwnComm(std::shared_ptr<MpiSession> session, MPI_Comm of) : session_(std::move(session)) {
    check_mpi(MPI_Comm_dup(of, &comm_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ~OwnComm() {
    if (session_->is_usable()) MPI_Comm_free(&comm_);
  }
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  std::shared_ptr<MpiSession> session_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// What rank 0 answers when all have come, or not.
struct Verdict {
  enum Kind : std::int32_t { go, silent, differs };
  std::int32_t kind = go;
  std::int32_t rank = 0;         ///< the one to blame
  CallSignature expected;        ///< what rank 0 called
  CallSignature found;           ///< what the other called
  std::int64_t all_arrived = 0;  ///< CommonClock's stamp
};

/// A blocking collective cannot time out. So all ranks first report to rank 0 by messages that can,
/// and enter the collective only when rank 0 has heard from everybody. Who stops later, inside the
/// collective, is noticed by the watchdog.
class MpiCommunicator final : public CommunicatorInterface {
 public:
  MpiCommunicator(std::shared_ptr<MpiSession> session,
                  MPI_Comm parent,
                  Seconds deadline,
                  std::int64_t most)
      : session_(std::move(session)),
        comm_(session_, parent),
        deadline_(deadline),
        most_(most),
        watchdog_(deadline, [this](const std::string& what) { end_job(what); }) {
    check_mpi(MPI_Comm_rank(comm_.get(), &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm_.get(), &size_), "MPI_Comm_size");
    transport_ = mpi_library_version();
  }

  [[nodiscard]] std::string_view name() const override { return "mpi"; }
  [[nodiscard]] std::string transport() const override { return transport_; }
  [[nodiscard]] Rank rank() const override { return Rank(rank_); }
  [[nodiscard]] WorldSize world_size() const override { return WorldSize(size_); }

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    const auto watched = begin({CallKind::all_reduce, buffer.type, op, 0, buffer.count.value()});
    for_each_chunk(buffer.count.value(), most_, [&](std::int64_t first, std::int64_t count) {
      reduce_in_place(part_of(buffer, first, count), op);
    });
    return finished();
  }

  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    const auto watched = begin({CallKind::reduce, buffer.type, op,
                                static_cast<std::int32_t>(root.value()), buffer.count.value()});
    for_each_chunk(buffer.count.value(), most_, [&](std::int64_t first, std::int64_t count) {
      const auto part = part_of(buffer, first, count);
      const bool is_root = rank() == root;
      check(MPI_Reduce(is_root ? MPI_IN_PLACE : part.data, is_root ? part.data : nullptr,
                       int_count(part), mpi_type(part.type), MpiOperation(part.type, op).get(),
                       static_cast<int>(root.value()), comm_.get()),
            "MPI_Reduce");
    });
    return finished();
  }

  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    const auto watched = begin({CallKind::broadcast, buffer.type, ReduceOp::sum,
                                static_cast<std::int32_t>(root.value()), buffer.count.value()});
    for_each_chunk(buffer.count.value(), most_, [&](std::int64_t first, std::int64_t count) {
      send_from(part_of(buffer, first, count), root);
    });
    return finished();
  }

  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    const auto watched =
        begin({CallKind::all_gather, mine.type, ReduceOp::sum, 0, mine.count.value()});
    const std::int64_t count = mine.count.value();
    if (count == 0) return finished();
    const auto my_place = part_of(all, rank_ * count, count);
    const bool is_in_place = mine.data == my_place.data;
    if (count <= most_) {
      check(MPI_Allgather(is_in_place ? MPI_IN_PLACE : mine.data, int_count(mine),
                          mpi_type(mine.type), all.data, int_count(mine), mpi_type(mine.type),
                          comm_.get()),
            "MPI_Allgather");
      return finished();
    }
    if (!is_in_place) copy(my_place.data, mine);
    for (Rank root; root.value() < size_; ++root) {
      for_each_chunk(count, most_, [&](std::int64_t first, std::int64_t length) {
        send_from(part_of(all, root.value() * count + first, length), root);
      });
    }
    return finished();
  }

  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    const auto watched = begin({CallKind::reduce_scatter, mine.type, op, 0, mine.count.value()});
    const std::int64_t count = mine.count.value();
    if (count == 0) return finished();
    const MpiOperation operation(mine.type, op);
    if (count <= most_) {
      check(MPI_Reduce_scatter_block(all.data, mine.data, int_count(mine), mpi_type(mine.type),
                                     operation.get(), comm_.get()),
            "MPI_Reduce_scatter_block");
      return finished();
    }
    for (Rank root; root.value() < size_; ++root) {
      for_each_chunk(count, most_, [&](std::int64_t first, std::int64_t length) {
        const auto part = part_of(all, root.value() * count + first, length);
        check(MPI_Reduce(part.data, part_of(mine, first, length).data, int_count(part),
                         mpi_type(part.type), operation.get(), static_cast<int>(root.value()),
                         comm_.get()),
              "MPI_Reduce");
      });
    }
    return finished();
  }

  /// The meeting at rank 0 is a barrier already.
  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    const auto usual = std::exchange(deadline_, deadline.value_or(deadline_));
    const auto watched = begin({});
    deadline_ = usual;
    return finished();
  }

  CollectiveTimes agree(const CallSignature& call) override {
    const auto watched = begin(call);
    return finished();
  }

  std::shared_ptr<CommunicatorInterface> duplicate(const std::string&) override {
    const auto watched = begin({});
    auto same = std::make_shared<MpiCommunicator>(session_, comm_.get(), deadline_, most_);
    same->clock_ = clock_;
    return same;
  }

  std::shared_ptr<CommunicatorInterface> split(std::int64_t group, const std::string&) override {
    const auto watched = begin({});
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_.get(), static_cast<int>(group), rank_, &part), "MPI_Comm_split");
    auto made = std::make_shared<MpiCommunicator>(session_, part, deadline_, most_);
    check(MPI_Comm_free(&part), "MPI_Comm_free");
    made->clock_ = clock_;
    return made;
  }

  void set_clock_offset(Seconds ahead) override { clock_.set_offset(ahead); }

  /// Ends the whole job: MPI has no way to free the peers alone.
  void abort(const std::string& reason, ExitCode exit_code) noexcept override {
    std::fprintf(stderr, "rank %d aborted: %s\n", rank_, reason.c_str());
    std::fflush(stderr);
    MPI_Abort(comm_.get(), static_cast<int>(exit_code));
  }

 private:
  static constexpr int arrival_tag = 1;
  static constexpr int verdict_tag = 2;

  void check(int code, std::string_view call) {
    if (code != MPI_SUCCESS) session_->mark_failed();
    check_mpi(code, call);
  }

  /// Each chunk has the deadline's time.
  template <class Body>
  void for_each_chunk(std::int64_t total, std::int64_t most, Body body) {
    for (std::int64_t first = 0; first < total; first += most) {
      watchdog_.renew();
      body(first, std::min(most, total - first));
    }
  }

  void reduce_in_place(const BufferView& part, ReduceOp op) {
    check(MPI_Allreduce(MPI_IN_PLACE, part.data, int_count(part), mpi_type(part.type),
                        MpiOperation(part.type, op).get(), comm_.get()),
          "MPI_Allreduce");
  }

  void send_from(const BufferView& part, Rank root) {
    check(MPI_Bcast(part.data, int_count(part), mpi_type(part.type), static_cast<int>(root.value()),
                    comm_.get()),
          "MPI_Bcast");
  }

  /// From another thread, while ours is inside MPI and will not return.
  void end_job(const std::string& call) noexcept {
    constexpr auto patience = std::chrono::seconds(5);
    const auto exit_now = [] { std::_Exit(static_cast<int>(ExitCode::run_failed)); };
    std::thread([=] {
      std::this_thread::sleep_for(patience);
      exit_now();  // MPI itself hangs
    }).detach();
    abort(cat(call, " did not end within ", human_duration(deadline_.count()),
              " after all ranks had come: one of them has stopped"),
          ExitCode::run_failed);
    exit_now();
  }

  /// Returns when all ranks have called the same; then the watchdog looks on.
  [[nodiscard]] Watchdog::Watch begin(const CallSignature& signature) {
    if (!failure_.empty()) fail(failure_);
    times_.entered = times_.all_arrived = Clock::now();
    const Call call{signature, clock_.stamp_of(times_.entered)};
    if (size_ > 1) meet(call);
    return watchdog_.watch(name_of(signature.kind).data());
  }

  [[nodiscard]] CollectiveTimes finished() {
    times_.left = Clock::now();
    return times_;
  }

  void meet(const Call& mine) {
    const CallSignature& call = mine.signature;
    const Verdict verdict = rank_ == 0 ? judge(mine) : report(mine);
    times_.all_arrived = clock_.own_time_of(verdict.all_arrived);
    const std::string who = cat("rank ", verdict.rank);
    if (verdict.kind == Verdict::silent) {
      fail(cat(who, " did not reach ", to_text(call), " within ",
               human_duration(deadline_.count())));
    }
    if (verdict.kind == Verdict::differs) {
      fail(cat(who, " called ", to_text(verdict.found), " where rank 0 called ",
               to_text(verdict.expected)));
    }
  }

  [[noreturn]] void fail(const std::string& problem) {
    failure_ = problem;
    session_->mark_failed();
    throw RunFailed({problem, "every rank has to take part in each collective operation",
                     "Look at the log of the rank named first"});
  }

  /// Rank 0: hears all, then answers all. The answer to a silent rank waits for it in its inbox.
  Verdict judge(const Call& call) {
    const Clock::time_point start = Clock::now();
    Verdict verdict;
    verdict.expected = call.signature;
    verdict.all_arrived = call.entered;
    for (int peer = 1; peer < size_ && verdict.kind == Verdict::go; ++peer) {
      Call theirs;
      if (!receive(&theirs, sizeof theirs, peer, arrival_tag, start, deadline_)) {
        verdict.kind = Verdict::silent;
      } else if (!(theirs.signature == call.signature)) {
        verdict.kind = Verdict::differs;
        verdict.found = theirs.signature;
      }
      verdict.rank = peer;
      verdict.all_arrived = std::max(verdict.all_arrived, theirs.entered);
    }
    for (int peer = 1; peer < size_; ++peer) send(verdict, peer, verdict_tag);
    return verdict;
  }

  /// The others: rank 0 itself may be waiting for a silent rank, so it gets twice the time.
  Verdict report(const Call& call) {
    send(call, 0, arrival_tag);
    Verdict verdict;
    if (!receive(&verdict, sizeof verdict, 0, verdict_tag, Clock::now(), 2 * deadline_)) {
      verdict.kind = Verdict::silent;
      verdict.rank = 0;
    }
    return verdict;
  }

  /// Messages this small are sent eagerly: the send completes whatever the receiver does.
  template <class Value>
  void send(const Value& value, int peer, int tag) {
    check(MPI_Send(&value, sizeof value, MPI_BYTE, peer, tag, comm_.get()), "MPI_Send");
  }

  [[nodiscard]] bool receive(
      void* into, std::size_t bytes, int peer, int tag, Clock::time_point start, Seconds limit) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, peer, tag, comm_.get(), &request),
          "MPI_Irecv");
    for (int turn = 0;; ++turn) {
      int is_done = 0;
      check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_done != 0) return true;
      if (turn < spins) continue;
      if (turn < spins + yields) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      if (turn % 64 == 63 && Clock::now() - start > limit) break;
    }
    return !cancelled(request);
  }

  /// `into` is MPI's until the request is complete: it may have been served meanwhile.
  [[nodiscard]] bool cancelled(MPI_Request& request) {
    check(MPI_Cancel(&request), "MPI_Cancel");
    MPI_Status status;
    check(MPI_Wait(&request, &status), "MPI_Wait");
    int is_cancelled = 0;
    check(MPI_Test_cancelled(&status, &is_cancelled), "MPI_Test_cancelled");
    return is_cancelled != 0;
  }

  /// Tests in a row, for ranks in step; about 5 µs. A rank that comes even a system call later
  /// makes the sum of 32 KiB to 1 MiB that follows a third slower.
  static constexpr int spins = 64;
  /// Tests before a waiting thread leaves its core to the one that computes; about 100 µs.
  static constexpr int yields = 200;

  std::shared_ptr<MpiSession> session_;
  OwnComm comm_;
  Seconds deadline_;
  std::int64_t most_;
  int rank_ = 0;
  int size_ = 1;
  std::string transport_;
  std::string failure_;
  CommonClock clock_;
  CollectiveTimes times_;
  Watchdog watchdog_;  ///< last: it uses all of the above
};

}  // namespace

Communicator make_mpi_communicator(const Rendezvous& rendezvous,
                                   Seconds deadline,
                                   std::int64_t elements_per_call) {
  auto session = MpiSession::join();
  auto comm =
      std::make_shared<MpiCommunicator>(session, MPI_COMM_WORLD, deadline, elements_per_call);
  if (comm->world_size() == rendezvous.world_size && comm->rank() == rendezvous.rank) {
    return Communicator(std::move(comm));
  }
  throw RunFailed(
      {cat("MPI says rank ", comm->rank(), " of ", comm->world_size(), ", but ", rendezvous.source,
           " says rank ", rendezvous.rank, " of ", rendezvous.world_size),
       "the ranks would train as separate jobs",
       "Start them with the mpirun of the MPI that this build links"});
}

}  // namespace scalestudy
