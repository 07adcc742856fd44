#include "workloads/unet/scores.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "core/statistics.hpp"

namespace scalestudy::unet {
namespace {

double union_of(const Counts& counts) {
  return counts.target + counts.predicted - counts.intersection;
}

}  // namespace

double iou(const Counts& counts) {
  return union_of(counts) == 0 ? 1.0 : counts.intersection / union_of(counts);
}

double iou_smoothed(const Counts& counts) {
  return (counts.intersection + 1) / (union_of(counts) + 1);
}

double dice(const Counts& counts) {
  const double both = counts.target + counts.predicted;
  return both == 0 ? 1.0 : 2 * counts.intersection / both;
}

EvaluationRow scores(std::span<const Counts> samples, std::int64_t sample_pixels) {
  SCALESTUDY_EXPECT(!samples.empty());
  Counts all;
  std::vector<double> each;
  for (const auto& sample : samples) {
    all.intersection += sample.intersection;
    all.predicted += sample.predicted;
    all.target += sample.target;
    each.push_back(iou(sample));
  }
  std::sort(each.begin(), each.end());
  const auto pixels = static_cast<double>(sample_pixels) * static_cast<double>(samples.size());
  const Counts all_foreground{
      .intersection = all.target, .predicted = pixels, .target = all.target};
  return {.iou = iou(all),
          .iou_smoothed = iou_smoothed(all),
          .dice = dice(all),
          .intersection_count = all.intersection,
          .predicted_count = all.predicted,
          .target_count = all.target,
          .iou_sample_p05 = percentile(each, 0.05),
          .iou_sample_median = percentile(each, 0.5),
          .iou_sample_p95 = percentile(each, 0.95),
          .all_foreground_iou = iou(all_foreground)};
}

}  // namespace scalestudy::unet
