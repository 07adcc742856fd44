#include "analysis/report/learning/quality_sentences.hpp"

#include <cmath>

#include "core/text.hpp"

#include "study/small_sets.hpp"

#include "analysis/report/text/evidence.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/statistics/decision.hpp"

namespace scalestudy {
namespace {

/// "; the noisy input: 26", where all models are held against the same.
std::string beside_baseline(const SeriesAnalysis& analysis, const MetricValues& one) {
  if (!analysis.population.identical || !std::isfinite(one.baseline)) return "";
  return cat("; ", one.metric->baseline->label, ": ", compact(one.baseline));
}

/// `metric_of` gives a point's values of the metric.
template <class MetricOf>
std::string quality_values(const SeriesAnalysis& analysis, const MetricOf& metric_of) {
  std::vector<std::string> parts;
  for (const QualityPoint& q : analysis.quality) {
    const std::vector<double>& values = metric_of(q).values;
    if (values.empty()) continue;
    parts.push_back(cat(mean_and_deviation(values), " at ", ranks_in_words(q.ranks, false)));
  }
  if (parts.empty()) return "";
  return join(parts, ", ") + beside_baseline(analysis, metric_of(analysis.quality.front()));
}

/// "−0.0046 (95 % interval −0.02–0.01; 5 runs each, 24 samples)".
std::string shown_difference(const MetricValues& one) {
  const Estimate& d = one.difference;
  const auto samples = d.interval && one.sampling
                           ? cat(", ", counted(one.sampling->samples, "sample"))
                           : std::string();
  return cat(significant(d.value, 2), one.metric->unit_suffix(), " (", evidence(d, 2), samples,
             ")");
}

std::string margin_text(const MetricValues& one) {
  return cat(compact(one.margin), one.metric->unit_suffix());
}

/// Of a difference that is there.
std::string resolved_words(const MetricValues& one) {
  const Estimate& d = one.difference;
  const bool better = (d.value > 0) == one.metric->higher_is_better();
  const auto beside_margin =
      one.margin == 0                   ? std::string()
      : is_equivalent(d, 0, one.margin) ? cat(", surely less than the margin of ", margin_text(one))
      : d.interval->contains(std::copysign(one.margin, d.value))
          ? cat("; whether that is more than the margin of ", margin_text(one), " is not resolved")
          : cat(", surely more than the margin of ", margin_text(one));
  return cat(" More ranks are ", better ? "better" : "worse", " by ", shown_difference(one),
             beside_margin, ".");
}

/// What the launches would have to be for a difference of nothing to be called none.
std::string repeats_needed(const MetricValues& one) {
  const auto launches = launches_to_call_equal(one.difference, one.margin);
  if (!launches) return "";
  return cat("; if there is none, ", repeats_text(*launches),
             " with as much scatter would show it in four of five studies");
}

/// "the margin of 0.1 that the study declared beforehand"
std::string declared_margin(const MetricValues& one) {
  return cat("the margin of ", margin_text(one), " that the study declared ",
             one.is_margin_late ? "after the runs" : "beforehand");
}

/// Of one that may be none: only a declared margin lets anyone call it so.
std::string unresolved_words(const MetricValues& one) {
  const Estimate& d = one.difference;
  const auto shown = shown_difference(one);
  if (one.margin == 0)
    return cat(" Whether more ranks are better or worse is not resolved: ", shown, ".");
  if (is_equivalent(d, 0, one.margin))
    return cat(" More ranks are as good: the difference is surely less than ", declared_margin(one),
               ": ", shown, ".");
  if (is_non_inferior(d, one.margin, one.metric->higher_is_better()))
    return cat(" More ranks are surely not worse by ", declared_margin(one),
               ", perhaps better: ", shown, ".");
  return cat(" Whether more ranks are as good, within ", declared_margin(one),
             ", is not resolved: ", shown, repeats_needed(one), ".");
}

double gain(const MetricValues& one) {
  const double more = mean(one.values) - one.baseline;
  return one.metric->higher_is_better() ? more : -more;
}

/// A margin that lets any model pass.
std::string wide_margin_words(const MetricValues& base, const MetricValues& one) {
  if (base.values.empty() || !(one.margin >= gain(base)) || !(gain(base) > 0)) return "";
  return cat(" The margin is no smaller than what training gained over ",
             one.metric->baseline->label, " (", significant(gain(base), 2),
             "): a model that learned nothing would be as good, too.");
}

/// What the most ranks change of a metric that is asked about.
std::string difference_words(const MetricValues& one) {
  const Estimate& d = one.difference;
  if (!std::isfinite(d.value)) return "";
  if (!d.interval) {
    const auto missing = remedy(d);
    return cat(" The difference is ", shown_difference(one), ": no statement is possible",
               missing.empty() ? "" : cat(" before ", missing), ".");
  }
  if (d.interval->low == d.interval->high && d.value == 0)
    return " All runs reached the same value: it cannot tell them apart.";
  return is_resolved(d, 0) ? resolved_words(one) : unresolved_words(one);
}

/// The metrics' values and, where there is one rank to compare with, what the most ranks change.
std::string metric_sentences(const SeriesAnalysis& analysis, bool compares) {
  std::string text;
  const auto& last = analysis.quality.back().metrics;
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (!last[i].is_asked) continue;
    const auto metric_of = [&](const QualityPoint& q) -> const auto& {
      return q.metrics[i];
    };
    const Measure& metric = *last[i].metric;
    const std::string unit = metric.column->unit == "1" ? "" : cat(" in ", metric.column->unit);
    if (const auto values = quality_values(analysis, metric_of); !values.empty())
      text += cat(" ", metric.label, " of the best weights", unit, ": ", values, ".",
                  compares ? difference_words(last[i]) +
                                 wide_margin_words(analysis.quality.front().metrics[i], last[i])
                           : "");
  }
  return text;
}

/// "0.8 was reached by 5 of 5 runs of one rank after 61 s and 9,000 samples, …".
std::string reach_text(const TargetPoint& point) {
  auto reached = cat(point.reached, " of ", counted(point.runs, "run"), " with ",
                     ranks_in_words(point.ranks, false));
  if (!std::isfinite(point.samples)) return reached;
  return cat(reached, " after ",
             std::isfinite(point.time_s) ? cat(duration(point.time_s), " and ") : "",
             compact(std::round(point.samples)), " samples");
}

/// How much sooner the most ranks were there.
std::string sooner_text(const TargetPoint& point) {
  if (std::isfinite(point.factors.total.value))
    return cat(" ", ranks_in_words(point.ranks, true), " were there ",
               with_interval(point.factors.total), " times as soon as one, with ",
               with_interval(point.sample_ratio), " times as many samples at ",
               with_interval(point.factors.throughput), " times the throughput",
               point.factors.total.interval ? "" : " (intervals not determinable)",
               "; samples are counted to the evaluation that found it, no finer.");
  if (!std::isfinite(point.speedup_bound)) return "";
  return cat(" ", ranks_in_words(point.ranks, true), " were there ",
             point.all_reached() ? "more" : "less", " than ", significant(point.speedup_bound, 3),
             " times as soon as one, at ", with_interval(point.factors.throughput),
             " times the throughput.");
}

std::string target_sentence(const SeriesAnalysis& analysis) {
  if (analysis.targets.empty()) return "";
  std::vector<std::string> reached;
  for (const TargetPoint& point : analysis.targets) reached.push_back(reach_text(point));
  const QualityGoal& goal = analysis.series.spec.quality;
  return cat(" The target, ", goal.metric, " ", compact(goal.target),
             " on the validation set, was reached by ", join(reached, ", by "), ".",
             sooner_text(analysis.targets.back()));
}

/// With statistics of its own a rank's gradient is not that of one rank's larger batch.
std::string batch_norm_sentence(const SeriesAnalysis& analysis) {
  const RunSpec& spec = analysis.series.by_ranks.rbegin()->second.front()->spec;
  const bool is_local = spec.batch_norm_in_force() == BatchNormPolicy::local;
  if (spec.ranks == 1 || !is_local || analysis.series.has_label(RunLabel::emulated_compute))
    return "";
  return " Batch norm is local: each rank normalises over its own samples only.";
}

std::string set_text(const EvaluatedSet& set) {
  return cat(set.samples, " ", set.name, " samples (hash ", set.hash.substr(0, 8), "…)");
}

std::string population_sentence(const EvaluationPopulation& population) {
  if (!population.identical) {
    return "The models were evaluated on different sets: their values are not comparable.";
  }
  std::vector<std::string> chosen_by, judged_on;
  for (const EvaluatedSet& set : population.sets)
    (set.name == population.reported ? judged_on : chosen_by).push_back(set_text(set));
  return cat("All models were evaluated on the same ", join(judged_on, " and "),
             chosen_by.empty()
                 ? ""
                 : cat("; others chose the best weights, the same ", join(chosen_by, " and ")),
             ".");
}

std::string label_sentences(const SeriesAnalysis& analysis) {
  std::string text;
  for (const QualityLabel& label : analysis.quality_labels) text += " " + label.text;
  return text;
}

/// Below this a single number says little about other samples.
constexpr double widest_useful_half_interval = 0.05;

/// An accuracy is a share of so many samples.
std::string small_set_sentence(const AccuracyGround& ground) {
  const double half = (ground.interval.high - ground.interval.low) / 2;
  if (half <= widest_useful_half_interval) return "";
  return cat(" The evaluation set is small: ", ground.samples,
             " samples give an accuracy only to ±", percent(half), ".");
}

std::string chance_sentence(std::int64_t ranks, const AccuracyGround& ground) {
  if (ground.interval.low > ground.majority_frac) return "";
  return cat(" With ", ranks_in_words(ranks, false),
             " the top-1 accuracy is no better than always naming the most frequent class (",
             percent(ground.majority_frac), ").");
}

/// What a metric says about one model before it is compared with any other.
std::string worth_sentence(std::int64_t ranks, const MetricValues& one) {
  const std::string with = cat(" With ", ranks_in_words(ranks, false), " ");
  const bool is_iou = one.metric->column == &column_of(&EvaluationRow::iou);
  if (is_iou && !one.values.empty() && mean(one.values) == 0)
    return with + "no foreground was found (IoU 0): there is nothing to compare.";
  if (!one.is_no_better() || one.metric->baseline->verdict.empty()) return "";
  return cat(with, one.metric->baseline->verdict, " (", one.metric->label, " ",
             compact(mean(one.values)), " against ", compact(one.baseline),
             one.metric->unit_suffix(), ").");
}

/// What an accuracy cannot tell, its interval says better.
std::vector<std::string> few_samples_warnings(const SeriesAnalysis& analysis) {
  if (!analysis.population.identical || analysis.quality.front().accuracy_ground) return {};
  std::vector<std::string> warnings;
  for (const EvaluatedSet& set : analysis.population.sets)
    if (set.name == analysis.population.reported)
      warnings.push_back(small_set_warning(set.samples, set.name));
  std::erase(warnings, "");
  return warnings;
}

/// What makes values worthless, before any of them is compared.
std::string ground_sentences(const SeriesAnalysis& analysis) {
  auto warnings = analysis.data_warnings;
  for (const auto& warning : few_samples_warnings(analysis)) add_unique(warnings, warning);
  std::string text;
  for (const auto& warning : warnings) text += " " + warning;
  for (const QualityPoint& point : analysis.quality) {
    for (const MetricValues& one : point.metrics) text += worth_sentence(point.ranks, one);
    if (!point.accuracy_ground) continue;
    if (point.ranks == analysis.quality.front().ranks)
      text += small_set_sentence(*point.accuracy_ground);
    text += chance_sentence(point.ranks, *point.accuracy_ground);
  }
  return text;
}

/// A best model far from the end: the training after it was for nothing.
std::string best_weights_sentence(const SeriesAnalysis& analysis) {
  std::vector<std::string> parts;
  for (const QualityPoint& q : analysis.quality) {
    if (!std::isfinite(q.best_after_frac)) return "";
    parts.push_back(cat(percent(q.best_after_frac), " with ", ranks_in_words(q.ranks, false)));
  }
  return cat(" Of the samples of the training the best weights had seen ", join(parts, ", "),
             " (means over runs).");
}

/// How far training came, which is no verdict on the model; of epochs of equal length only: means
/// over other numbers of samples are of other parts of the training.
std::string training_loss_sentence(const SeriesAnalysis& analysis, bool compares) {
  if (!has_equal_epochs(analysis.series)) return "";
  const auto loss_of = [](const QualityPoint& q) -> const auto& {
    return q.final_loss;
  };
  const auto values = quality_values(analysis, loss_of);
  if (values.empty()) return "";
  const Estimate& d = analysis.quality.back().final_loss.difference;
  const bool is_told = compares && is_resolved(d, 0);
  return cat(" Training loss of the last epoch: ", values,
             is_told ? cat("; more ranks ended ", d.value > 0 ? "higher" : "lower", " by ",
                           significant(std::abs(d.value), 2))
                     : "",
             ".");
}

/// A replay learns nothing; when a target is reached says how its times and samples work together.
std::string invented_quality(const SeriesAnalysis& analysis) {
  return cat(
      "A replay learns nothing: its losses are invented by its settings and say nothing of "
      "any model.",
      metric_sentences(analysis, false), target_sentence(analysis));
}

/// Of all that there is to gain over the baseline: a model that gains less is hardly better.
constexpr double least_gain_frac = 0.1;
/// Of one rank's gain: a model that keeps less has collapsed.
constexpr double least_kept_frac = 0.5;

/// NaN of decibels, which have no end.
double gain_frac(const MetricValues& one) {
  if (one.metric->column->unit != "1") return not_available;
  return gain(one) / (one.metric->higher_is_better() ? 1 - one.baseline : one.baseline);
}

std::string in_brief(const MetricValues& one, const MetricValues& many) {
  const auto values = cat(many.metric->label, ' ', compact(mean(many.values)));
  if (gain_frac(many) < least_gain_frac)
    return cat(", with models hardly better than ", many.metric->baseline->label, " (", values,
               ", ", compact(many.baseline), " there)");
  const auto change = cat(" (", values, " instead of ", compact(mean(one.values)), ")");
  const Estimate& d = many.difference;
  const bool is_worse = is_resolved(d, 0) && (d.value > 0) != many.metric->higher_is_better();
  if (is_worse && gain(one) > 0 && gain(many) < least_kept_frac * gain(one))
    return ", with collapsed models" + change;
  const bool matters = is_worse && !is_equivalent(d, 0, many.margin) &&
                       !d.interval->contains(std::copysign(many.margin, d.value));
  return matters ? ", with worse models" + change : "";
}

}  // namespace

std::string quality_in_brief(const SeriesAnalysis& analysis) {
  const auto& points = analysis.quality;
  if (points.size() < 2 || points.front().ranks != 1 || !analysis.population.identical ||
      analysis.series.has_label(RunLabel::emulated_compute))
    return "";
  const auto &one = points.front().metrics, &many = points.back().metrics;
  for (std::size_t i = 0; i < many.size(); ++i) {
    if (!many[i].is_asked || one[i].values.empty() || many[i].values.empty()) continue;
    if (auto text = in_brief(one[i], many[i]); !text.empty()) return text;
  }
  return "";
}

void add_quality(const SeriesAnalysis& analysis, Answer& answer) {
  if (analysis.quality.empty() || !analysis.population.known) {
    answer.say("No evaluation was recorded.");
    return;
  }
  if (analysis.series.has_label(RunLabel::emulated_compute)) {
    answer.say(invented_quality(analysis));
    return;
  }
  const QualityPoint& last = analysis.quality.back();
  const bool compares = analysis.quality.front().ranks == 1 && last.ranks > 1;
  const auto population = population_sentence(analysis.population);
  if (!analysis.population.identical) answer.say(population);
  answer.say(label_sentences(analysis));
  answer.say(ground_sentences(analysis));
  answer.say(metric_sentences(analysis, compares));
  answer.say(target_sentence(analysis));
  if (analysis.population.identical)
    answer.text.empty() ? answer.say(population) : answer.note(population);
  for (const auto& sentence :
       {best_weights_sentence(analysis), training_loss_sentence(analysis, compares),
        batch_norm_sentence(analysis)})
    answer.note(sentence);
}

}  // namespace scalestudy
