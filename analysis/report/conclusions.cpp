#include "analysis/report/conclusions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.hpp"

#include "analysis/report/numbers.hpp"

namespace scalestudy {
namespace {

/// "95 % interval 2.02–2.14; 5 and 5 runs".
std::string evidence(const Estimate& estimate, int digits = 3) {
  const std::string runs =
      estimate.count == estimate.base_count
          ? counted(estimate.count, "run") + " each"
          : cat(counted(estimate.count, "run"), " against ", estimate.base_count);
  if (!estimate.interval) return "interval not determinable; " + runs;
  return cat("95\u202f% interval ", interval_text(estimate, digits), "; ", runs);
}

/// Whether the interval keeps the two groups apart; unknown without interval.
bool resolves(const Estimate& estimate, double no_effect) {
  return estimate.interval && !estimate.interval->contains(no_effect);
}

std::string absolute_base(const SpeedupPoint& base) {
  return cat("one rank: ", significant(base.absolute.samples_per_s, 4), " samples/s, ",
             duration(base.absolute.training_time_s), " of training");
}

std::string speed_sentence(const SpeedupPoint& base, const SpeedupPoint& p) {
  const Estimate& s = p.training;
  std::string verb = "trained ";
  std::string tail;
  if (s.interval && s.interval->contains(1))
    tail = " No difference to one rank is resolved.";
  else if (s.value < 1)
    tail = " They are slower than one.";
  return cat(ranks_in_words(p.ranks, true), " ", verb, significant(s.value, 3),
             " times as fast as one (", evidence(s), "; ", absolute_base(base),
             "), an efficiency of ", percent(p.efficiency.value), ".", tail);
}

/// A protocol that drops work looks faster than it is.
std::string unequal_work_sentence(const SeriesAnalysis& analysis, const SpeedupPoint& p) {
  const double fewer = p.factors.statistical.value;
  if (!(std::abs(fewer - 1) > 0.002)) return "";
  const auto group = analysis.series.by_ranks.find(p.ranks);
  const std::string& remainder = group->second.front()->spec.plan.remainder;
  return cat(" They trained on ", percent(1 / fewer), " of the samples",
             remainder.empty() ? "" : cat(" (", remainder, ")"), ": per sample the factor is ",
             significant(p.training.value / fewer, 3), ".");
}

std::string wall_sentence(const SpeedupPoint& base, const SpeedupPoint& p) {
  if (!std::isfinite(p.launch.value)) return "";
  return cat(" From launch to exit the factor is ", with_interval(p.launch), ": ",
             duration(base.absolute.launch_wall_time_s), " and ",
             duration(p.absolute.launch_wall_time_s), ".");
}

std::string factor_sentence(const SpeedupPoint& p) {
  const Factorisation& f = p.factors;
  if (!std::isfinite(f.throughput.value)) return "";
  return cat("The factor ", significant(f.total.value, 3), " is ",
             significant(f.throughput.value, 3), " (throughput) × ",
             significant(f.statistical.value, 3), " (samples the protocol consumes) × ",
             significant(f.fixed_cost.value, 3),
             " (start, evaluation and checkpoints: ", percent(f.base_fixed_frac),
             " of the training time at one rank, ", percent(f.fixed_frac), " at ", p.ranks, ").");
}

/// The phases that grew most, largest first: "input wait +55 ms, …".
std::string growth_list(const StepGrowth& growth, double threshold_s) {
  std::array<std::size_t, phase_count> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& excess = growth.excess_by_phase_s;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(excess[a]) > std::abs(excess[b]);
  });
  std::vector<std::string> parts;
  for (const std::size_t i : order) {
    if (std::abs(excess[i]) < threshold_s || parts.size() == 4) break;
    parts.push_back(cat(step_phases()[i].label, excess[i] < 0 ? " −" : " +",
                        milliseconds(std::abs(excess[i]))));
  }
  return join(parts, ", ");
}

std::string step_sentence(const StepComposition& step) {
  const StepGrowth& growth = *step.growth;
  const std::string start = cat(
      "A step of ", ranks_in_words(step.ranks, false), " takes ", milliseconds(step.step_s),
      " where perfect scaling of the one-rank step would take ", milliseconds(growth.expected_s));
  const double threshold_s = 0.01 * growth.expected_s;
  const std::string parts = growth_list(growth, threshold_s);
  if (parts.empty()) return start + "; no phase grew by more than 1\u202f% of it.";
  return cat(start, ". The difference of ", growth.excess_s < 0 ? "−" : "",
             milliseconds(std::abs(growth.excess_s)), " by phase: ", parts,
             ". Exposed communication is ", percent(step.communication_overhead_frac),
             " of the step (it contains waiting for the slowest rank).");
}

/// `values_of` gives a point's values, one per run.
template <class ValuesOf>
std::string quality_values(const SeriesAnalysis& analysis, const ValuesOf& values_of) {
  std::vector<std::string> parts;
  for (const QualityPoint& q : analysis.quality) {
    const std::vector<double>& values = values_of(q);
    if (values.empty()) continue;
    parts.push_back(cat(mean_and_deviation(values), " at ", ranks_in_words(q.ranks, false)));
  }
  return join(parts, ", ");
}

std::string difference_words(const Estimate& d, const std::string& unit, bool higher_is_better) {
  if (!std::isfinite(d.value)) return "";
  const std::string shown = cat(significant(d.value, 2), unit, " (", evidence(d, 2), ")");
  if (!d.interval) return cat(" The difference is ", shown, ": no statement is possible.");
  if (!resolves(d, 0)) return cat(" No difference is resolved: ", shown, ".");
  const bool better = (d.value > 0) == higher_is_better;
  return cat(" More ranks are ", better ? "better" : "worse", " by ", shown, ".");
}

std::string quality_of(const std::string& name,
                       const std::string& values,
                       const std::string& difference) {
  if (values.empty()) return "";
  return cat(" ", name, ": ", values, ".", difference);
}

/// The metrics' values and, where there is one rank to compare with, what the most ranks change.
std::string metric_sentences(const SeriesAnalysis& analysis, bool compares) {
  std::string text;
  const auto& last = analysis.quality.back().metrics;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const Measure& metric = *last[i].metric;
    if (!metric.is_headline) continue;
    const auto values_of = [&](const QualityPoint& q) -> const auto& {
      return q.metrics[i].values;
    };
    const std::string unit = metric.column->unit == "1" ? "" : cat(" in ", metric.column->unit);
    text += quality_of(
        cat(metric.label, " of the best weights", unit), quality_values(analysis, values_of),
        compares
            ? difference_words(last[i].difference, metric.unit_suffix(), metric.higher_is_better())
            : "");
  }
  return text;
}

std::string population_sentence(const EvaluationPopulation& population) {
  if (!population.identical) {
    return "The models were evaluated on different sets: their values are not comparable.";
  }
  std::vector<std::string> sets;
  for (const EvaluatedSet& set : population.sets)
    sets.push_back(cat(set.samples, " ", set.name, " samples (hash ", set.hash.substr(0, 8), "…)"));
  return cat("All models were evaluated on the same ", join(sets, " and "), ".");
}

std::string quality_sentence(const SeriesAnalysis& analysis) {
  if (analysis.quality.empty() || !analysis.population.known) {
    return "No evaluation was recorded.";
  }
  const QualityPoint& last = analysis.quality.back();
  const bool compares = analysis.quality.front().ranks == 1 && last.ranks > 1;
  const auto losses_of = [](const QualityPoint& q) -> const auto& {
    return q.best_validation_loss;
  };
  return population_sentence(analysis.population) + metric_sentences(analysis, compares) +
         quality_of("Best validation loss", quality_values(analysis, losses_of),
                    compares ? difference_words(last.validation_loss_difference, "", false) : "");
}

std::string agreement(const Estimate& estimate, double predicted) {
  if (!estimate.interval) return "beside";
  return estimate.interval->contains(predicted) ? "in agreement with" : "unlike";
}

std::string smoothness_sentence(const Smoothness& s) {
  if (!std::isfinite(s.per_step.value)) {
    return "The roughness of the loss curve is not determinable from these runs.";
  }
  const Estimate smoother = inverse(s.per_step);
  const double predicted = 1 / s.predicted_per_step;
  std::string text =
      cat("Per step the loss curve of ", ranks_in_words(s.ranks, false), " is ",
          with_interval(smoother), " times as smooth as that of one, ",
          agreement(smoother, predicted), " the ", significant(predicted, 3), " that averaging ",
          significant(s.weight_ratio, 3), " times the loss weight predicts.");
  const Estimate equal = inverse(s.equal_samples);
  if (!std::isfinite(equal.value)) return text;
  return cat(text, " At equal samples per point (", s.window_samples, ") it is ",
             with_interval(equal), " times as smooth, ", agreement(equal, 1),
             " the 1 of sampling noise alone.");
}

const StepComposition* composition_at(const SeriesAnalysis& analysis, std::int64_t ranks) {
  for (const StepComposition& step : analysis.steps) {
    if (step.ranks == ranks) return &step;
  }
  return nullptr;
}

/// No larger than the evidence.
std::string headline_of(const SpeedupPoint& p) {
  if (p.training.interval && p.training.interval->contains(1)) {
    return cat("No difference between ", ranks_in_words(p.ranks, false), " and one is resolved");
  }
  const std::string caveat = p.training.interval ? "" : " (interval not determinable)";
  return cat(ranks_in_words(p.ranks, true), " trained ", significant(p.training.value, 3),
             " times as fast as one", caveat);
}

std::string other_ranks_sentence(const SeriesAnalysis& analysis) {
  std::vector<std::string> parts;
  for (std::size_t i = 1; i + 1 < analysis.speedup.size(); ++i) {
    const SpeedupPoint& p = analysis.speedup[i];
    parts.push_back(cat(ranks_in_words(p.ranks, false), ": ", with_interval(p.training)));
  }
  return parts.empty() ? "" : " Training speed-up at " + join(parts, "; ") + ".";
}

std::string label_sentence(const Series& series) {
  std::string text;
  if (series.has_label(RunLabel::oversubscribed)) {
    text +=
        " OVERSUBSCRIBED: some of these runs had more busy threads than cores; their times say "
        "nothing about scaling on free cores.";
  }
  if (series.has_label(RunLabel::emulated_input))
    text += " EMULATED INPUT: samples were held back for as long as an emulated cost says.";
  if (series.has_label(RunLabel::external)) text += " EXTERNAL: some numbers were imported.";
  if (series.has_label(RunLabel::resumed)) text += " Resumed runs are left out of all times.";
  return text;
}

Conclusions without_base(const SeriesAnalysis& analysis) {
  std::vector<std::string> parts;
  for (const SpeedupPoint& p : analysis.speedup) {
    parts.push_back(cat(ranks_in_words(p.ranks, false), ": ",
                        significant(p.absolute.samples_per_s, 4), " samples/s, ",
                        duration(p.absolute.training_time_s), " of training (",
                        counted(p.launches, "run"), ")"));
  }
  const bool only_base = analysis.speedup.size() == 1 && analysis.speedup.front().ranks == 1;
  return {"No speed-up can be stated",
          {cat(only_base ? "Only one rank has been measured so far. "
                         : "There is no valid run with one rank to compare with. ",
               join(parts, "; "), ".", label_sentence(analysis.series)),
           quality_sentence(analysis)}};
}

}  // namespace

Conclusions conclusions_of(const SeriesAnalysis& analysis) {
  const SpeedupPoint& base = analysis.speedup.front();
  const SpeedupPoint& last = analysis.speedup.back();
  if (base.ranks != 1 || last.ranks == 1 || !std::isfinite(last.training.value)) {
    return without_base(analysis);
  }
  Conclusions conclusions;
  conclusions.headline = headline_of(last);
  conclusions.paragraphs.push_back(
      speed_sentence(base, last) + unequal_work_sentence(analysis, last) +
      wall_sentence(base, last) + other_ranks_sentence(analysis) + label_sentence(analysis.series));
  std::string made_of = factor_sentence(last);
  const StepComposition* step = composition_at(analysis, last.ranks);
  if (step != nullptr && step->growth) made_of += " " + step_sentence(*step);
  conclusions.paragraphs.push_back(made_of);
  conclusions.paragraphs.push_back(quality_sentence(analysis));
  conclusions.paragraphs.push_back(smoothness_sentence(analysis.smoothness.back()));
  return conclusions;
}

std::string completeness_sentence(const StudyAnalysis& analysis) {
  const RunSet& set = analysis.runs();
  const std::size_t data = analysis.data_runs();
  const std::size_t all = set.runs.size() + set.unreadable.size() + set.without_file.size();
  if (all == 0) return "These folders hold no run yet.";
  if (data == all) return "";
  std::vector<std::string> parts;
  const auto add_part = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(cat(count, ' ', what));
  };
  add_part(set.runs.size() - data, "unfinished, failed or invalid");
  add_part(set.unreadable.size(), "unreadable");
  add_part(set.without_file.size(), "without a result file");
  return cat(data, " of ", counted(all, "run"), " count as data; ", join(parts, ", "),
             ". The run table gives each one's reason.");
}

}  // namespace scalestudy
