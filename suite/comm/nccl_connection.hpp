#pragma once
/// One ncclComm and the stream that it works on. Nothing of it blocks: NCCL is told not to, and
/// what is awaited is asked for again and again, with a deadline.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "comm/nccl_device.hpp"

namespace scalestudy {

class NcclConnection {
 public:
  struct Place {
    NcclUniqueId id;
    Rank rank;
    WorldSize world_size;
  };
  /// What is done while something is awaited, every 50 µs at most: throws when it is no use to go
  /// on.
  using Look = std::function<void()>;

  /// Joins the ranks that have the same id. Collective. Errors: RunFailed when NCCL fails, or with
  /// what `look` throws.
  NcclConnection(std::shared_ptr<NcclDevice> device, const Place& place, const Look& look);

  /// Of a connection that works and has nothing in flight: lets the peers end their part. Ends the
  /// process as abort() does.
  ~NcclConnection();
  NcclConnection(const NcclConnection&) = delete;
  NcclConnection& operator=(const NcclConnection&) = delete;

  [[nodiscard]] const std::shared_ptr<NcclDevice>& device() const { return device_; }
  [[nodiscard]] DeviceStream& stream() { return stream_; }

  /// Puts an operation into the stream. The first of a kind connects the ranks, for which it waits
  /// for the peers. Errors: RunFailed naming `call`, or with what `look` throws.
  void launch(std::string_view call,
              const std::function<int(ncclComm*, CudaStream)>& operation,
              const Look& look);

  /// Returns when `event` has passed, up to `pause` later. Errors: RunFailed when NCCL has noticed
  /// a failure, naming `call`, or with what `look` throws.
  void await(const DeviceEvent& event, std::string_view call, const Look& look, Seconds pause);

  /// Ends what is in flight; who waits for it throws. Local, from any thread, never throws. NCCL
  /// may hang in it: after half a minute the process ends, with what had failed and RunFailed's
  /// code.
  void abort() noexcept;

  /// Zeros, in which NCCL sums with fewest copies. `self` is kept as long as the memory.
  [[nodiscard]] static std::shared_ptr<std::byte> allocate(
      const std::shared_ptr<NcclConnection>& self, ByteCount bytes);

  /// Errors: RunFailed when it was ended, by whichever communicator of the GPU.
  void throw_if_ended();

  /// That NCCL itself has reported an error, not what looked on.
  [[nodiscard]] bool has_failed() const { return has_failed_; }

  [[nodiscard]] static NcclUniqueId make_id(const NcclApi& api);

 private:
  [[nodiscard]] const NcclApi& api() const { return device_->api(); }
  [[nodiscard]] int state();
  void require_alive();
  void await_progress(int result, std::string_view call, const Look& look);
  void require(int result, std::string_view call);
  void end(ncclComm* comm, const std::function<int(ncclComm*)>& way, const char* call);
  [[nodiscard]] std::shared_ptr<std::byte> memory_for_nccl(ByteCount bytes);

  std::shared_ptr<NcclDevice> device_;
  DeviceStream stream_;
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;          ///< calls of NCCL on one communicator do not overlap
  ncclComm* comm_ = nullptr;  ///< guarded by mutex_; null when aborted
};

/// How a host thread waits: first it asks again at once, then it leaves its core to others, then it
/// sleeps 50 µs at a time.
class Patience {
 public:
  void pause();
  [[nodiscard]] bool is_time_to_look() const { return turn_ % 64 == 63; }

 private:
  int turn_ = 0;
};

}  // namespace scalestudy
