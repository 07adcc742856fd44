#pragma once
/// The inside of the stand-in: streams, events, communicators.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"

#include "comm/nccl_api.hpp"

#include "tests/support/stand_in_memory.hpp"
#include "tests/support/stand_in_nccl.hpp"

struct StandInMark {
  std::atomic<bool> has_passed{false};
  scalestudy::Clock::time_point time;  ///< written before it has passed
};

struct CUevent_st {
  std::shared_ptr<StandInMark> mark;  ///< of the last record
  scalestudy::StandInKnowledge knowledge;
  int gpu = 0;
};

struct CUstream_st {
  int id = 0;
  int gpu = 0;
  int priority = 0;
  scalestudy::StandInKnowledge knowledge;
  std::deque<std::function<void()>> work;
  bool is_ending = false;
  bool is_working = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
};

namespace scalestudy {

struct StandInGroup;
class StandInMeeting;

}  // namespace scalestudy

struct ncclComm {
  scalestudy::StandInGroup* group = nullptr;
  std::unique_ptr<scalestudy::StandInMeeting> meeting;  ///< with other processes, if any
  int rank = 0;
  int gpu = 0;
  std::int64_t operations = 0;
  int in_flight = 0;
  bool is_aborted = false;
  int error = scalestudy::nccl_success;
};

namespace scalestudy {

/// Of cudaError_t and ncclResult_t what only a stand-in returns.
enum StandInResult : int {
  stand_in_invalid_value = 1,     ///< cudaErrorInvalidValue
  stand_in_system_error = 2,      ///< ncclSystemError
  stand_in_invalid_argument = 4,  ///< ncclInvalidArgument
};

enum class StandInKind { all_reduce, reduce, broadcast, all_gather, reduce_scatter };

struct StandInCall {
  StandInKind kind{};
  const void* from = nullptr;
  void* into = nullptr;
  std::size_t count = 0;  ///< as the call of NCCL names it
  int type = 0;
  int op = 0;
  int root = 0;
  bool is_hazard = false;  ///< it is found, not carried out
};

/// One collective, as far as ranks have come to it.
struct StandInOperation {
  std::map<int, StandInCall> calls;
  bool is_running = false;
  bool is_done = false;
};

/// The ranks with one id.
struct StandInGroup {
  int world = 0;
  int joined = 0;
  bool is_incomplete_for_ever = false;
  std::map<std::int64_t, StandInOperation> operations;
};

/// What it writes for each rank that has a place for it; false when the ranks call different ones,
/// so that it never ends.
[[nodiscard]] bool carry_out(const StandInOperation& operation);

/// One mutex for all: who waits for a mark, a peer or its turn on a GPU waits on `changed_`.
class StandInMachine {
 public:
  StandInMachine(int count, StandInPeers peers);
  ~StandInMachine();

  /// A GPU runs collectives one after the other, in the order of their launches: kernels of NCCL
  /// that do not fit beside each other. What only works when they do is found out.
  struct Gpu {
    StandInKnowledge host;  ///< what the host knows to have ended
    std::int64_t launched = 0;
    std::int64_t next = 0;         ///< whose turn it is
    std::set<std::int64_t> ended;  ///< and those after it, which were aborted
    Seconds delay{0};
    int left_before_break = -1;
    int bus = -1;  ///< that of another; −1: its own
    bool never_joins = false;
    bool refuses_to_join = false;
  };

  // ---- the calling thread's GPU
  int count(int* into);
  int set_gpu(int gpu);
  std::string bus_id(int gpu);

  // ---- streams and events
  int create_stream(CudaStream* into, int priority);
  /// When what stands in it has ended.
  int destroy_stream(CudaStream stream);
  int create_event(CudaEvent* into);
  int record(CudaEvent event, CudaStream stream);
  int stream_wait(CudaStream stream, CudaEvent event);
  int query(CudaEvent event);
  static int elapsed_ms(float* into, CudaEvent from, CudaEvent to);

  // ---- memory
  int allocate(void** into, std::size_t bytes);
  /// As cudaFree, when the GPU is idle: what hangs there holds it up.
  int free(void* memory);
  /// Bytes that are not the device's are the host's, of which nothing is known.
  int copy(void* into, const void* from, std::size_t bytes, CudaStream stream);
  int set(void* memory, int value, std::size_t bytes, CudaStream stream);
  void work(CudaStream stream, Seconds duration);

  // ---- communicators
  int unique_id(NcclUniqueId* id);
  int init(ncclComm** into, int world, const NcclUniqueId& id, int rank);
  int state(const ncclComm* comm);
  int abort(ncclComm* comm);
  int collective(StandInCall call, ncclComm* comm, CudaStream stream);
  int add_registered(int by);

  // ---- for those who plant and look, under the mutex
  struct State {
    std::vector<Gpu> gpus;
    StandInMemory memory;
    bool different_counts_pass = false;
    int registered = 0;
    int aborted = 0;
    std::vector<int> priorities;  ///< of all streams, as they were made
  };
  template <class Body>
  auto locked(const Body& body) {
    const std::lock_guard lock(mutex_);
    return body(state_);
  }

 private:
  static void work_off(CUstream_st& stream);
  static void put(CUstream_st& stream, std::function<void()> work);
  void announce();
  void wait_until_idle(int gpu);
  Gpu& gpu_of(int gpu) { return state_.gpus.at(static_cast<std::size_t>(gpu)); }
  StandInKnowledge& host_of(int gpu) { return gpu_of(gpu).host; }

  /// What the host knows when it launches, the stream knows.
  int begin_work(CUstream_st& stream);
  StandInUse use(const CUstream_st& stream,
                 int number,
                 const void* memory,
                 std::size_t bytes,
                 bool writes,
                 const std::string& what);
  StandInUse uses(const StandInCall& call,
                  const ncclComm& comm,
                  const CUstream_st& stream,
                  int number);
  /// In the stream's thread.
  void run(
      const StandInCall& call, ncclComm* comm, std::int64_t number, std::int64_t turn, bool breaks);
  void meet(const StandInCall& call,
            const ncclComm& comm,
            std::int64_t number,
            std::unique_lock<std::mutex>& lock);
  /// Whether it ended.
  bool meet_processes(const StandInCall& call, ncclComm& comm, std::unique_lock<std::mutex>& lock);

  StandInPeers peers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_;
  std::map<CudaStream, std::shared_ptr<CUstream_st>> streams_;
  std::map<std::string, StandInGroup> groups_;
  std::vector<std::unique_ptr<ncclComm>> comms_;
  int ids_ = 0;
};

}  // namespace scalestudy
