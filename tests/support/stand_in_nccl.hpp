#pragma once
/// A stand-in for GPUs, the CUDA runtime and NCCL, behind the same functions: memory of the host,
/// streams that are threads with a queue, collectives that wait for each other. What it does is in
/// order or out of order as on GPUs; how long it takes means nothing, and no figure comes from it.
///
/// Every stream remembers what it knows to have ended (a vector clock). Two accesses to the same
/// memory, one of them a write, of which neither knows the other to have ended, are a hazard,
/// whoever was first this time.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"

#include "comm/nccl_api.hpp"

namespace scalestudy {

class StandInMachine;

/// Where the ranks are that a communicator joins.
enum class StandInPeers { threads, processes };

class StandInGpus {
 public:
  explicit StandInGpus(int count, StandInPeers peers = StandInPeers::threads);
  ~StandInGpus();
  StandInGpus(const StandInGpus&) = delete;
  StandInGpus& operator=(const StandInGpus&) = delete;

  [[nodiscard]] std::shared_ptr<const NcclApi> api() const { return api_; }

  /// The stream computes for so long.
  void work(CudaStream stream, Seconds duration);

  // What goes wrong. To be planted before it may.

  /// Every collective of this GPU begins so much later than it could.
  void delay_collectives(int gpu, Seconds by);
  /// The GPU's collectives after the next `count` report a remote error and do not end.
  void break_after(int gpu, int count);
  /// Collectives of different counts end, with nothing summed; otherwise they hang. NCCL does
  /// either.
  void let_different_counts_pass();
  /// Both numbers are one GPU.
  void show_as(int gpu, int other);
  /// ncclCommInitRankConfig of this GPU stays in progress.
  void never_join(int gpu);
  /// ncclCommInitRankConfig of this GPU fails.
  void refuse_to_join(int gpu);
  /// Of memory that later allocations find.
  void leave_memory(std::size_t bytes);
  /// As a library before 2.19: it registers no memory.
  [[nodiscard]] std::shared_ptr<const NcclApi> older_api() const;

  /// "stream 2 writes what all_reduce of stream 5 may still use", in the order they were found.
  [[nodiscard]] std::vector<std::string> hazards() const;

  [[nodiscard]] int registered_count() const;         ///< now
  [[nodiscard]] int allocated_count() const;          ///< now
  [[nodiscard]] int aborted_count() const;            ///< communicators, since the begin
  [[nodiscard]] int greatest_priority() const;        ///< what a stream of the back-end should have
  [[nodiscard]] std::vector<int> priorities() const;  ///< of all streams, as they were made

 private:
  std::unique_ptr<StandInMachine> machine_;
  std::shared_ptr<const NcclApi> api_;
};

}  // namespace scalestudy
