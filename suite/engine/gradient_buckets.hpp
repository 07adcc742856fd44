#pragma once
/// Which gradients travel together. Buckets are consecutive parts of one flat storage, in the order
/// in which gradients become ready, so that the first bucket can go out while the backward pass
/// runs.

#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace scalestudy {

struct BucketLimits {
  ByteCount first{1 * mib};  ///< small, so that communication starts early (as PyTorch DDP)
  ByteCount cap{25 * mib};   ///< as PyTorch DDP
};

/// A consecutive part of the flat gradient storage.
struct Bucket {
  std::vector<std::size_t> parameters;  ///< indices into the ready order
  ElementCount offset;
  ElementCount count;
};

/// Fills buckets in ready order; a bucket closes when its size reaches its limit, so it may exceed
/// it (DDP's policy). `element_counts`: one per parameter, in ready order; `element_bytes`: 4 or 8.
[[nodiscard]] std::vector<Bucket> plan_buckets(std::span<const std::int64_t> element_counts,
                                               std::int64_t element_bytes,
                                               const BucketLimits& limits);

}  // namespace scalestudy
