#include "data/sampling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace scalestudy {

std::vector<std::int64_t> permutation(std::int64_t size, std::uint64_t seed, std::uint64_t pass) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::uint64_t state = mix64(seed ^ mix64(pass));
  for (std::size_t last = order.size(); last > 1; --last) {
    state = mix64(state);
    // The bias of the modulo is below size / 2^64.
    std::swap(order[last - 1], order[state % last]);
  }
  return order;
}

SampleSequence::SampleSequence(SampleCount size, std::uint64_t seed)
    : size_(size.value()), seed_(seed), cached_pass_(std::numeric_limits<std::uint64_t>::max()) {
  SCALESTUDY_EXPECT(size_ > 0);
}

std::vector<std::int64_t> SampleSequence::range(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> indices;
  indices.reserve(static_cast<std::size_t>(count));
  for (std::int64_t position = first; position < first + count; ++position) {
    const auto pass = static_cast<std::uint64_t>(position / size_);
    if (pass != cached_pass_) {
      cached_ = permutation(size_, seed_, pass);
      cached_pass_ = pass;
    }
    indices.push_back(cached_[static_cast<std::size_t>(position % size_)]);
  }
  return indices;
}

Shard shard_of(Rank rank, StepIndex step, std::span<const std::int64_t> local_batch_sizes) {
  SCALESTUDY_EXPECT(rank.index() < local_batch_sizes.size());
  const auto before = std::accumulate(local_batch_sizes.begin(),
                                      local_batch_sizes.begin() + rank.value(), std::int64_t{0});
  const auto global =
      std::accumulate(local_batch_sizes.begin(), local_batch_sizes.end(), std::int64_t{0});
  return {step.value() * global + before, local_batch_sizes[rank.index()]};
}

std::vector<std::int64_t> even_split(std::int64_t total, std::int64_t parts) {
  SCALESTUDY_EXPECT(parts > 0 && total >= 0);
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), total / parts);
  for (std::int64_t i = 0; i < total % parts; ++i) ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

}  // namespace scalestudy
