#pragma once
/// Which samples train and which evaluate.

#include <cstdint>
#include <vector>

#include "core/ids.hpp"

namespace scalestudy {

/// Sample indices, ascending; disjoint, together the whole set.
struct Split {
  std::vector<std::int64_t> training;
  std::vector<std::int64_t> validation;
};

/// A random split that depends on its arguments only: the same for every rank, number of ranks and
/// repeat. round(count × train_frac) samples train, but each part gets one at least.
/// `train_frac`: above 0 and below 1. Errors: BadInput when there are fewer than two samples.
[[nodiscard]] Split split_indices(SampleCount count, double train_frac, std::uint64_t seed);

}  // namespace scalestudy
