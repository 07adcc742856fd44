#pragma once
/// How image tensors and kernels lie in memory.

#include <string>

#include <c10/core/MemoryFormat.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include "study/run_spec.hpp"

#include "data/host_batch.hpp"

namespace scalestudy {

/// A copy with exactly the strides of `format`. contiguous() leaves one-channel tensors as they
/// are, because theirs count as contiguous in both formats; then the first convolution would run in
/// the other format and its output be reordered at every step.
[[nodiscard]] torch::Tensor in_format(const torch::Tensor& tensor, c10::MemoryFormat format);

/// Borrows the array's memory: to be copied before the batch is used again.
[[nodiscard]] torch::Tensor borrowed(const HostArray& array);

/// Gives all kernels with as many dimensions as `format` is for its strides.
void use_memory_format(torch::nn::Module& model, c10::MemoryFormat format);

/// Errors: Unavailable naming the first kernel that is not in the memory format asked for.
void expect_memory_format(torch::nn::Module& model, MemoryFormat memory_format);

/// For kernels and images of 2 dimensions: channels_last or contiguous.
[[nodiscard]] c10::MemoryFormat memory_format_2d(const RunSpec& spec);

/// For kernels and 3D images: channels_last_3d or contiguous.
[[nodiscard]] c10::MemoryFormat memory_format_3d(const RunSpec& spec);

}  // namespace scalestudy
