#pragma once
/// The compute device, its threads and its clock.

#include <memory>
#include <string>

#include <c10/core/Device.h>

#include "study/run_spec.hpp"

#include "engine/phase_timeline.hpp"

namespace scalestudy {

/// Sets threads and seeds and finds the device as find_device() does. Once per process.
[[nodiscard]] c10::Device prepare_device(const RunSpec& spec, std::int64_t local_rank);

/// A GPU becomes the calling thread's current one, with a stream of its own, before anything is
/// allocated; settings.cudnn is in force from here on. `local_rank`: among the ranks of this host.
/// Errors: Unavailable when this LibTorch or machine has no CUDA device, or none for this rank.
[[nodiscard]] c10::Device find_device(const CommonSettings& settings, std::int64_t local_rank);

/// What this LibTorch finds of NVIDIA GPUs.
struct CudaDevices {
  std::int64_t count = 0;
  std::string problem;  ///< why there can be none: LibTorch's CUDA part is not there; else ""
};

/// Loads LibTorch's CUDA part, which programs of a CPU build are not linked with. Call it before
/// anything else asks LibTorch for CUDA.
[[nodiscard]] CudaDevices find_cuda_devices();

/// What LibTorch does about convolutions now.
[[nodiscard]] Cudnn cudnn_in_force();

/// Memory that tensors on `device` take: now, and at most since the start or the last reset.
struct DeviceMemoryUse {
  std::int64_t current_bytes = 0;
  std::int64_t peak_bytes = 0;
};

/// Zeros on the processor.
[[nodiscard]] DeviceMemoryUse device_memory_use(const c10::Device& device);

/// Steady clock on CPU; device events on CUDA, resolved between steps.
[[nodiscard]] std::unique_ptr<StepClock> make_step_clock(const c10::Device& device);

/// The stream on which the calling thread computes; a device's.
[[nodiscard]] CudaStream computing_stream(const c10::Device& device);

/// Another number of compute threads for as long as it lives.
class ThreadCount {
 public:
  explicit ThreadCount(std::int64_t threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

/// "LibTorch 2.11.0", BLAS, oneDNN and vector extensions in force, in one line each.
[[nodiscard]] std::string libtorch_description();

}  // namespace scalestudy
