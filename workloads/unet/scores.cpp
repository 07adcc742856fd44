#include "workloads/unet/scores.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"

#include "record/columns.hpp"

namespace scalestudy::unet {
namespace {

double union_of(const Counts& counts) {
  return counts.target + counts.predicted - counts.intersection;
}

double percentile(const std::vector<double>& sorted, double frac) {
  const double position = frac * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
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

std::map<std::string, double, std::less<>> scores(std::span<const Counts> samples) {
  SCALESTUDY_EXPECT(!samples.empty());
  namespace columns = evaluation_column;
  Counts all;
  std::vector<double> each;
  for (const auto& sample : samples) {
    all.intersection += sample.intersection;
    all.predicted += sample.predicted;
    all.target += sample.target;
    each.push_back(iou(sample));
  }
  std::sort(each.begin(), each.end());
  const auto name = [](const Column& column) { return std::string(column.name); };
  return {{name(columns::iou), iou(all)},
          {name(columns::iou_smoothed), iou_smoothed(all)},
          {name(columns::dice), dice(all)},
          {name(columns::iou_sample_p05), percentile(each, 0.05)},
          {name(columns::iou_sample_median), percentile(each, 0.5)},
          {name(columns::iou_sample_p95), percentile(each, 0.95)}};
}

}  // namespace scalestudy::unet
