#include "analysis/report/speed/prediction_report.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/plot/ranks_figure.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

std::string prediction_sentence(const SeriesAnalysis& analysis) {
  const auto* outlook = outlook_of(analysis);
  if (outlook == nullptr) return "";
  const auto& fit = *analysis.prediction.fit;
  const double missed = fit.model_for(outlook->ranks)->hold_out_error_frac;
  return cat(" ", ranks_in_words(outlook->ranks, true), " would have ",
             with_interval(outlook->speedup), " times the throughput of one (fitted, model ",
             outlook->model, ", which missed ", ranks_in_words(fit.most_ranks(), false), " by ",
             percent(std::abs(missed)), " when fitted to fewer",
             outlook->as_good.empty()
                 ? ""
                 : cat("; ", join(outlook->as_good, ", "), " not ruled out",
                       outlook->speedup.interval ? " and in the interval" : ""),
             ").");
}

std::string noise_sentence(const NoiseScale& noise) {
  if (!noise.refusal.empty() || !std::isfinite(noise.samples.value)) return "";
  return cat(" The critical batch by the gradient noise scale, in the mean over training, is ",
             with_interval(noise.samples), " samples",
             std::isfinite(noise.reached_at_ranks.value)
                 ? cat(", which ", with_interval(noise.reached_at_ranks), " ranks reach")
                 : "",
             "; the one of ", ranks_in_words(noise.ranks, false), " was ",
             compact(noise.global_batch_size), ".");
}

/// Numbers of ranks to draw the curve at: all, or evenly where these are many.
std::vector<std::int64_t> drawn_ranks(const ScalingFit& fit) {
  constexpr std::int64_t most_points = 64;
  const auto first = fit.data().points.front().ranks;
  const auto last = farthest_ranks_ratio * fit.most_ranks();
  const auto stride = std::max<std::int64_t>(1, (last - first) / most_points);
  std::vector<std::int64_t> ranks;
  for (auto n = first; n < last; n += stride) ranks.push_back(n);
  ranks.push_back(last);
  return ranks;
}

std::string curve_block(const ScalingFit& fit) {
  std::string tsv = "\n\n# ranks\tfitted throughput\tlow\thigh\n";
  for (const auto ranks : drawn_ranks(fit))
    tsv += cat(ranks, '\t', limits(fit.predict(ranks).speedup), '\n');
  return tsv;
}

/// Ticks where ranks were measured, and at the end of the curve.
std::string axes_to(const SeriesAnalysis& analysis, std::int64_t last) {
  auto ranks = ranks_of(analysis);
  ranks.insert(last);
  return rank_axis(ranks, 0.08, 0.06);
}

void add_curve(Figure& speedup, const SeriesAnalysis& analysis, const ScalingPrediction& outlook) {
  const auto file =
      cat(gnuplot_quoted(speedup.slug + ".tsv"), " index ", data_block_count(speedup.tsv));
  speedup.tsv += curve_block(*analysis.prediction.fit);
  while (speedup.drawing.ends_with('\n')) speedup.drawing.pop_back();
  const auto colour = cat("lc rgb '", palette[1].hex, "'");
  if (outlook.speedup.interval)
    speedup.drawing += cat(", \\\n     ", file,
                           " using 1:3:4 with filledcurves fs transparent "
                           "solid 0.15 noborder ",
                           colour, " notitle");
  speedup.drawing += cat(", \\\n     ", file, " using 1:2 with lines dt 4 lw 1.6 ", colour,
                         " title 'throughput, fitted'\n");
  speedup.drawing.insert(speedup.drawing.find("plot "), axes_to(analysis, outlook.ranks));
  speedup.caption += cat(" Dash-dotted: throughput by the model ", outlook.model,
                         ", fitted, to twice the measured ranks; band: ", describe(outlook.speedup),
                         " (METRICS: predict).");
}

/// How far the figure reaches to the right.
double last_ranks(const SeriesAnalysis& analysis, const ScalingPrediction* outlook) {
  return static_cast<double>(outlook != nullptr ? outlook->ranks
                                                : analysis.series.by_ranks.rbegin()->first);
}

void add_critical_batch(Figure& speedup,
                        const SeriesAnalysis& analysis,
                        const ScalingPrediction* outlook) {
  const auto& reached = analysis.noise_scale.reached_at_ranks;
  if (!std::isfinite(reached.value)) return;
  speedup.caption += cat(" The global batch reaches the gradient noise scale at ",
                         with_interval(reached), " ranks");
  if (reached.value > last_ranks(analysis, outlook)) {
    speedup.caption += ", beyond this figure.";
    return;
  }
  speedup.caption += " (dotted, upright; shaded: its interval).";
  std::string marks = cat("set arrow from ", reached.value, ", graph 0 to ", reached.value,
                          ", graph 1 nohead dt 3 lw 1.6 lc rgb '", palette[8].hex, "'\n");
  if (reached.interval)
    marks +=
        cat("set object rectangle from ", reached.interval->low, ", graph 0 to ",
            std::min(reached.interval->high, 1.06 * last_ranks(analysis, outlook)),
            ", graph 1 fs transparent solid 0.12 noborder fc rgb '", palette[8].hex, "' behind\n");
  speedup.drawing.insert(speedup.drawing.find("plot "), marks);
}

std::string verdict_on(const FittedModel& fit, bool is_used) {
  if (!fit.is_judged()) return "not judged: too few ranks";
  if (is_used) return fit.is_compatible ? "used" : "used: none misses by less";
  return fit.is_compatible ? "" : "ruled out";
}

}  // namespace

ReportTable scaling_models_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      analysis.series.slug + "-scaling-models",
      "Models of the step, fitted to all ranks but the most, and by how much they then missed "
      "those; the first is used.",
      {{"model", "model", false},
       {"meaning", "a step takes longer by", false},
       {"hold_out_error_frac", "error at the most ranks"},
       {"verdict", "", false}},
      {}};
  if (!analysis.prediction.fit) return table;
  const auto& models = analysis.prediction.fit->models();
  for (const auto& fit : models)
    table.rows.push_back(
        {text_cell(cat(fit.model)), text_cell(summary_of(fit.model)),
         shown_cell(fit.is_judged() ? percent(fit.hold_out_error_frac) : missing_number,
                    fit.hold_out_error_frac),
         text_cell(verdict_on(fit, &fit == &models.front()))});
  return table;
}

ReportTable prediction_table(const SeriesAnalysis& analysis) {
  ReportTable table{analysis.series.slug + "-prediction",
                    "What models fitted to these runs say of more ranks, or why they do not.",
                    {{"ranks", "ranks"},
                     {"model", "model", false},
                     {"as_good", "not ruled out", false},
                     {"samples_per_s", "samples/s"},
                     {"speedup", "speed-up, throughput"},
                     {"efficiency", "efficiency"},
                     {"refusal", "why not", false}},
                    {},
                    /*is_on_page=*/false};
  for (const auto& [ranks, prediction, refusal] : analysis.prediction.asked) {
    const auto said = prediction.value_or(ScalingPrediction{});
    table.rows.push_back({integer_cell(ranks), text_cell(prediction ? cat(said.model) : ""),
                          text_cell(join(said.as_good, ", ")), estimate_cell(said.samples_per_s),
                          estimate_cell(said.speedup), estimate_cell(said.efficiency),
                          text_cell(prediction ? "" : refusal.text())});
  }
  return table;
}

ReportTable noise_scale_table(const SeriesAnalysis& analysis) {
  const auto& noise = analysis.noise_scale;
  ReportTable table{analysis.series.slug + "-noise-scale",
                    "Gradient noise scale: the batch at which twice as many samples are needed as "
                    "with the smallest ones, and the ranks whose batch it is. 95 % intervals.",
                    {{"ranks", "measured with ranks"},
                     {"noise_scale_samples", "noise scale, samples"},
                     {"global_batch_size", "global batch there"},
                     {"reached_at_ranks", "reached at ranks"},
                     file_text("refusal")},
                    {},
                    /*is_on_page=*/noise.refusal.empty()};
  if (noise.refusal.empty() && !std::isfinite(noise.samples.value)) return table;
  table.rows.push_back({integer_cell(noise.ranks), estimate_cell(noise.samples),
                        number_cell(noise.global_batch_size), estimate_cell(noise.reached_at_ranks),
                        text_cell(noise.refusal)});
  return table;
}

ReportTable pop_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      analysis.series.slug + "-pop",
      "Parallel efficiency of a step after POP: load balance × serialisation efficiency × transfer "
      "efficiency; communication efficiency is the product of the last two. Below 0.8 POP calls a "
      "factor worth looking at. 95 % intervals.",
      {{"ranks", "ranks"},
       {"parallel_efficiency", "parallel efficiency"},
       {"load_balance", "load balance"},
       {"communication_efficiency", "communication efficiency"},
       {"serialisation_efficiency", "serialisation"},
       {"transfer_efficiency", "transfer"}},
      {}};
  for (const auto& point : analysis.pop)
    table.rows.push_back(
        {integer_cell(point.ranks), estimate_cell(point.parallel_efficiency),
         estimate_cell(point.load_balance), estimate_cell(point.communication_efficiency),
         estimate_cell(point.serialisation_efficiency), estimate_cell(point.transfer_efficiency)});
  return table;
}

const ScalingPrediction* outlook_of(const SeriesAnalysis& analysis) {
  const auto& asked = analysis.prediction.asked;
  if (asked.empty() || !asked.front().prediction) return nullptr;
  const auto& prediction = *asked.front().prediction;
  return std::isfinite(prediction.speedup.value) ? &prediction : nullptr;
}

std::string outlook_sentences(const SeriesAnalysis& analysis) {
  return prediction_sentence(analysis) + noise_sentence(analysis.noise_scale);
}

void add_outlook(Figure& speedup, const SeriesAnalysis& analysis) {
  const auto* outlook = outlook_of(analysis);
  if (outlook != nullptr) add_curve(speedup, analysis, *outlook);
  add_critical_batch(speedup, analysis, outlook);
}

}  // namespace scalestudy
