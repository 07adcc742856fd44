#pragma once
/// Who trains on what, when: the same global order at any world size.

#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace scalestudy {

/// A permutation of 0 … size − 1 that depends on (seed, pass) only. Fisher-Yates over an own
/// generator, so that it is the same with every standard library.
[[nodiscard]] std::vector<std::int64_t> permutation(std::int64_t size,
                                                    std::uint64_t seed,
                                                    std::uint64_t pass);

/// Endless draws without replacement: a fresh permutation per pass, batches wrap across passes
/// (csbdeep's RollingSequence); a batch may be larger than the set.
class SampleSequence {
 public:
  SampleSequence(SampleCount size, std::uint64_t seed);

  /// The sample indices at positions [first, first + count) of the endless order.
  [[nodiscard]] std::vector<std::int64_t> range(std::int64_t first, std::int64_t count) const;

 private:
  std::int64_t size_;
  std::uint64_t seed_;
  mutable std::uint64_t cached_pass_;
  mutable std::vector<std::int64_t> cached_;
};

/// Positions [first, first + count) of one rank's part of step `step`'s global batch; consecutive
/// ranks hold consecutive parts, so the union over ranks is the same at any world size.
struct Shard {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
[[nodiscard]] Shard shard_of(Rank rank,
                             StepIndex step,
                             std::span<const std::int64_t> local_batch_sizes);

/// Splits `total` items over `parts` as evenly as possible, larger parts first.
[[nodiscard]] std::vector<std::int64_t> even_split(std::int64_t total, std::int64_t parts);

}  // namespace scalestudy
