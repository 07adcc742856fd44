#include "data/sampling.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/shuffle.hpp"

namespace scalestudy {

std::vector<std::int64_t> permutation(std::int64_t size, std::uint64_t seed, std::uint64_t pass) {
  const auto order = shuffled_order(static_cast<std::size_t>(size), mix64(seed ^ mix64(pass)));
  return {order.begin(), order.end()};
}

SampleSequence::SampleSequence(SampleCount size, std::uint64_t seed)
    : size_(size.value()), seed_(seed) {
  SCALESTUDY_EXPECT(size_ > 0);
}

SampleSequence::Pass SampleSequence::pass(std::uint64_t number) const {
  const std::scoped_lock lock(mutex_);
  auto& pass = passes_[number];
  if (pass == nullptr)
    pass = std::make_shared<const std::vector<std::int64_t>>(permutation(size_, seed_, number));
  auto found = pass;
  // Threads that make batches ahead are rarely more than one pass apart.
  while (passes_.size() > 3) passes_.erase(passes_.begin());
  return found;
}

std::vector<std::int64_t> SampleSequence::range(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> indices;
  indices.reserve(static_cast<std::size_t>(count));
  for (std::int64_t position = first; position < first + count;) {
    const auto order = pass(static_cast<std::uint64_t>(position / size_));
    const auto begin = position % size_;
    const auto end = std::min(size_, begin + first + count - position);
    indices.insert(indices.end(), order->begin() + begin, order->begin() + end);
    position += end - begin;
  }
  return indices;
}

std::int64_t global_count(StepIndex step, const EpochLayout& layout) {
  const auto begin = step.value() % layout.steps_per_epoch * layout.global_batch_size;
  return std::clamp<std::int64_t>(layout.samples_per_epoch - begin, 0, layout.global_batch_size);
}

Shard shard_of(Rank rank, WorldSize world_size, StepIndex step, const EpochLayout& layout) {
  const auto epoch = step.value() / layout.steps_per_epoch;
  const auto begin = epoch * layout.stride_samples +
                     step.value() % layout.steps_per_epoch * layout.global_batch_size;
  const auto parts = even_split(global_count(step, layout), world_size.value());
  const auto before = std::accumulate(parts.begin(), parts.begin() + rank.value(), std::int64_t{0});
  return {begin + before, parts[rank.index()]};
}

std::vector<std::int64_t> even_split(std::int64_t total, std::int64_t parts) {
  SCALESTUDY_EXPECT(parts > 0 && total >= 0);
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), total / parts);
  for (std::int64_t i = 0; i < total % parts; ++i) ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

}  // namespace scalestudy
