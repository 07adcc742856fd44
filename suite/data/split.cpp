#include "data/split.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/sampling.hpp"

namespace scalestudy {

Split split_indices(SampleCount count, const SplitShares& shares, std::uint64_t seed) {
  const auto& [training_frac, test_frac] = shares;
  SCALESTUDY_EXPECT(training_frac > 0 && test_frac >= 0 && training_frac + test_frac < 1);
  const auto total = count.value();
  const std::int64_t evaluated_parts = test_frac > 0 ? 2 : 1;
  if (total < 1 + evaluated_parts)
    throw BadInput({cat(counted(total, "sample"), " cannot be split into training",
                        test_frac > 0 ? ", validation and test" : " and validation"),
                    "each part needs one at least", "Add samples"});
  const auto part = [&](double share, std::int64_t most) {
    return std::clamp<std::int64_t>(std::llround(static_cast<double>(total) * share), 1, most);
  };
  const auto training = part(training_frac, total - evaluated_parts);
  const auto test = test_frac > 0 ? part(test_frac, total - training - 1) : 0;
  // A stream of its own: `permutation` with small pass numbers orders the epochs.
  constexpr std::uint64_t split_stream = 0x73706c6974;
  const auto order = permutation(total, seed, split_stream);
  const auto sorted = [&](std::int64_t first, std::int64_t end) {
    std::vector<std::int64_t> indices(order.begin() + first, order.begin() + end);
    std::sort(indices.begin(), indices.end());
    return indices;
  };
  return {sorted(0, training), sorted(training, total - test), sorted(total - test, total)};
}

}  // namespace scalestudy
