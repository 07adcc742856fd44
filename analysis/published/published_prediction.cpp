#include "analysis/published/published_prediction.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace scalestudy {
namespace {

/// What is not known cancels out of rates: as many samples as ranks may be asked for.
constexpr double any_batch = 1e6;

/// Without published batches each rank is taken to keep its own.
ScalingData scaling_data(const ArmAnalysis& arm) {
  std::vector<const PublishedPoint*> points;
  for (const auto& point : arm.points)
    if (!point.is_flawed && point.rate_per_s > 0) points.push_back(&point);
  const bool has_batches = std::ranges::all_of(
      points, [](const auto* point) { return std::isfinite(point->global_batch_size); });
  ScalingData data;
  data.has_fixed_global_batch = arm.arm.scaling_rule == PublishedRule::strong;
  for (const auto* point : points) {
    const double work = has_batches                   ? point->global_batch_size
                        : data.has_fixed_global_batch ? any_batch
                                                      : static_cast<double>(point->ranks);
    if (data.points.empty()) data.samples_per_step = work;
    data.points.push_back({point->ranks, {}});
    for (const double rate : point->rates_per_s) data.points.back().step_s.push_back(work / rate);
  }
  return data;
}

}  // namespace

std::vector<SeriesPrediction> predict(const PublishedAnalysis& analysis,
                                      std::span<const std::int64_t> ranks) {
  std::vector<SeriesPrediction> all;
  for (const auto& arm : analysis.arms) {
    auto& one = all.emplace_back(predict({.series = cat(analysis.study.title, ", ", arm.arm.name),
                                          .labels = {"fitted", "external"},
                                          .link = {},
                                          .rate_noun = work_noun(analysis.study, arm),
                                          .fit = {},
                                          .asked = {}},
                                         scaling_data(arm), ranks));
    for (auto& asked : one.asked)
      if (!asked.prediction) asked.refusal.suggestion = "Ask for what was published";
  }
  return all;
}

}  // namespace scalestudy
