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

  /// Takes the batch when it has the shape of the first one, from the fourth such batch on: until
  /// then the device chooses its kernels and finds memory. Once per step.
  [[nodiscard]] bool take(const Arrays& arrays);

  /// Of the batch that was taken: the loss, () and detached; gradients are accumulated.
  [[nodiscard]] torch::Tensor run();

 private:
  std::unique_ptr<DeviceGraph> graph_;
  Passes passes_;
  std::vector<std::vector<std::int64_t>> shapes_;  ///< of the first batch, as all but rests have
  std::int64_t eager_batches_ = 0;                 ///< of these shapes
  Arrays arrays_;       ///< what is recorded reads these; empty until then
  torch::Tensor loss_;  ///< and writes this
};

}  // namespace scalestudy
