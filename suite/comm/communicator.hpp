#pragma once
/// One interface for everything that joins ranks; back-ends: local, threads, shm, mpi, and nccl,
/// whose buffers are memory of a GPU (comm/nccl_communicator.hpp).
/// Every operation is collective: all ranks call it, in the same order, with equal counts and
/// types, and learn when all had come. A communicator may be used by one thread at a time, not
/// necessarily always the same; what runs beside it takes a duplicate.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/ids.hpp"

#include "comm/started_collective.hpp"

namespace scalestudy {

class Communicator;

/// What a back-end implements. Deadlines, failure and order rules are those of Communicator.
class CommunicatorInterface {
 public:
  virtual ~CommunicatorInterface();
  [[nodiscard]] virtual std::string_view name() const = 0;  ///< "shm"
  [[nodiscard]] virtual std::string transport() const = 0;  ///< for the record: "shared memory"
  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual WorldSize world_size() const = 0;
  virtual CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) = 0;
  virtual CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) = 0;
  virtual CollectiveTimes broadcast(BufferView buffer, Rank root) = 0;
  virtual CollectiveTimes all_gather(ConstBufferView mine, BufferView all) = 0;
  virtual CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) = 0;
  /// Where the back-end works on a stream: puts `call` there and returns. Else carries it out.
  virtual StartedCollective start(const CollectiveCall& call, CudaEvent after);
  [[nodiscard]] virtual bool is_on_stream() const { return false; }
  /// Where the memory is that its operations work on.
  [[nodiscard]] virtual int place() const { return host_memory; }
  /// Of the same ranks, for memory of the host; null: this one.
  [[nodiscard]] virtual const Communicator* host() const { return nullptr; }
  /// `deadline` instead of the communicator's own, if given.
  virtual CollectiveTimes barrier(std::optional<Seconds> deadline) = 0;
  /// Before a call that is carried out elsewhere: a barrier whose failures name that call, and in
  /// which ranks that are about to call different ones fail. Where a back-end has no such names, a
  /// barrier.
  virtual CollectiveTimes agree(const CallSignature& call);
  /// Throws what any operation would since a peer aborted, where that can be known without asking
  /// the peers. Local, also while another thread is in an operation.
  virtual void throw_if_aborted();
  /// Throws, naming it, when the process of a peer has ended, where that can be known. For who has
  /// seen a failure of which it does not know the cause: a peer may also have come to its good end.
  /// Local.
  virtual void throw_if_ended();
  virtual std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) = 0;
  virtual std::shared_ptr<CommunicatorInterface> split(std::int64_t group,
                                                       const std::string& purpose) = 0;
  virtual std::shared_ptr<std::byte> allocate(ByteCount bytes);
  virtual void abort(const std::string& reason, ExitCode exit_code) noexcept = 0;

  /// What rank 0's clock is ahead of this rank's. Not while an operation runs.
  virtual void set_clock_offset(Seconds ahead) = 0;
};

/// What ranks tell each other about time: nanoseconds of rank 0's steady clock.
class CommonClock {
 public:
  void set_offset(Seconds ahead) {
    ahead_ = std::chrono::duration_cast<std::chrono::nanoseconds>(ahead);
  }
  [[nodiscard]] std::int64_t stamp_of(Clock::time_point own) const {
    return std::chrono::nanoseconds(own.time_since_epoch() + ahead_).count();
  }
  [[nodiscard]] Clock::time_point own_time_of(std::int64_t stamp) const {
    return Clock::time_point(std::chrono::nanoseconds(stamp) - ahead_);
  }

 private:
  std::chrono::nanoseconds ahead_{0};
};

/// Value type; copies share the back-end. Errors of all operations: RunFailed naming the silent
/// rank when the deadline passes, or the reason when a peer aborted or died.
class Communicator {
 public:
  explicit Communicator(std::shared_ptr<CommunicatorInterface> back_end);

  [[nodiscard]] std::string_view name() const { return back_end_->name(); }
  [[nodiscard]] std::string transport() const { return back_end_->transport(); }
  [[nodiscard]] Rank rank() const { return back_end_->rank(); }
  [[nodiscard]] WorldSize world_size() const { return back_end_->world_size(); }
  [[nodiscard]] bool is_root() const { return rank() == Rank(0); }

  /// In place. The result is bit-equal on all ranks. Collective, blocking. Zero length is legal.
  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op = ReduceOp::sum) const;

  /// In place at `root`; the others keep what they have. Collective; who is not `root` may return
  /// before the result is there.
  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) const;

  /// Collective, blocking.
  CollectiveTimes broadcast(BufferView buffer, Rank root) const;

  /// `all` has world_size × mine.count elements, in rank order; `mine` may lie at its place there.
  /// Collective, blocking.
  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) const;

  /// `all` has world_size × mine.count elements; rank r receives the reduced r-th part.
  /// Collective, blocking.
  CollectiveTimes reduce_scatter(ConstBufferView all,
                                 BufferView mine,
                                 ReduceOp op = ReduceOp::sum) const;

  /// Whether start() returns before the collective has ended, which then runs on a stream of the
  /// device; its memory is the device's.
  [[nodiscard]] bool is_on_stream() const { return back_end_->is_on_stream(); }

  [[nodiscard]] int place() const { return back_end_->place(); }

  /// The same ranks' communicator for memory of the host; this one where it is for that. Local.
  [[nodiscard]] Communicator host() const;

  /// On a stream: after what stood in the stream that `after` was recorded on when it was; returns
  /// without waiting for the device or for the peers. Else carries the call out; `after` is null.
  /// Collective. Errors: those of the operation; on a stream, those of calls before it, too.
  StartedCollective start(const CollectiveCall& call, CudaEvent after) const;

  /// Collective, blocking.
  CollectiveTimes barrier() const;

  /// A barrier that waits up to `deadline`, after work that takes ranks differently long.
  /// Collective, blocking.
  CollectiveTimes barrier(Seconds deadline) const;

  /// A barrier before a call that is made elsewhere, for which all ranks must have come: who is
  /// missing is missed at that call, and ranks about to call different ones fail. Collective,
  /// blocking.
  CollectiveTimes agree(const CallSignature& call) const { return back_end_->agree(call); }

  /// Errors: RunFailed when a peer has aborted and this rank can know. Local; the only operation
  /// that another thread may call meanwhile, besides abort().
  void throw_if_aborted() const { back_end_->throw_if_aborted(); }

  /// After a failure of unknown cause. Errors: RunFailed naming a peer whose process has ended, if
  /// this rank can know. Local.
  void throw_if_ended() const { back_end_->throw_if_ended(); }

  /// The same ranks again, for collectives that run beside those of this one. `purpose` is the same
  /// on all ranks and used once. Collective, blocking.
  [[nodiscard]] Communicator duplicate(const std::string& purpose) const;

  /// The ranks that name the same `group`, from 0, in the same order: a communicator of their own.
  /// `purpose` as for duplicate(). Collective, blocking.
  [[nodiscard]] Communicator split(std::int64_t group, const std::string& purpose) const;

  /// Memory of this rank, zeros, in which its large all-reduces are cheapest: where ranks can reach
  /// each other's memory they sum in it, and nothing is copied to be sent. Null where any memory is
  /// as good. At most once for each communicator, of as much on all ranks. Collective, blocking.
  /// Errors: Unavailable when there is not enough of it.
  [[nodiscard]] std::shared_ptr<std::byte> allocate(ByteCount bytes) const;

  /// From now on CollectiveTimes hold although this rank's clock is not rank 0's: that one is
  /// `ahead` of it (comm/clock_offset.hpp). Holds for later duplicates, too. Local.
  void set_clock_offset(Seconds ahead) const { back_end_->set_clock_offset(ahead); }

  /// Frees all peers: their current and later operations throw; with MPI the whole job ends with
  /// `exit_code`. Local, never throws.
  void abort(const std::string& reason, ExitCode exit_code = ExitCode::run_failed) const noexcept {
    back_end_->abort(reason, exit_code);
  }

 private:
  std::shared_ptr<CommunicatorInterface> back_end_;
};

/// Helpers on top of these operations. Collective.
[[nodiscard]] double all_reduce_value(const Communicator& comm,
                                      double value,
                                      ReduceOp op = ReduceOp::sum);
/// Every rank's text, in rank order; lengths may differ. Collective.
[[nodiscard]] std::vector<std::string> all_gather_text(const Communicator& comm,
                                                       const std::string& mine);

}  // namespace scalestudy
