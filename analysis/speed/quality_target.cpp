#include "analysis/speed/quality_target.hpp"

#include <algorithm>
#include <cmath>

#include "record/measures/run_summary.hpp"

namespace scalestudy {
namespace {

/// The metric that the study names, as a column of /evaluations.
const RowColumn<EvaluationRow>* goal_column(const QualityGoal& goal) {
  for (const auto& column : columns_of<EvaluationRow>)
    if (column.better != Better::none && column.name == goal.metric) return &column;
  return nullptr;
}

bool reaches(double value, double target, Better better) {
  return better == Better::higher ? value >= target : value <= target;
}

struct Group {
  std::vector<RunTiming> timings;  ///< up to the target
  Launches samples;                ///< of resumed runs, too
  std::size_t reached = 0;
  [[nodiscard]] std::size_t runs() const { return samples.values.size(); }
};

Group group_of(const std::vector<const Run*>& runs, const QualityGoal& goal) {
  Group group;
  for (const Run* run : runs) {
    const auto one = reached_target(*run, goal);
    if (!one) continue;
    group.reached += one->reached ? 1 : 0;
    group.samples.add(run->spec.repeat, one->samples);
    if (std::isfinite(one->time_s))
      group.timings.push_back({.block = run->spec.repeat,
                               .samples = one->samples,
                               .samples_per_s = run->measures[&SummaryRow::samples_per_s],
                               .training_time_s = one->time_s,
                               .started_unix_s = started_unix_s(*run)});
  }
  return group;
}

/// Adds what `group` is against `base`.
void compare(TargetPoint& point, const Group& group, const Group& base, Comparison how) {
  const auto factors = factorise(group.timings, base.timings, how);
  const bool base_reached = base.reached == base.runs();
  if (point.all_reached() && base_reached) {
    point.factors = factors;
    point.sample_ratio = ratio(group.samples, base.samples, how);
    return;
  }
  point.factors.throughput = factors.throughput;
  if (!point.all_reached() && !base_reached) return;
  point.speedup_bound = factors.total.value;
  point.statistical_bound = factors.statistical.value;
}

TargetPoint point_of(std::int64_t ranks, const Group& group, const Group& base, Comparison how) {
  TargetPoint point{.ranks = ranks, .runs = group.runs(), .reached = group.reached};
  if (point.all_reached()) {
    std::vector<double> times_s;
    for (const RunTiming& run : group.timings) times_s.push_back(run.training_time_s);
    point.time_s = geometric_mean(times_s);
    point.samples = geometric_mean(group.samples.values);
  }
  if (ranks > 1 && base.runs() > 0) compare(point, group, base, how);
  return point;
}

}  // namespace

std::optional<ReachedTarget> reached_target(const Run& run, const QualityGoal& goal) {
  const auto* const column = goal_column(goal);
  if (column == nullptr || goal.target == 0) return std::nullopt;
  ReachedTarget result;
  for (const EvaluationRow& one : run.record.evaluations) {
    // A metric that is measured at the end only was never asked for while training.
    if (one.weights != current_weights || !std::isfinite(number_in(one, *column))) continue;
    result = {reaches(number_in(one, *column), goal.target, column->better),
              one.end_s - probe_time_s(run.record), static_cast<double>(one.samples_seen)};
    if (result.reached) break;
  }
  if (!std::isfinite(result.samples)) return std::nullopt;
  if (!run.is_timing_data()) result.time_s = not_available;
  return result;
}

std::vector<TargetPoint> target_by_ranks(const Series& series) {
  if (series.is_control_arm() || series.spec.quality.target == 0) return {};
  const auto& goal = series.spec.quality;
  const auto one_rank = group_of(series.group(1).runs, goal);
  std::vector<TargetPoint> points;
  for (const auto& [ranks, runs] : series.by_ranks)
    points.push_back(point_of(ranks, group_of(runs, goal), one_rank, series.spec.comparison));
  const bool is_measured = std::ranges::all_of(points, [](const auto& p) { return p.runs > 0; });
  return is_measured ? points : std::vector<TargetPoint>();
}

}  // namespace scalestudy
