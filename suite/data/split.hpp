#pragma once
/// Which samples train and which evaluate, while training and at its end.

#include <cstdint>
#include <vector>

#include "core/ids.hpp"

namespace scalestudy {

/// Sample indices, ascending; disjoint, together the whole set.
struct Split {
  std::vector<std::int64_t> training;
  std::vector<std::int64_t> validation;
  std::vector<std::int64_t> test;
};

/// Shares of all samples, above 0 each; what is left is for validation.
struct SplitShares {
  double training_frac = 0.8;
  double test_frac = 0;  ///< 0: no test set
};

/// A random split that depends on its arguments only: the same for every rank, number of ranks and
/// repeat. round(count × share) samples train or test, but each part gets one at least. Who trains
/// does not depend on test_frac. Errors: BadInput when there are fewer samples than parts.
[[nodiscard]] Split split_indices(SampleCount count, const SplitShares& shares, std::uint64_t seed);

}  // namespace scalestudy
