#pragma once
/// How large a network is, from its structure alone, and what training it takes of a device.

#include <cstdint>

#include "study/run_spec.hpp"

namespace scalestudy {

/// Counted layer by layer. "Kept" is what the backward pass needs of the forward pass, of one
/// sample: the input of each batch norm, and the activation behind it, which is the next layer's
/// input.
struct NetworkSize {
  std::int64_t parameter_count = 0;
  std::int64_t kept_elements = 0;     ///< activations
  std::int64_t kept_index_bytes = 0;  ///< where pooling found its maxima
  std::int64_t largest_elements = 0;  ///< of one activation

  /// Channels of a convolution, (in, out), and the elements of its kernel and of its output.
  struct Convolution {
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t kernel_elements = 1;
    std::int64_t positions = 0;
    bool has_bias = true;
  };

  /// Convolution, batch norm, ReLU in place.
  void add_block(const Convolution& convolution);
  /// Convolution and batch norm whose output goes into a sum.
  void add_projection(const Convolution& convolution);
  /// Convolution alone, of which nothing is kept.
  void add_plain(const Convolution& convolution);
  /// Maxima, of `positions` each.
  void add_pooling(std::int64_t channels, std::int64_t positions);
  /// Any other activation that a later layer keeps.
  void add_activation(std::int64_t elements);
};

/// Device memory of one rank at its largest local batch: parameters, gradients, what the optimiser
/// carries, best weights, kept activations, and three gradients as large as the largest of them. An
/// estimate of what training's tensors take. On top come CUDA itself, cuDNN's workspaces, the
/// training set of input `device`, a CUDA graph's own memory, and large evaluation batches.
[[nodiscard]] std::int64_t estimated_device_memory_bytes(const RunSpec& spec,
                                                         const NetworkSize& network);

}  // namespace scalestudy
