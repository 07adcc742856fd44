#pragma once
/// A rank's part of a global batch as it lies in host memory, on its way to the device.

#include <cstdint>
#include <vector>

namespace scalestudy {

struct HostArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< C order

  /// Sets the shape; old values are kept where memory is, to be overwritten.
  void resize(std::vector<std::int64_t> new_shape);
};

/// What a workload makes of a shard; which arrays it has is the workload's business.
struct HostBatch {
  std::int64_t sample_count = 0;
  double loss_weight = 0;  ///< what the summed loss is divided by: samples, or masked voxels
  std::vector<HostArray> arrays;
};

}  // namespace scalestudy
