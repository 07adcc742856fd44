#pragma once
/// Batches of masked patches in host memory: what the network sees, what it should have seen, and
/// where.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/host_batch.hpp"
#include "data/volume.hpp"

#include "workloads/noise2void/masking.hpp"
#include "workloads/noise2void/patches.hpp"

namespace scalestudy::noise2void {

/// The arrays of a batch, each (N, 1, Z, Y, X): patches with replaced voxels, original values of
/// those voxels, and 1 where they are; target and mask are 0 elsewhere.
enum Array : std::size_t { input, target, mask, array_count };

/// Makes room for `samples` patches, nothing masked yet.
void start_batch(HostBatch& batch, std::int64_t samples, const Shape3& patch);

/// Fills one sample; the batch's loss weight grows by its masked voxels.
void set_sample(HostBatch& batch,
                std::int64_t sample,
                const Patch& patch,
                const std::vector<MaskedVoxel>& masked);

}  // namespace scalestudy::noise2void
