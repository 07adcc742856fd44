#pragma once
/// Weights in PyTorch's own file format: what is written here, Python reads by
/// torch.load(file, weights_only=True). Local.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <torch/nn/module.h>
#include <torch/types.h>

namespace scalestudy {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};
using NamedTensors = std::vector<NamedTensor>;

/// Parameters and buffers by dotted name, in the order of Python's state_dict(). The tensors are
/// the module's own, not copies.
[[nodiscard]] NamedTensors state_of(torch::nn::Module& module);

/// Copies `state` into the module, whose strides and devices stay. Errors: BadInput naming `origin`
/// and the tensor when a name is missing or too much, or a shape or type differs; then nothing was
/// copied.
void load_state(torch::nn::Module& module, const NamedTensors& state, const std::string& origin);

/// Tensors are written contiguous, whatever their memory format, so that equal weights are equal
/// files. Replaces `file` atomically. Errors: RunFailed naming the file (disk full, no permission).
void write_state_dict(const std::filesystem::path& file, const NamedTensors& tensors);

/// The same into a sink, front to back.
using Sink = std::function<void(const void*, std::size_t)>;
void write_state_dict(const Sink& sink, const NamedTensors& tensors);

/// Reads what write_state_dict() wrote, by LibTorch's own reader: contiguous copies on the CPU, in
/// the file's order. Errors: BadInput naming the file when it cannot be read or is no state dict.
[[nodiscard]] NamedTensors read_state_dict(const std::filesystem::path& file);
[[nodiscard]] NamedTensors read_state_dict(std::span<const std::byte> bytes,
                                           const std::string& origin);

}  // namespace scalestudy
