#pragma once
/// What runs with fewer ranks say of so many ranks, or why they do not (METRICS.md#predict).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/scaling_models.hpp"

namespace scalestudy {

/// Of one of the numbers of ranks that were asked for.
struct AskedPrediction {
  std::int64_t ranks = 0;
  std::optional<ScalingPrediction> prediction;
  Message refusal;  ///< where there is none
};

struct SeriesPrediction {
  std::string series;
  std::vector<std::string> labels;    ///< "fitted", and those of the runs
  std::string link;                   ///< "ring, 0.2 GB/s a rank, 20 µs", where one was emulated
  std::string rate_noun = "samples";  ///< "epochs" of published times without samples
  std::optional<ScalingFit> fit;      ///< none where the runs allow none
  std::vector<AskedPrediction> asked;

  [[nodiscard]] bool is_complete() const;  ///< all that was asked is predicted
};

/// Contract: all `ranks` are at least 1.
[[nodiscard]] SeriesPrediction predict(const Series& series, std::span<const std::int64_t> ranks);

/// From step times alone; `named` has no fit and nothing asked yet.
[[nodiscard]] SeriesPrediction predict(SeriesPrediction named,
                                       ScalingData data,
                                       std::span<const std::int64_t> ranks);

}  // namespace scalestudy
