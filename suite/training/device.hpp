#pragma once
/// The compute device, its threads and its clock.

#include <memory>
#include <string>

#include <c10/core/Device.h>

#include "study/run_spec.hpp"

#include "engine/phase_timeline.hpp"

namespace scalestudy {

/// Sets threads and seeds and finds the device. Errors: Unavailable when this LibTorch or machine
/// has no CUDA device.
[[nodiscard]] c10::Device prepare_device(const RunSpec& spec);

/// Steady clock on CPU; device events on CUDA, resolved between steps.
[[nodiscard]] std::unique_ptr<StepClock> make_step_clock(const c10::Device& device);

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
