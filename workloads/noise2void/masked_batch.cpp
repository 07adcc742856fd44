#include "workloads/noise2void/masked_batch.hpp"

#include <algorithm>

namespace scalestudy::noise2void {

void start_batch(HostBatch& batch, std::int64_t samples, const Shape3& patch) {
  batch.sample_count = samples;
  batch.loss_weight = 0;
  batch.arrays.resize(array_count);
  for (auto& array : batch.arrays) array.resize({samples, 1, patch[0], patch[1], patch[2]});
  for (const auto which : {target, mask})
    std::fill(batch.arrays[which].values.begin(), batch.arrays[which].values.end(), 0.0F);
}

void set_sample(HostBatch& batch,
                std::int64_t sample,
                const Patch& patch,
                const std::vector<MaskedVoxel>& masked) {
  const auto offset = static_cast<std::size_t>(sample) * patch.size();
  const auto at = [&](Array which) { return batch.arrays[which].values.data() + offset; };
  std::copy(patch.begin(), patch.end(), at(input));
  for (const auto& voxel : masked) {
    at(input)[voxel.index] = voxel.replacement;
    at(target)[voxel.index] = voxel.original;
    at(mask)[voxel.index] = 1.0F;
  }
  batch.loss_weight += static_cast<double>(masked.size());
}

}  // namespace scalestudy::noise2void
