#include "analysis/series/floor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/hash.hpp"

namespace scalestudy {
namespace {

/// Logarithms of the training times of both twins; NaN where one is missing.
using Pair = std::array<double, 2>;
using PairsByRanks = std::map<std::int64_t, std::map<std::int64_t, Pair>>;

PairsByRanks pairs_of(std::span<const Run> runs) {
  PairsByRanks all;
  for (const Run& run : runs) {
    const auto pair =
        all[run.spec.ranks].try_emplace(run.spec.repeat, Pair{not_available, not_available});
    const double time_s = run.measures[&SummaryRow::training_time_s];
    if (run.is_timing_data() && time_s > 0)
      pair.first->second.at(static_cast<std::size_t>(run.spec.twin)) = std::log(time_s);
  }
  return all;
}

/// Of two columns of launches: each twin has its own mean, so that neither order nor name matters.
double pooled_deviation(const std::vector<double>& one, const std::vector<double>& other) {
  const double a = standard_deviation(one), b = standard_deviation(other);
  return std::sqrt((a * a + b * b) / 2);
}

double squared(double value) {
  return value * value;
}

/// t × standard error of log time(N) − log time(1).
double reach_of_ratio(const FloorPoint& base,
                      const FloorPoint& compared,
                      double n,
                      Comparison comparison) {
  if (comparison == Comparison::paired) {
    const double deviation =
        std::sqrt((squared(base.log_ratio_sd) + squared(compared.log_ratio_sd)) / 2);
    return student_t_critical(significance_level, n - 1) * deviation / std::sqrt(n);
  }
  const double a = squared(base.log_time_sd) / n, b = squared(compared.log_time_sd) / n;
  if (!(a + b > 0)) return 0;
  return student_t_critical(significance_level, joint_degrees_of_freedom({a, n - 1}, {b, n - 1})) *
         std::sqrt(a + b);
}

bool is_enough(const FloorPoint* point) {
  return point != nullptr && point->pairs >= fewest_floor_pairs;
}

}  // namespace

FoundFloor floor_of_twins(std::span<const Run> runs) {
  FoundFloor floor;
  for (const auto& [ranks, pairs] : pairs_of(runs)) {
    std::vector<double> differences;
    std::array<Launches, 2> twins;
    for (const auto& [block, pair] : pairs) {
      if (!std::isfinite(pair[1] - pair[0])) continue;
      differences.push_back(pair[1] - pair[0]);
      for (const std::size_t twin : {0U, 1U}) twins.at(twin).add(block, pair.at(twin));
    }
    if (differences.size() < 2) continue;
    auto all = twins[0].values;
    all.insert(all.end(), twins[1].values.begin(), twins[1].values.end());
    const auto speeds = two_speeds(all);
    if (speeds && mix_speeds(twins, /*in_blocks=*/true))
      floor.two_speeds.emplace(ranks, *speeds);
    else
      floor.points.push_back({ranks, std::ssize(differences), standard_deviation(differences),
                              pooled_deviation(twins[0].values, twins[1].values)});
  }
  return floor;
}

double floor_half_width_frac(const FloorPoint& point, std::int64_t repeats) {
  if (repeats < static_cast<std::int64_t>(minimum_launches_for_interval)) return not_available;
  const auto n = static_cast<double>(repeats);
  return std::expm1(student_t_critical(significance_level, n - 1) * point.log_ratio_sd /
                    std::sqrt(n));
}

Resolution resolution_of(const StudyFloor* floor,
                         std::int64_t ranks,
                         std::int64_t repeats,
                         Comparison comparison) {
  Resolution resolution;
  resolution.repeats = repeats;
  resolution.comparison = comparison;
  if (floor == nullptr || !is_enough(floor->at(1)) || !is_enough(floor->at(ranks)))
    return resolution;
  resolution.is_floor_known = true;
  if (repeats < static_cast<std::int64_t>(minimum_launches_for_interval)) return resolution;
  const FloorPoint &base = *floor->at(1), &compared = *floor->at(ranks);
  resolution.floor_frac =
      std::max(floor_half_width_frac(base, repeats), floor_half_width_frac(compared, repeats));
  resolution.speedup_frac =
      std::expm1(reach_of_ratio(base, compared, static_cast<double>(repeats), comparison));
  resolution.margin_frac = std::max(least_margin_frac, margin_in_floors * resolution.floor_frac);
  return resolution;
}

Resolution resolution_of(const Series& series, const RunSet& set) {
  const auto ranks = most_timed_ranks(series);
  const auto count_at = [&](std::int64_t at) {
    return std::ssize(series.group(at).values(&SummaryRow::training_time_s));
  };
  const auto most = series.by_ranks.find(ranks);
  const auto& runs = (most == series.by_ranks.end() ? series.by_ranks.begin() : most)->second;
  const auto found = set.floors.find(folder_of(runs.front()->record));
  const bool is_its_own =
      found != set.floors.end() && found->second.timing_hash == hex64(series.spec.timing_hash());
  return resolution_of(is_its_own ? &found->second : nullptr, ranks,
                       std::min(count_at(1), count_at(ranks)), series.spec.comparison);
}

}  // namespace scalestudy
