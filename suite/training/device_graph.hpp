#pragma once
/// Device work that is recorded once and then started as a whole: thousands of kernels cost the
/// host one launch.

#include <functional>
#include <memory>
#include <string>

#include <c10/core/Device.h>

namespace scalestudy {

/// Memory that the work uses must stay where it was: what it reads has fixed tensors, and what it
/// makes is found in the same tensors after every replay. Local.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;

  /// What `work` enqueues on the current stream is recorded, not run. Once. It must not wait for
  /// the device. Errors: those of the work and of the device; nothing is recorded then.
  virtual void record(const std::function<void()>& work) = 0;

  /// Enqueues what was recorded.
  virtual void replay() = 0;
};

/// Of a GPU a CUDA graph. A processor records nothing: its graph runs the work again, so that the
/// path is the same everywhere. Errors: Unavailable when this build has no CUDA graphs.
[[nodiscard]] std::unique_ptr<DeviceGraph> make_device_graph(const c10::Device& device);

/// Why make_device_graph() has none for GPUs here, or "". Loads what it needs; after
/// find_cuda_devices().
[[nodiscard]] std::string problem_with_cuda_graphs();

}  // namespace scalestudy
