#pragma once
/// The compute device, its threads and its clock.

#include <memory>
#include <string>

#include <c10/core/Device.h>
#include <c10/core/MemoryFormat.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include "study/run_spec.hpp"

#include "data/host_batch.hpp"

#include "engine/phase_timeline.hpp"

namespace scalestudy {

/// Call first thing in main: memory that LibTorch frees stays with the process instead of going
/// back to the kernel after every step (10–14 % of a step, measured on three networks).
void keep_freed_memory();

/// Sets threads and seeds and finds the device. Errors: Lacks when this LibTorch or machine has no
/// CUDA device.
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

/// A copy with exactly the strides of `format`. contiguous() leaves one-channel tensors as they
/// are, because theirs count as contiguous in both formats; then the first convolution would run in
/// the other format and its output be reordered at every step.
[[nodiscard]] torch::Tensor in_format(const torch::Tensor& tensor, c10::MemoryFormat format);

/// Borrows the array's memory: to be copied before the batch is used again.
[[nodiscard]] torch::Tensor borrowed(const HostArray& array);

/// Gives all kernels with as many dimensions as `format` is for its strides.
void use_memory_format(torch::nn::Module& model, c10::MemoryFormat format);

/// Errors: Lacks naming the first kernel that is not in the memory format asked for.
void expect_memory_format(torch::nn::Module& model, const std::string& memory_format);

/// For kernels and images of 2 dimensions: channels_last or contiguous.
[[nodiscard]] c10::MemoryFormat memory_format_2d(const RunSpec& spec);

/// For kernels and 3D images: channels_last_3d or contiguous.
[[nodiscard]] c10::MemoryFormat memory_format_3d(const RunSpec& spec);

/// "LibTorch 2.11.0", BLAS, oneDNN and vector extensions in force, in one line each.
[[nodiscard]] std::string libtorch_description();

}  // namespace scalestudy
