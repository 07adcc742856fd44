#include "data/split.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/sampling.hpp"

namespace scalestudy {

Split split_indices(SampleCount count, double train_frac, std::uint64_t seed) {
  SCALESTUDY_EXPECT(train_frac > 0 && train_frac < 1);
  const auto total = count.value();
  if (total < 2)
    throw BadInput({cat(total, " sample cannot be split into training and validation"),
                    "each part needs one at least", "Add samples"});
  const auto wanted = std::llround(static_cast<double>(total) * train_frac);
  const auto training_count = std::clamp<std::int64_t>(wanted, 1, total - 1);
  // A stream of its own: `permutation` with small pass numbers orders the epochs.
  constexpr std::uint64_t split_stream = 0x73706c6974;
  const auto order = permutation(total, seed, split_stream);
  Split split;
  split.training.assign(order.begin(), order.begin() + training_count);
  split.validation.assign(order.begin() + training_count, order.end());
  std::sort(split.training.begin(), split.training.end());
  std::sort(split.validation.begin(), split.validation.end());
  return split;
}

}  // namespace scalestudy
