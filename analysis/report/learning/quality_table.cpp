#include "analysis/report/learning/quality_table.hpp"

#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

std::string population_proof(const EvaluationPopulation& population) {
  if (!population.known) return "No evaluation was recorded.";
  if (!population.identical) return "The evaluation sets differ: nothing is compared.";
  std::vector<std::string> sets;
  for (const EvaluatedSet& set : population.sets)
    sets.push_back(cat(counted(set.samples, set.name + " sample"), ", hash ", set.hash));
  return cat("All evaluations on the same ", join(sets, "; "), ".");
}

std::vector<TableCell> quality_row(std::int64_t ranks, const MetricValues& one) {
  const bool base = ranks == 1;
  return {{one.metric->heading(), std::string(one.metric->column->name)},
          integer_cell(ranks),
          integer_cell(one.values.size()),
          shown_cell(mean_and_deviation(one.values), mean(one.values)),
          std::isfinite(one.baseline) ? number_cell(one.baseline, 4) : text_cell(""),
          base ? text_cell("") : estimate_cell(one.difference, 2),
          base ? text_cell("") : number_cell(one.difference.p_value, 2)};
}

std::vector<FileCell> further_cells(const QualityPoint& point, const MetricValues& one) {
  const bool has_baseline = std::isfinite(one.baseline);
  const auto error = one.sampling ? one.sampling->standard_error : not_available;
  return {{"standard_deviation", number_cell(standard_deviation(one.values))},
          {"baseline_name", text_cell(has_baseline ? one.metric->baseline->name() : ""), false},
          {"sampling_standard_error", number_cell(error)},
          {"is_asked", yes_no_cell(one.is_asked), false},
          {"margin", number_cell(one.margin > 0 ? one.margin : not_available)},
          {"best_after_frac", number_cell(point.best_after_frac)},
          {"final_loss", number_cell(mean(point.final_loss.values))}};
}

/// All metrics and the validation loss, each as a list over the rank counts.
std::vector<std::vector<const MetricValues*>> metrics_by_ranks(const SeriesAnalysis& analysis) {
  std::vector<std::vector<const MetricValues*>> all;
  if (analysis.quality.empty()) return all;
  all.resize(analysis.quality.front().metrics.size() + 1);
  for (const QualityPoint& q : analysis.quality) {
    for (std::size_t i = 0; i < q.metrics.size(); ++i) all[i].push_back(&q.metrics[i]);
    all.back().push_back(&q.validation_loss);
  }
  return all;
}

/// "the noisy input (PSNR), …"
std::string baseline_labels(const std::vector<std::vector<const MetricValues*>>& metrics) {
  std::vector<std::string> labels;
  for (const auto& points : metrics) {
    const MetricValues& one = *points.front();
    if (std::isfinite(one.baseline))
      labels.push_back(cat(one.metric->baseline->label, " (", one.metric->label, ")"));
  }
  return join(labels, ", ");
}

/// Deviations and differences only where some are shown.
std::string quality_caption(const SeriesAnalysis& analysis, const std::string& baselines) {
  bool has_deviations = false, has_differences = false;
  const auto look_at = [&](const MetricValues& one) {
    has_deviations = has_deviations || one.values.size() > 1;
    has_differences = has_differences || one.difference.interval.has_value();
  };
  for (const QualityPoint& q : analysis.quality) {
    look_at(q.validation_loss);
    for (const MetricValues& one : q.metrics) look_at(one);
  }
  return cat(
      "Quality", has_deviations ? ": mean ± standard deviation over runs" : "",
      has_differences ? "; differences to one rank with 95 % intervals" : "", ". ",
      population_proof(analysis.population),
      baselines.empty() ? "" : cat(" Baselines, reached without any training: ", baselines, "."));
}

std::string smoothness_caption(const SeriesAnalysis& analysis) {
  const std::string roughness = "Roughness is the standard deviation of log-loss differences ÷ √2.";
  const auto per_point = smoothness_window_samples(analysis.series);
  if (!analysis.series.has_several_ranks())
    return cat(roughness, " Equal samples: ", per_point, " per point.");
  return cat(
      "How many times as smooth as at one rank: above 1 is smoother. ", roughness,
      " Per step, what averaging over k times the loss weight makes of the one-rank losses is "
      "predicted from their own scatter; at equal samples (",
      per_point, " per point) 1 is predicted.");
}

}  // namespace

ReportTable quality_table(const SeriesAnalysis& analysis) {
  const auto metrics = metrics_by_ranks(analysis);
  const auto baselines = baseline_labels(metrics);
  ReportTable table{analysis.series.slug + "-quality",
                    quality_caption(analysis, baselines),
                    {{"metric", "metric", false},
                     {"ranks", "ranks"},
                     {"runs", "runs"},
                     {"mean", "value"},
                     {"baseline", "baseline", true, /*is_shown=*/!baselines.empty()},
                     {"difference", "difference to one rank"},
                     {"p_value", "p"}},
                    {}};
  if (has_invented_losses(analysis.series)) return table;
  for (const auto& points : metrics) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      table.rows.push_back(quality_row(analysis.quality[i].ranks, *points[i]));
      add_file_cells(table, further_cells(analysis.quality[i], *points[i]));
    }
  }
  return table;
}

ReportTable smoothness_table(const SeriesAnalysis& analysis) {
  ReportTable table{analysis.series.slug + "-smoothness",
                    smoothness_caption(analysis),
                    {{"ranks", "ranks"},
                     {"roughness", "roughness per step"},
                     {"smoothness", "times as smooth"},
                     {"predicted_smoothness", "predicted by averaging"},
                     {"weight_ratio", "k"},
                     {"roughness_equal_samples", "roughness, equal samples"},
                     {"smoothness_equal_samples", "times as smooth, equal samples"}},
                    {}};
  for (const Smoothness& s : analysis.smoothness) {
    if (s.is_invented) continue;
    table.rows.push_back(
        {integer_cell(s.ranks), number_cell(s.roughness), ratio_cell(s.ranks, inverse(s.per_step)),
         number_cell(1 / s.predicted_per_step), number_cell(s.weight_ratio),
         number_cell(s.roughness_equal_samples), ratio_cell(s.ranks, inverse(s.equal_samples))});
    add_file_cells(table, {{"why_not_predicted", text_cell(s.why_not_predicted), false},
                           {"smoothness_window_samples", integer_cell(s.window_samples)}});
  }
  return table;
}

}  // namespace scalestudy
