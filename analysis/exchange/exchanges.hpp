#pragma once
/// The exchange of a series' runs by rank count (METRICS.md#exchange). Pure.

#include <vector>

#include "record/measures/exchange.hpp"

#include "analysis/series/run_set.hpp"

namespace scalestudy {

/// Of runs that have one and as many buckets as the first of them.
[[nodiscard]] std::vector<Exchange> exchanges(const Series& series);

}  // namespace scalestudy
