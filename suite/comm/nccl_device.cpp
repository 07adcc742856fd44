#include "comm/nccl_device.hpp"

#include <array>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/nccl_connection.hpp"

namespace scalestudy {

void check_cuda(const NcclApi& api, int result, std::string_view call) {
  if (result == cuda_success) return;
  throw RunFailed({cat(call, " failed: ", api.error_text(result)),
                   "nothing can be exchanged any more on this GPU",
                   "Look at the first error in the logs; with CUDA_LAUNCH_BLOCKING=1 it is "
                   "reported where it arises"});
}

int gpu_of(Rank local_rank, std::int64_t visible_count) {
  SCALESTUDY_EXPECT(visible_count > 0);
  if (visible_count == 1) return 0;
  if (local_rank.value() < visible_count) return static_cast<int>(local_rank.value());
  throw Unavailable(
      {cat("rank ", local_rank, " of this host has no GPU: there are ", visible_count),
       "each rank needs a GPU of its own",
       "Start at most one rank per GPU; see CUDA_VISIBLE_DEVICES and nvidia-smi"});
}

int gpu_of(Rank local_rank, const NcclApi& api) {
  int count = 0;
  const int result = api.device_count(&count);
  if (result == cuda_success && count > 0) return gpu_of(local_rank, count);
  throw Unavailable({cat("the CUDA runtime finds no GPU: ", api.error_text(result)),
                     "the run was to use one per rank", "See nvidia-smi and CUDA_VISIBLE_DEVICES"});
}

std::shared_ptr<NcclDevice> NcclDevice::open(std::shared_ptr<const NcclApi> api, int index) {
  int count = 0;
  const int result = api->device_count(&count);
  if (result != cuda_success || index >= count) {
    const std::string found = result == cuda_success ? cat("the CUDA runtime finds ", count)
                                                     : std::string(api->error_text(result));
    throw Unavailable(
        {cat("there is no GPU ", index, ": ", found), "the back-end nccl joins one GPU per rank",
         "Run on a machine with a GPU for each rank, or use the back-end shm or mpi"});
  }
  auto device = std::shared_ptr<NcclDevice>(new NcclDevice(std::move(api), index));
  device->use();
  return device;
}

void NcclDevice::use() const {
  check(api_->set_device(index_), "cudaSetDevice");
}

int NcclDevice::visible_count() const {
  int count = 0;
  check(api_->device_count(&count), "cudaGetDeviceCount");
  return count;
}

std::string NcclDevice::bus_id() const {
  std::array<char, 32> text{};
  check(api_->bus_id(text.data(), static_cast<int>(text.size()), index_), "cudaDeviceGetPCIBusId");
  return text.data();
}

std::shared_ptr<DeviceEvent> NcclDevice::event_on(CudaStream stream) {
  auto recorded = event();
  recorded->record_on(stream);
  return recorded;
}

void NcclDevice::make_wait(CudaStream stream, CudaEvent event) const {
  check(api_->stream_wait(stream, event, 0), "cudaStreamWaitEvent");
}

std::shared_ptr<DeviceEvent> NcclDevice::event() {
  std::unique_ptr<DeviceEvent> event;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_events_.empty()) {
      event = std::move(spare_events_.back());
      spare_events_.pop_back();
    }
  }
  if (event == nullptr) {
    use();
    event = std::make_unique<DeviceEvent>(api_);
  }
  return {event.release(), [device = weak_from_this()](DeviceEvent* used) {
            std::unique_ptr<DeviceEvent> back(used);
            const auto still = device.lock();
            if (still == nullptr) return;
            const std::lock_guard lock(still->mutex_);
            still->spare_events_.push_back(std::move(back));
          }};
}

void NcclDevice::enter(const void* connection, std::function<void()> abort) {
  const std::lock_guard lock(connections_mutex_);
  connections_.emplace(connection, std::move(abort));
}

void NcclDevice::leave(const void* connection) {
  const std::lock_guard lock(connections_mutex_);
  connections_.erase(connection);
}

void NcclDevice::abort_all(const std::string& reason) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (abort_reason_.empty()) abort_reason_ = reason;
  }
  const std::lock_guard lock(connections_mutex_);
  std::vector<std::thread> threads;
  for (const auto& [connection, abort] : connections_) threads.emplace_back(abort);
  for (auto& thread : threads) thread.join();
}

std::string NcclDevice::abort_reason() {
  const std::lock_guard lock(mutex_);
  return abort_reason_;
}

std::shared_ptr<std::byte> NcclDevice::allocate(ByteCount bytes) {
  use();
  void* memory = nullptr;
  const int result = api_->allocate(&memory, static_cast<std::size_t>(bytes.value()));
  if (result != cuda_success) {
    throw Unavailable(
        {cat(human_bytes(static_cast<double>(bytes.value())), " of memory cannot be had on GPU ",
             index_, ": ", api_->error_text(result)),
         "gradients are summed in it", "Make the batch smaller, or end what else uses this GPU"});
  }
  return {static_cast<std::byte*>(memory), [device = shared_from_this()](std::byte* used) {
            device->api().set_device(device->index());
            device->api().free(used);
          }};
}

DeviceEvent::DeviceEvent(std::shared_ptr<const NcclApi> api) : api_(std::move(api)) {
  check_cuda(*api_, api_->create_event(&event_, cuda_event_default), "cudaEventCreateWithFlags");
}

DeviceEvent::~DeviceEvent() {
  api_->destroy_event(event_);
}

void DeviceEvent::record_on(CudaStream stream) {
  check_cuda(*api_, api_->record(event_, stream), "cudaEventRecord");
}

bool DeviceEvent::has_passed() const {
  const int result = api_->query(event_);
  if (result == cuda_not_ready) return false;
  check_cuda(*api_, result, "cudaEventQuery");
  return true;
}

void DeviceEvent::wait() const {
  for (Patience patience; !has_passed();) patience.pause();
}

DeviceStream::DeviceStream(std::shared_ptr<NcclDevice> device) : device_(std::move(device)) {
  device_->use();
  int least = 0;
  int greatest = 0;
  device_->check(device_->api().priority_range(&least, &greatest),
                 "cudaDeviceGetStreamPriorityRange");
  device_->check(device_->api().create_stream(&stream_, cuda_stream_non_blocking, greatest),
                 "cudaStreamCreateWithPriority");
}

DeviceStream::~DeviceStream() {
  device_->api().destroy_stream(stream_);
}

void DeviceStream::wait_for(CudaEvent event) {
  device_->make_wait(stream_, event);
}

DeviceCopies::DeviceCopies(std::shared_ptr<NcclDevice> device)
    : device_(std::move(device)), stream_(device_) {}

void DeviceCopies::copy(void* into, const void* from, ByteCount bytes) {
  if (bytes.value() == 0) return;
  device_->use();
  device_->check(device_->api().copy_async(into, from, static_cast<std::size_t>(bytes.value()),
                                           cuda_memcpy_default, stream_.get()),
                 "cudaMemcpyAsync");
  device_->event_on(stream_.get())->wait();
}

DeviceClock::DeviceClock(std::shared_ptr<NcclDevice> device)
    : device_(std::move(device)), stream_(device_) {
  anchor();
}

Clock::time_point DeviceClock::time_of(const DeviceEvent& event) const {
  float since_ms = 0;
  device_->check(device_->api().elapsed_ms(&since_ms, event_->get(), event.get()),
                 "cudaEventElapsedTime");
  return host_time_ +
         std::chrono::duration_cast<Clock::duration>(Seconds(static_cast<double>(since_ms) * 1e-3));
}

void DeviceClock::renew() {
  constexpr Seconds long_ago{1.0};
  if (Clock::now() - host_time_ > long_ago) anchor();
}

/// The event passes between the two looks at the host's clock.
void DeviceClock::anchor() {
  constexpr int tries = 5;
  event_.reset();
  for (int i = 0; i < tries; ++i) {
    auto event = device_->event();
    const auto before = Clock::now();
    event->record_on(stream_.get());
    while (!event->has_passed()) std::this_thread::yield();
    const auto half = (Clock::now() - before) / 2;
    if (event_ != nullptr && Seconds(half) >= resolution_) continue;
    event_ = std::move(event);
    host_time_ = before + half;
    resolution_ = half;
  }
}

}  // namespace scalestudy
