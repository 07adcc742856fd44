#include "analysis/learning/quality.hpp"

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

Sets sets_of(const RunFacts& record) {
  Sets sets;
  for (const auto& evaluation : record.evaluations)
    if (!evaluation.evaluation_set_hash.empty())
      sets.insert(
          {evaluation.evaluation_set, evaluation.evaluation_set_hash, evaluation.sample_count});
  return sets;
}

bool is_one_per_name(const Sets& sets) {
  return std::ranges::adjacent_find(sets, {}, &EvaluatedSet::name) == sets.end();
}

/// What the runs were evaluated on, with one run of each kind as witness.
std::map<Sets, std::string> kinds_of_evaluation(const Series& series) {
  std::map<Sets, std::string> found;
  for (const Run* run : series.all_runs()) {
    auto sets = sets_of(run->record);
    if (!sets.empty()) found.emplace(std::move(sets), run->record.header.run_id);
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
      return !finite(series.group(group.first).values(*metric.column)).empty();
    };
    if (metric.kind == MeasureKind::quality && std::ranges::any_of(series.by_ranks, has_values))
      recorded.push_back(&metric);
  }
  return recorded;
}

void add_difference(MetricValues& one, const Series& series, std::int64_t ranks) {
  const Column& metric = *one.metric->column;
  const auto compared = series.group(ranks), base = series.group(1);
  if (ranks > 1 && !base.runs.empty())
    one.sampling = sampling_error(compared.runs, base.runs, metric);
  one.difference = quality_difference(compared, base, metric, one.sampling);
}

/// The metric that the study names, those that a workload is known for, or else the loss.
bool is_asked(const Measure& metric, const QualityGoal& goal, std::span<const Measure* const> all) {
  const bool has_headline = std::ranges::any_of(all, &Measure::is_headline);
  const bool stands_in = !has_headline && metric.column == &column_of(&EvaluationRow::loss);
  return metric.is_headline || metric.column->name == goal.metric || stands_in;
}

/// What the conclusions ask of a series: whether more ranks change a metric that is asked about or
/// the training loss. What else a table shows has a difference, but is no question.
void adjust_for_questions(std::vector<QualityPoint>& points, bool has_equal_epochs) {
  std::vector<Estimate*> family;
  const auto take = [&](Estimate& difference, bool is_question) {
    if (is_question)
      family.push_back(&difference);
    else
      difference.p_value = not_available;
  };
  for (QualityPoint& point : points) {
    take(point.validation_loss.difference, false);
    take(point.final_loss.difference, has_equal_epochs);
    for (MetricValues& one : point.metrics) take(one.difference, one.is_asked);
  }
  adjust_for_several(family);
}

/// NaN when the run did not record how many samples its evaluations had seen.
double best_after_frac(const Run& run) {
  const EvaluationRow* best = nullptr;
  for (const EvaluationRow& one : run.record.evaluations)
    if (one.weights == current_weights && (best == nullptr || one.loss < best->loss)) best = &one;
  if (best == nullptr) return not_available;
  return static_cast<double>(best->samples_seen) / static_cast<double>(run.spec.plan.samples);
}

double best_after_frac(const std::vector<const Run*>& runs) {
  std::vector<double> all;
  for (const Run* run : runs) all.push_back(best_after_frac(*run));
  return mean(all);
}

/// All runs that recorded it have the same one: they evaluate the same samples.
double baseline_of(const Series& series,
                   std::int64_t ranks,
                   const Measure& metric,
                   const std::optional<AccuracyGround>& accuracy) {
  if (metric.baseline == nullptr) return not_available;
  if (metric.baseline->column == nullptr) return accuracy ? accuracy->majority_frac : not_available;
  return mean(finite(series.group(ranks).values(*metric.baseline->column)));
}

/// From the first run that recorded a confusion matrix: all runs evaluate the same samples.
std::optional<AccuracyGround> accuracy_ground(const Series& series, std::int64_t ranks) {
  const auto accuracy = mean(finite(series.group(ranks).values(&EvaluationRow::top1_frac)));
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
  const auto& panel = run.digest.confusion;
  return panel && panel->height_px == panel->width_px ? &*panel : nullptr;
}

EvaluationPopulation evaluation_population(const Series& series) {
  const auto found = kinds_of_evaluation(series);
  EvaluationPopulation result;
  result.known = !found.empty();
  result.identical = found.size() == 1 && is_one_per_name(found.begin()->first);
  Sets all;
  for (const auto& [sets, run] : found) all.insert(sets.begin(), sets.end());
  result.sets.assign(all.begin(), all.end());
  for (const Run* run : series.all_runs())
    if (const auto& all_of_run = run->record.evaluations; !all_of_run.empty())
      result.reported = all_of_run.back().evaluation_set;
  if (result.known && !result.identical) {
    for (const auto& [sets, run] : found)
      result.differences.push_back(cat(run, ": ", described(sets)));
  }
  return result;
}

namespace {

/// Samples seen at each evaluation that could choose the best weights; files of before name no
/// weights, and their last evaluation is of the best ones.
std::vector<std::int64_t> chances(const Run& run) {
  const RunFacts& record = run.record;
  std::vector<std::int64_t> seen;
  for (const EvaluationRow& one : record.evaluations)
    if (one.weights == current_weights) seen.push_back(one.samples_seen);
  if (!seen.empty()) return seen;
  for (std::size_t i = 0; i + 1 < record.evaluations.size() && i < record.epochs.size(); ++i)
    seen.push_back(record.epochs[i].samples_seen);
  return seen;
}

/// As many, and at the same places in samples up to a batch.
bool are_equal_chances(std::span<const std::int64_t> one,
                       std::span<const std::int64_t> other,
                       std::int64_t batch) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [&](auto a, auto b) { return std::abs(a - b) <= batch; });
}

/// The first that did not go on from a checkpoint, or the first.
const Run& in_one_go(const std::vector<const Run*>& runs) {
  const auto found =
      std::ranges::find_if(runs, [](const Run* run) { return !run->has_label(RunLabel::resumed); });
  return found == runs.end() ? *runs.front() : **found;
}

std::optional<QualityLabel> unequal_selection(const Series& series) {
  const auto& groups = series.by_ranks;
  const Run& first = in_one_go(groups.begin()->second);
  const Run& last = in_one_go(groups.rbegin()->second);
  const auto few = chances(first), many = chances(last);
  const auto batch = std::max(first.spec.plan.global_batch_size, last.spec.plan.global_batch_size);
  if (are_equal_chances(few, many, batch)) return std::nullopt;
  return QualityLabel{
      "unequal_selection",
      cat("The best weights were chosen from ", counted(few.size(), "evaluation"), " with ",
          counted(first.spec.ranks, "rank"), " and from ", many.size(), " with ", last.spec.ranks,
          few.size() == many.size() ? ", after other numbers of samples: the best was not looked "
                                      "for at the same places (unequal_selection)."
                                    : ": more chances find a better best (unequal_selection).")};
}

/// By the samples that they are judged on.
bool chose_by_reported_set(const Run& run) {
  const auto& evaluations = run.record.evaluations;
  return evaluations.size() > 1 && !evaluations.back().evaluation_set_hash.empty() &&
         evaluations.front().evaluation_set_hash == evaluations.back().evaluation_set_hash;
}

}  // namespace

std::vector<QualityLabel> quality_labels(const Series& series) {
  std::vector<QualityLabel> labels;
  if (series.has_label(RunLabel::emulated_compute)) return labels;
  if (series.has_changed_goal)
    labels.push_back({"goal_changed",
                      "The runs' studies declare different quality goals, so none is used "
                      "(goal_changed)."});
  else if (series.has_late_goal)
    labels.push_back(
        {"goal_declared_late",
         "The study's quality goal was declared after the runs, which somebody may have "
         "seen (goal_declared_late)."});
  if (auto label = unequal_selection(series)) labels.push_back(std::move(*label));
  if (chose_by_reported_set(*series.by_ranks.begin()->second.front()))
    labels.push_back({"selected_on_test",
                      "The samples that the models are judged on chose the best weights, too: the "
                      "values flatter all of them (selected_on_test)."});
  return labels;
}

std::vector<std::string> data_warnings(const Series& series) {
  std::vector<std::string> all;
  for (const Run* run : series.all_runs())
    for (const auto& warning : run->record.header.data_warnings) add_unique(all, warning);
  return all;
}

bool has_equal_epochs(const Series& series) {
  std::set<std::int64_t> samples;
  for (const auto& [ranks, runs] : series.by_ranks)
    samples.insert(runs.front()->spec.plan.samples_per_epoch);
  return samples.size() == 1;
}

std::vector<QualityPoint> quality_by_ranks(const Series& series,
                                           const EvaluationPopulation& population) {
  const Measure& validation_loss = measure_of(column_of(&SummaryRow::best_validation_loss));
  const Measure& final_loss = measure_of(column_of(&SummaryRow::final_loss));
  const auto recorded = recorded_metrics(series);
  const QualityGoal& goal = series.spec.quality;
  std::vector<QualityPoint> all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    QualityPoint point;
    point.ranks = ranks;
    point.accuracy_ground = accuracy_ground(series, ranks);
    point.best_after_frac = best_after_frac(runs);
    const auto values_of = [&, at = ranks](const Measure& metric) {
      MetricValues one{&metric, finite(series.group(at).values(*metric.column))};
      if (population.identical) add_difference(one, series, at);
      one.is_asked = is_asked(metric, goal, recorded);
      if (metric.column->name == goal.metric) one.margin = goal.margin;
      one.is_margin_late = series.has_late_goal;
      one.baseline = baseline_of(series, at, metric, point.accuracy_ground);
      return one;
    };
    point.validation_loss = values_of(validation_loss);
    point.final_loss = values_of(final_loss);
    for (const Measure* metric : recorded) point.metrics.push_back(values_of(*metric));
    all.push_back(std::move(point));
  }
  adjust_for_questions(all, has_equal_epochs(series));
  return all;
}

}  // namespace scalestudy
