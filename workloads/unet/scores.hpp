#pragma once
/// How well predicted foreground fits the true one, from counts of pixels. No LibTorch.

#include <span>

#include "record/run_file/columns.hpp"

namespace scalestudy::unet {

/// Pixels; whole numbers, exact in double.
struct Counts {
  double intersection = 0;
  double predicted = 0;
  double target = 0;
};

/// Intersection over union; 1 when neither holds anything.
[[nodiscard]] double iou(const Counts& counts);

/// (I + 1) / (T + P − I + 1): jaccard_coef of the RWTH scripts.
[[nodiscard]] double iou_smoothed(const Counts& counts);

/// 2 I / (T + P); 1 when neither holds anything.
[[nodiscard]] double dice(const Counts& counts);

/// The metrics of an evaluation and nothing else of it: of the sums over all samples of
/// `sample_pixels` each, and percentiles of the samples' own IoU (linear between order statistics,
/// as numpy).
[[nodiscard]] EvaluationRow scores(std::span<const Counts> samples, std::int64_t sample_pixels);

}  // namespace scalestudy::unet
