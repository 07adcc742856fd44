#pragma once
/// A GPU as the back-end nccl uses it: streams, events, memory, the time of events, and whose turn
/// it is among the communicators of the device.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"

#include "comm/nccl_api.hpp"

namespace scalestudy {

class DeviceEvent;

/// Errors: RunFailed naming the call and what the runtime says.
void check_cuda(const NcclApi& api, int result, std::string_view call);

/// The number of a rank's GPU among the `visible_count` that it sees: that of the rank on its host,
/// or the only one, where the launcher shows each rank its own. Errors: Unavailable when there is
/// none for it.
[[nodiscard]] int gpu_of(Rank local_rank, std::int64_t visible_count);

/// The same by CUDA alone. Errors: also when CUDA finds no GPU.
[[nodiscard]] int gpu_of(Rank local_rank, const NcclApi& api);

/// One per device and process: all communicators of a device share it. Local, for several threads.
class NcclDevice : public std::enable_shared_from_this<NcclDevice> {
 public:
  /// Errors: Unavailable when the runtime finds no such device.
  [[nodiscard]] static std::shared_ptr<NcclDevice> open(std::shared_ptr<const NcclApi> api,
                                                        int index);

  [[nodiscard]] const NcclApi& api() const { return *api_; }
  [[nodiscard]] int index() const { return index_; }

  /// Makes it the calling thread's.
  void use() const;

  /// Of GPUs that this process sees.
  [[nodiscard]] int visible_count() const;

  /// "0000:1b:00.0"
  [[nodiscard]] std::string bus_id() const;

  /// With a stamp, used before or fresh; goes back when the last owner lets go.
  [[nodiscard]] std::shared_ptr<DeviceEvent> event();

  /// One that passes after what stands in `stream`. The device is the calling thread's.
  [[nodiscard]] std::shared_ptr<DeviceEvent> event_on(CudaStream stream);

  /// What is put into `stream` from now on runs after `event`.
  void make_wait(CudaStream stream, CudaEvent event) const;

  /// Held by a blocking operation while it is on the device. Kernels of two communicators that wait
  /// for their peers at the same time may keep each other from running, so that there is one at a
  /// time, in the order of rank 0: it takes its turn before the ranks meet, the others after, when
  /// rank 0 is known to have it.
  [[nodiscard]] std::mutex& turns() { return turns_; }

  /// What connects ranks on this device can be ended from outside, until it leaves.
  void enter(const void* connection, std::function<void()> abort);
  void leave(const void* connection);

  /// After a failure: ends all, as what one has on the device keeps the device's memory, and the
  /// others, waiting for ever. All at once: one may stand behind another. The first reason stays.
  void abort_all(const std::string& reason) noexcept;
  [[nodiscard]] std::string abort_reason();  ///< "" when nothing has failed

  /// Errors: RunFailed naming the call and what the runtime says.
  void check(int result, std::string_view call) const { check_cuda(*api_, result, call); }

  /// Device memory. Errors: Unavailable when there is not enough.
  [[nodiscard]] std::shared_ptr<std::byte> allocate(ByteCount bytes);

 private:
  NcclDevice(std::shared_ptr<const NcclApi> api, int index) : api_(std::move(api)), index_(index) {}

  std::shared_ptr<const NcclApi> api_;
  int index_;
  std::mutex turns_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DeviceEvent>> spare_events_;  // guarded by mutex_
  std::string abort_reason_;                                // guarded by mutex_
  std::mutex connections_mutex_;
  std::map<const void*, std::function<void()>> connections_;  // guarded by connections_mutex_
};

class DeviceEvent {
 public:
  explicit DeviceEvent(std::shared_ptr<const NcclApi> api);  ///< on the thread's device
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  [[nodiscard]] CudaEvent get() const { return event_; }
  void record_on(CudaStream stream);
  /// Errors: RunFailed when something that the device ran before has failed.
  [[nodiscard]] bool has_passed() const;
  /// Blocks the host until it has passed. Errors: as has_passed().
  void wait() const;

 private:
  std::shared_ptr<const NcclApi> api_;
  CudaEvent event_ = nullptr;
};

/// Of the highest priority: what it runs is few blocks, which others wait for.
class DeviceStream {
 public:
  explicit DeviceStream(std::shared_ptr<NcclDevice> device);
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  [[nodiscard]] CudaStream get() const { return stream_; }
  void wait_for(CudaEvent event);

 private:
  std::shared_ptr<NcclDevice> device_;
  CudaStream stream_ = nullptr;
};

/// Copies between the host's memory and the device's, on a stream of their own. Local, blocking.
class DeviceCopies {
 public:
  explicit DeviceCopies(std::shared_ptr<NcclDevice> device);
  void copy(void* into, const void* from, ByteCount bytes);
  [[nodiscard]] CudaStream stream() const { return stream_.get(); }

 private:
  std::shared_ptr<NcclDevice> device_;
  DeviceStream stream_;
};

/// What the host's steady clock said when an event passed.
class DeviceClock {
 public:
  explicit DeviceClock(std::shared_ptr<NcclDevice> device);

  /// `event` has passed. Before each use or shortly after: the stamps of events are floats of
  /// milliseconds since the anchor, and the clocks drift apart.
  [[nodiscard]] Clock::time_point time_of(const DeviceEvent& event) const;

  /// Where host and device are compared anew, if the last time is long ago.
  void renew();

  /// Half of the time that the narrowest comparison took: times of events are no better known.
  [[nodiscard]] Seconds resolution() const { return resolution_; }

 private:
  void anchor();

  std::shared_ptr<NcclDevice> device_;
  DeviceStream stream_;  ///< of its own, so that nothing stands before the anchor
  std::shared_ptr<DeviceEvent> event_;
  Clock::time_point host_time_;
  Seconds resolution_{0};
};

}  // namespace scalestudy
