#include "analysis/report/tables.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/label_sentences.hpp"
#include "analysis/report/numbers.hpp"

namespace scalestudy {
namespace {

std::string slug(const SeriesAnalysis& analysis, const char* what) {
  return analysis.series.slug + "-" + what;
}

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
          integer_cell(static_cast<std::int64_t>(one.values.size())),
          shown_cell(mean_and_deviation(one.values), mean(one.values)),
          base ? text_cell("") : estimate_cell(one.difference, 2),
          base ? text_cell("") : number_cell(one.difference.p_value, 2)};
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

/// Beside the values, in the table of `metrics`; nothing where no run recorded any.
void add_baselines(ReportTable& table,
                   const std::vector<std::vector<const MetricValues*>>& metrics) {
  constexpr std::ptrdiff_t place = 4;
  const auto labels = baseline_labels(metrics);
  if (labels.empty()) return;
  table.caption += cat(" Baselines, reached without any training: ", labels, ".");
  table.columns.insert(table.columns.begin() + place, {"baseline", "baseline"});
  auto row = table.rows.begin();
  for (const auto& points : metrics) {
    for (const MetricValues* one : points) {
      const bool is_known = std::isfinite(one->baseline);
      row->insert(row->begin() + place, is_known ? number_cell(one->baseline, 4) : text_cell(""));
      ++row;
    }
  }
}

template <class Has>
bool any_point(const SeriesAnalysis& analysis, const Has& has) {
  return std::any_of(analysis.speedup.begin(), analysis.speedup.end(), has);
}

/// Only where rank counts do the same work as one.
bool has_serial_fraction(const SeriesAnalysis& analysis) {
  return any_point(analysis, [](const SpeedupPoint& p) {
    return p.ranks > 1 && std::isfinite(p.serial_fraction.value);
  });
}

/// Speaks only of what the table shows.
std::string speedup_caption(const SeriesAnalysis& analysis) {
  const bool has_ratios = any_point(analysis, [](const SpeedupPoint& p) {
    return p.ranks > 1 && std::isfinite(p.training.value);
  });
  const bool has_means = any_point(analysis, [](const auto& p) { return p.launches > 1; });
  const bool has_intervals =
      any_point(analysis, [](const auto& p) { return p.training.interval.has_value(); });
  std::string caption = has_ratios ? "Speed-up against one rank, from launch (exec to exit), "
                                     "training clock and steady throughput."
                                   : "Launch (exec to exit), training clock and steady throughput.";
  if (has_means) caption += " Times and rates are geometric means over launches.";
  if (has_intervals) caption += " 95 % intervals in brackets.";
  if (has_serial_fraction(analysis))
    caption +=
        " Serial fraction (Karp and Flatt): the share of the work that would have to be done one "
        "after the other to explain the training speed-up; above 1 more ranks were slower.";
  return caption;
}

/// Deviations and differences only where some are shown.
std::string quality_caption(const SeriesAnalysis& analysis) {
  bool has_deviations = false, has_differences = false;
  const auto look_at = [&](const MetricValues& one) {
    has_deviations = has_deviations || one.values.size() > 1;
    has_differences = has_differences || one.difference.interval.has_value();
  };
  for (const QualityPoint& q : analysis.quality) {
    look_at(q.validation_loss);
    for (const MetricValues& one : q.metrics) look_at(one);
  }
  return cat("Quality", has_deviations ? ": mean ± standard deviation over runs" : "",
             has_differences ? "; differences to one rank with 95 % intervals" : "", ". ",
             population_proof(analysis.population));
}

bool has_several_ranks(const SeriesAnalysis& analysis) {
  return analysis.series.by_ranks.rbegin()->first > 1;
}

std::string smoothness_caption(const SeriesAnalysis& analysis) {
  const std::string roughness = "Roughness is the standard deviation of log-loss differences ÷ √2.";
  const auto per_point = smoothness_window_samples(analysis.series);
  if (!has_several_ranks(analysis))
    return cat(roughness, " Equal samples: ", per_point, " per point.");
  return cat(
      "How many times as smooth as at one rank: above 1 is smoother. ", roughness,
      " Per step, what averaging over k times the loss weight makes of the one-rank losses is "
      "predicted from their own scatter; at equal samples (",
      per_point, " per point) 1 is predicted.");
}

}  // namespace

ReportTable speedup_table(const SeriesAnalysis& analysis) {
  ReportTable table{slug(analysis, "speedup"),
                    speedup_caption(analysis),
                    {{"ranks", "ranks"},
                     {"launches", "runs"},
                     {"launch_wall_time_s", "launch"},
                     {"training_time_s", "training"},
                     {"samples_per_s", "samples/s"},
                     {"launch_speedup", "speed-up, launch"},
                     {"training_speedup", "speed-up, training"},
                     {"throughput_speedup", "speed-up, throughput"},
                     {"training_efficiency", "efficiency, training"}},
                    {}};
  const bool has_fraction = has_serial_fraction(analysis);
  if (has_fraction) table.columns.push_back({"serial_fraction", "serial fraction"});
  for (const SpeedupPoint& p : analysis.speedup) {
    std::vector<TableCell> row{
        integer_cell(p.ranks), integer_cell(static_cast<std::int64_t>(p.launches)),
        duration_cell(p.absolute.launch_wall_time_s), duration_cell(p.absolute.training_time_s),
        number_cell(p.absolute.samples_per_s, 4)};
    for (const Estimate* e : {&p.launch, &p.training, &p.throughput}) {
      row.push_back(ratio_cell(p.ranks, *e));
    }
    row.push_back(shown_cell(percent(p.efficiency.value), p.efficiency.value));
    if (has_fraction)
      row.push_back(p.ranks == 1 ? text_cell("") : estimate_cell(p.serial_fraction, 2));
    table.rows.push_back(row);
  }
  return table;
}

std::vector<std::size_t> phases_that_took_time(const SeriesAnalysis& analysis) {
  std::vector<std::size_t> phases;
  for (std::size_t i = 0; i < step_phase_count; ++i) {
    const auto took_time = [i](const StepComposition& step) { return step.phase_s[i] != 0; };
    if (std::any_of(analysis.steps.begin(), analysis.steps.end(), took_time)) phases.push_back(i);
  }
  return phases;
}

ReportTable step_table(const SeriesAnalysis& analysis) {
  ReportTable table{slug(analysis, "step-phases"),
                    has_several_ranks(analysis)
                        ? "A step by phase: mean over ranks, steady steps and runs, in ms; their "
                          "sum is the step time (max over ranks). Uneven step ends: the longest "
                          "step of a rank minus the mean."
                        : "A step by phase: mean over steady steps and runs, in ms.",
                    {{"ranks", "ranks"}, {"local_samples", "samples per rank"}},
                    {}};
  const auto phases = phases_that_took_time(analysis);
  for (const std::size_t i : phases) {
    const PhaseInfo& phase = step_phases()[i];
    table.columns.push_back({std::string(phase.name()), std::string(phase.label)});
  }
  table.columns.push_back({"step_s", "step"});
  table.columns.push_back({"expected_step_s", "step if perfect"});
  const auto add_share = [&](std::string_view name, std::string_view heading) {
    table.columns.push_back({std::string(name), std::string(heading)});
  };
  add_share("communication_overhead_frac", "exposed comm. share");
  add_share("peer_wait_frac", "of it waiting");
  add_share("exposed_transfer_frac", "of it transfer");
  for (const StepComposition& step : analysis.steps) {
    std::vector<TableCell> row{integer_cell(step.ranks),
                               shown_cell(compact(step.local_samples), step.local_samples)};
    for (const std::size_t i : phases)
      row.push_back(shown_cell(significant(step.phase_s[i] * 1e3, 3), step.phase_s[i]));
    const double expected_s = step.growth ? step.growth->expected_s : not_available;
    row.push_back(shown_cell(significant(step.step_s * 1e3, 3), step.step_s));
    row.push_back(shown_cell(significant(expected_s * 1e3, 3), expected_s));
    for (const double frac :
         {step.communication_overhead_frac, step.peer_wait_frac, step.exposed_transfer_frac})
      row.push_back(shown_cell(percent(frac), frac));
    table.rows.push_back(row);
  }
  return table;
}

ReportTable smoothness_table(const SeriesAnalysis& analysis) {
  ReportTable table{slug(analysis, "smoothness"),
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
  }
  return table;
}

ReportTable quality_table(const SeriesAnalysis& analysis) {
  const auto metrics = metrics_by_ranks(analysis);
  ReportTable table{slug(analysis, "quality"),
                    quality_caption(analysis),
                    {{"metric", "metric", false},
                     {"ranks", "ranks"},
                     {"runs", "runs"},
                     {"mean", "value"},
                     {"difference", "difference to one rank"},
                     {"p_value", "p"}},
                    {}};
  if (has_invented_losses(analysis.series)) return table;
  for (const auto& points : metrics) {
    for (std::size_t i = 0; i < points.size(); ++i)
      table.rows.push_back(quality_row(analysis.quality[i].ranks, *points[i]));
  }
  add_baselines(table, metrics);
  return table;
}

}  // namespace scalestudy
