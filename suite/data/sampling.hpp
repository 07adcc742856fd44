#pragma once
/// Who trains on what, when: the same global order at any world size.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace scalestudy {

/// A permutation of 0 … size − 1 that depends on (seed, pass) only.
[[nodiscard]] std::vector<std::int64_t> permutation(std::int64_t size,
                                                    std::uint64_t seed,
                                                    std::uint64_t pass);

/// Endless draws without replacement: a fresh permutation per pass, batches wrap across passes
/// (csbdeep's RollingSequence); a batch may be larger than the set. Thread-safe.
class SampleSequence {
 public:
  SampleSequence(SampleCount size, std::uint64_t seed);

  /// The sample indices at positions [first, first + count) of the endless order.
  [[nodiscard]] std::vector<std::int64_t> range(std::int64_t first, std::int64_t count) const;

 private:
  using Pass = std::shared_ptr<const std::vector<std::int64_t>>;
  [[nodiscard]] Pass pass(std::uint64_t number) const;

  std::int64_t size_;
  std::uint64_t seed_;
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, Pass> passes_;  ///< the latest few
};

/// How epochs and steps lie in the endless global order of samples.
struct EpochLayout {
  std::int64_t global_batch_size = 1;
  std::int64_t steps_per_epoch = 1;
  std::int64_t samples_per_epoch = 1;  ///< at most steps × batch; less: the last step is smaller
  std::int64_t stride_samples = 1;     ///< from one epoch's start to the next
};

/// Positions [first, first + count) of one rank's part of a step; consecutive ranks hold
/// consecutive parts, so the union over ranks is the same at any world size. Parts are as even as
/// possible, larger ones first; a part may be empty.
struct Shard {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
[[nodiscard]] Shard shard_of(Rank rank,
                             WorldSize world_size,
                             StepIndex step,
                             const EpochLayout& layout);

/// Samples of all ranks in this step.
[[nodiscard]] std::int64_t global_count(StepIndex step, const EpochLayout& layout);

/// Splits `total` items over `parts` as evenly as possible, larger parts first.
[[nodiscard]] std::vector<std::int64_t> even_split(std::int64_t total, std::int64_t parts);

}  // namespace scalestudy
