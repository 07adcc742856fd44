#include "training/device.hpp"

#include <mutex>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/utils.h>
#include <torch/version.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/nccl_device.hpp"

namespace scalestudy {
namespace {

/// Marks are events on the stream that computes, whichever thread takes them: nothing waits inside
/// a step, and a phase's time is what the device spent on it.
class EventClock final : public StepClock {
 public:
  explicit EventClock(const c10::Device& device)
      : guard_(device.type()), device_(device), stream_(guard_.getStream(device)) {
    base_ = recorded_event();
    base_->synchronize();
    origin_s_ = now_s();
  }

  Mark mark() override {
    const std::lock_guard lock(mutex_);
    if (used_ == events_.size()) events_.push_back(make_event());
    events_[used_]->record(stream_);
    return static_cast<Mark>(used_++);
  }

  double seconds(Mark mark) override {
    const auto& event = events_[static_cast<std::size_t>(mark)];
    event->synchronize();
    return base_offset_s_ + base_->elapsedTime(*event) * 1e-3;
  }

  /// Moves the base along: the device's difference of two events is a float32 of milliseconds,
  /// which would lose microseconds within minutes.
  void recycle() override {
    used_ = 0;
    auto next = recorded_event();
    next->synchronize();
    base_offset_s_ += base_->elapsedTime(*next) * 1e-3;
    base_ = std::move(next);
  }

  void advance(double by_s) override {
    base_offset_s_ += by_s;
    origin_s_ -= by_s;
  }

  [[nodiscard]] double origin_s() const override { return origin_s_; }

 private:
  std::unique_ptr<c10::Event> make_event() const {
    return std::make_unique<c10::Event>(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  }

  std::unique_ptr<c10::Event> recorded_event() const {
    auto event = make_event();
    event->record(stream_);
    return event;
  }

  c10::impl::VirtualGuardImpl guard_;
  c10::Device device_;
  c10::Stream stream_;  ///< of the thread that made the clock
  std::unique_ptr<c10::Event> base_;
  double origin_s_ = 0;
  double base_offset_s_ = 0;
  std::mutex mutex_;  // the communication thread takes marks, too
  std::vector<std::unique_ptr<c10::Event>> events_;
  std::size_t used_ = 0;
};

/// A trial chooses by time, so that two processes may choose differently.
void choose_convolutions(Cudnn cudnn) {
  at::globalContext().setBenchmarkCuDNN(cudnn == Cudnn::trial);
  at::globalContext().setDeterministicCuDNN(cudnn == Cudnn::deterministic);
}

c10::Device use_cuda_device(std::int64_t local_rank) {
  const auto devices = find_cuda_devices();
  if (devices.count == 0)
    throw Unavailable({cat("Device 'cuda' was asked for, but ",
                           devices.problem.empty() ? "LibTorch finds none" : devices.problem),
                       "the study's times would be those of another device",
                       "Run on a machine with a GPU and a PyTorch for CUDA, or set "
                       "settings.device=cpu"});
  const auto index = static_cast<c10::DeviceIndex>(gpu_of(Rank(local_rank), devices.count));
  const c10::Device device(c10::kCUDA, index);
  const c10::impl::VirtualGuardImpl guard(c10::kCUDA);
  guard.setDevice(device);
  // Not the default stream: on that one no graph can be recorded.
  guard.exchangeStream(guard.getStreamFromGlobalPool(device, /*isHighPriority=*/false));
  return device;
}

}  // namespace

CudaDevices find_cuda_devices() {
  // For as long as the process lives: its static objects are LibTorch's tables of kernels.
  if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* const reason = ::dlerror();
    return {0, cat("LibTorch's CUDA part cannot be loaded: ", reason != nullptr ? reason : "")};
  }
  return {at::detail::getCUDAHooks().deviceCount(), ""};
}

Cudnn cudnn_in_force() {
  return at::globalContext().benchmarkCuDNN() ? Cudnn::trial : Cudnn::deterministic;
}

c10::Device find_device(const CommonSettings& settings, std::int64_t local_rank) {
  choose_convolutions(settings.cudnn);
  return settings.device == Device::cuda ? use_cuda_device(local_rank) : c10::Device(c10::kCPU);
}

c10::Device prepare_device(const RunSpec& spec, std::int64_t local_rank) {
  const auto device = find_device(spec.settings, local_rank);
  at::set_num_threads(static_cast<int>(spec.settings.threads_per_rank));
  at::set_num_interop_threads(1);
  torch::manual_seed(static_cast<std::uint64_t>(spec.repeat_seed()));
  return device;
}

DeviceMemoryUse device_memory_use(const c10::Device& device) {
  if (device.is_cpu()) return {};
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  constexpr auto all = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return {stats.allocated_bytes[all].current, stats.allocated_bytes[all].peak};
}

std::unique_ptr<StepClock> make_step_clock(const c10::Device& device) {
  if (device.is_cpu()) return std::make_unique<HostClock>();
  return std::make_unique<EventClock>(device);
}

CudaStream computing_stream(const c10::Device& device) {
  const c10::impl::VirtualGuardImpl guard(device.type());
  return static_cast<CudaStream>(guard.getStream(device).native_handle());
}

ThreadCount::ThreadCount(std::int64_t threads) : before_(at::get_num_threads()) {
  at::set_num_threads(static_cast<int>(threads));
}

ThreadCount::~ThreadCount() {
  at::set_num_threads(before_);
}

std::string libtorch_description() {
  return at::show_config();
}

}  // namespace scalestudy
