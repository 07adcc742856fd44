#pragma once
/// When the buckets of one step were ready, on their way and there.

#include <optional>

#include "analysis/report/plot/figure.hpp"

namespace scalestudy {

/// Of the median steady step of the first timed run with buckets at the largest number of ranks;
/// nothing where that is one rank or has no such run.
[[nodiscard]] std::optional<Figure> bucket_timeline(const SeriesAnalysis& analysis);

}  // namespace scalestudy
