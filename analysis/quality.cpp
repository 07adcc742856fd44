#include "analysis/quality.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using Sets = std::set<EvaluatedSet>;

std::vector<double> finite(std::vector<double> values) {
  values.erase(
      std::remove_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }),
      values.end());
  return values;
}

Sets sets_of(const RunRecord& record) {
  Sets sets;
  for (const auto& evaluation : record.evaluations) {
    if (!evaluation.evaluation_set_hash.empty())
      sets.insert(
          {evaluation.evaluation_set, evaluation.evaluation_set_hash, evaluation.sample_count});
  }
  return sets;
}

bool is_one_per_name(const Sets& sets) {
  std::set<std::string> names;
  for (const EvaluatedSet& set : sets) names.insert(set.name);
  return names.size() == sets.size();
}

/// What the runs were evaluated on, with one run of each kind as witness.
std::map<Sets, std::string> kinds_of_evaluation(const Series& series) {
  std::map<Sets, std::string> found;
  for (const auto& [ranks, runs] : series.by_ranks) {
    for (const Run* run : runs) {
      auto sets = sets_of(run->record);
      if (!sets.empty()) found.emplace(std::move(sets), run->record.header.run_id);
    }
  }
  return found;
}

std::string described(const Sets& sets) {
  std::vector<std::string> parts;
  for (const EvaluatedSet& set : sets)
    parts.push_back(cat(counted(set.samples, set.name + " sample"), ", hash ", set.hash));
  return join(parts, " and ");
}

/// The metrics that some run has.
std::vector<const Measure*> recorded_metrics(const Series& series) {
  std::vector<const Measure*> recorded;
  for (const Measure& metric : measures()) {
    const auto has_values = [&](const auto& group) {
      return !finite(series.values(group.first, *metric.column)).empty();
    };
    if (metric.kind == MeasureKind::quality &&
        std::any_of(series.by_ranks.begin(), series.by_ranks.end(), has_values))
      recorded.push_back(&metric);
  }
  return recorded;
}

/// Of one rank to itself there is nothing to test.
Estimate difference_to_one_rank(const Series& series, std::int64_t ranks, const Column& metric) {
  const auto estimate = difference(series.launches(ranks, metric), series.launches(1, metric),
                                   series.spec.comparison);
  return ranks == 1 ? without_interval(estimate) : estimate;
}

/// What the conclusions ask of a series: whether more ranks change a headline metric or a loss.
/// What else a table shows has a difference, but is no question.
void adjust_for_questions(std::vector<QualityPoint>& points) {
  std::vector<Estimate*> family;
  for (QualityPoint& point : points) {
    family.push_back(&point.validation_loss.difference);
    family.push_back(&point.final_loss.difference);
    for (MetricValues& one : point.metrics) {
      if (one.metric->is_headline)
        family.push_back(&one.difference);
      else
        one.difference.p_value = not_available;
    }
  }
  adjust_for_several(family);
}

/// All runs that recorded it have the same one: they evaluate the same samples.
double baseline_of(const Series& series,
                   std::int64_t ranks,
                   const Measure& metric,
                   const std::optional<AccuracyGround>& accuracy) {
  if (metric.baseline == nullptr) return not_available;
  if (metric.baseline->column == nullptr) return accuracy ? accuracy->majority_frac : not_available;
  return mean(finite(series.values(ranks, *metric.baseline->column)));
}

/// From the first run that recorded a confusion matrix: all runs evaluate the same samples.
std::optional<AccuracyGround> accuracy_ground(const Series& series, std::int64_t ranks) {
  const auto accuracy = mean(finite(series.values(ranks, &EvaluationRow::top1_frac)));
  for (const Run* run : series.by_ranks.at(ranks)) {
    const Panel* confusion = confusion_panel(*run);
    if (confusion == nullptr || !std::isfinite(accuracy)) continue;
    double all = 0, most = 0;
    for (std::int64_t truth = 0; truth < confusion->height_px; ++truth) {
      const auto row = confusion->pixels.begin() + truth * confusion->width_px;
      const double count = std::accumulate(row, row + confusion->width_px, 0.0);
      all += count;
      most = std::max(most, count);
    }
    constexpr double most_samples = 1e15;
    if (!(all <= most_samples && accuracy >= 0 && accuracy <= 1)) continue;
    const auto samples = std::llround(all);
    if (samples > 0) return AccuracyGround{samples, most / all, share_interval(accuracy, samples)};
  }
  return std::nullopt;
}

}  // namespace

bool MetricValues::is_no_better() const {
  const double value = mean(values);
  return metric->higher_is_better() ? value <= baseline : value >= baseline;
}

const Panel* confusion_panel(const Run& run) {
  const Panel* panel = panel_named(run, "confusion");
  return panel != nullptr && panel->height_px == panel->width_px ? panel : nullptr;
}

EvaluationPopulation evaluation_population(const Series& series) {
  const auto found = kinds_of_evaluation(series);
  EvaluationPopulation result;
  result.known = !found.empty();
  result.identical = found.size() == 1 && is_one_per_name(found.begin()->first);
  Sets all;
  for (const auto& [sets, run] : found) all.insert(sets.begin(), sets.end());
  result.sets.assign(all.begin(), all.end());
  if (result.known && !result.identical) {
    for (const auto& [sets, run] : found)
      result.differences.push_back(cat(run, ": ", described(sets)));
  }
  return result;
}

std::vector<std::string> data_warnings(const Series& series) {
  std::vector<std::string> all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    for (const Run* run : runs) {
      for (const auto& warning : run->record.header.data_warnings) add_unique(all, warning);
    }
  }
  return all;
}

std::vector<QualityPoint> quality_by_ranks(const Series& series,
                                           const EvaluationPopulation& population) {
  const Measure& validation_loss = measure_of(column_of(&SummaryRow::best_validation_loss));
  const Measure& final_loss = measure_of(column_of(&SummaryRow::final_loss));
  const auto recorded = recorded_metrics(series);
  std::vector<QualityPoint> all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    QualityPoint point;
    point.ranks = ranks;
    point.accuracy_ground = accuracy_ground(series, ranks);
    const auto values_of = [&, at = ranks](const Measure& metric) {
      MetricValues one{&metric, finite(series.values(at, *metric.column)), {}};
      if (population.identical) one.difference = difference_to_one_rank(series, at, *metric.column);
      one.baseline = baseline_of(series, at, metric, point.accuracy_ground);
      return one;
    };
    point.validation_loss = values_of(validation_loss);
    point.final_loss = values_of(final_loss);
    for (const Measure* metric : recorded) point.metrics.push_back(values_of(*metric));
    all.push_back(std::move(point));
  }
  adjust_for_questions(all);
  return all;
}

}  // namespace scalestudy
