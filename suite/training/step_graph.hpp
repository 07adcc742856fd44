#pragma once
/// Forward and backward pass of the usual batch as one device graph.

#include <functional>
#include <memory>
#include <vector>

#include <torch/types.h>

#include "training/device_graph.hpp"

namespace scalestudy {

/// Batches of one shape are replayed; those of another, the rest of a pass, must be trained without
/// it. Local.
class StepGraph {
 public:
  /// A batch's arrays, as made by BatchTransfer.
  using Arrays = std::vector<torch::Tensor>;
  /// Both passes of the batch in `arrays`: accumulates gradients and returns the loss, ().
  using Passes = std::function<torch::Tensor(const Arrays& arrays)>;

  StepGraph(std::unique_ptr<DeviceGraph> graph, Passes passes);

  /// Takes the batch when it has the recorded shape, or when that is to be recorded now: after as
  /// many batches of one shape in a row as the device needs to choose its kernels. Once per step.
  [[nodiscard]] bool take(const Arrays& arrays);

  /// Of the batch that was taken: the loss, () and detached; gradients are accumulated.
  [[nodiscard]] torch::Tensor run();

 private:
  std::unique_ptr<DeviceGraph> graph_;
  Passes passes_;
  std::vector<std::vector<std::int64_t>> shapes_;  ///< of the last batches, then the recorded ones
  std::int64_t batches_like_these_ = 0;            ///< in a row
  Arrays arrays_;       ///< what is recorded reads these; empty until then
  torch::Tensor loss_;  ///< and writes this
};

}  // namespace scalestudy
