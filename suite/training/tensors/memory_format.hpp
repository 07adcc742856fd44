#pragma once
/// How image tensors and kernels lie in memory.

#include <cstdint>
#include <vector>

#include <c10/core/Device.h>
#include <c10/core/MemoryFormat.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include "study/choices.hpp"

#include "data/host_batch.hpp"

namespace scalestudy {

/// A copy with exactly the strides of `format`. contiguous() leaves one-channel tensors as they
/// are, because theirs count as contiguous in both formats; then the first convolution would run in
/// the other format and its output be reordered at every step.
[[nodiscard]] torch::Tensor in_format(const torch::Tensor& tensor, c10::MemoryFormat format);

/// Borrows the array's memory: to be copied before the batch is used again.
[[nodiscard]] torch::Tensor borrowed(const HostArray& array);

/// A copy on the device that nobody waits for: to a GPU it travels from pinned memory.
[[nodiscard]] torch::Tensor sent_to_device(const torch::Tensor& host, c10::Device device);

/// The batch's arrays in C order; on the processor they borrow its memory.
[[nodiscard]] std::vector<torch::Tensor> arrays_on_device(const HostBatch& batch,
                                                          c10::Device device);

/// A copy on the device with exactly the strides of `format`.
[[nodiscard]] torch::Tensor on_device(const HostArray& array,
                                      c10::MemoryFormat format,
                                      c10::Device device);

/// Of batches and kernels with as many dimensions: 4 for images, 5 for volumes.
[[nodiscard]] c10::MemoryFormat torch_format(MemoryFormat format, std::int64_t dimensions);

/// Gives all kernels with as many dimensions as `format` is for its strides.
void use_memory_format(torch::nn::Module& model, c10::MemoryFormat format);

/// Errors: Unavailable naming the first kernel that is not in the memory format asked for.
void expect_memory_format(torch::nn::Module& model, MemoryFormat memory_format);

}  // namespace scalestudy
