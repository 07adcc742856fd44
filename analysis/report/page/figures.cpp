#include "analysis/report/page/figures.hpp"

#include <algorithm>
#include <string_view>

#include "core/text.hpp"

#include "analysis/report/learning/curves.hpp"
#include "analysis/report/learning/quality_figure.hpp"
#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/plot/ranks_figure.hpp"
#include "analysis/report/published/overlay.hpp"
#include "analysis/report/speed/prediction_report.hpp"
#include "analysis/report/step/bucket_timeline.hpp"
#include "analysis/report/step/causes_figure.hpp"
#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

double largest_ranks(const SeriesAnalysis& analysis) {
  return static_cast<double>(analysis.series.by_ranks.rbegin()->first);
}

using EstimateOfPoint = Estimate SpeedupPoint::*;

/// Markers of several quantities at one rank count stand side by side, so that bars stay readable.
struct Marker {
  const char* label;
  EstimateOfPoint estimate;
  std::size_t first_column;  ///< value; low and high follow
  double shift;              ///< in units of the x range
  int point_type;
};

bool has_value(const SeriesAnalysis& analysis, EstimateOfPoint estimate) {
  return std::any_of(analysis.speedup.begin(), analysis.speedup.end(),
                     [&](const SpeedupPoint& p) { return is_plottable((p.*estimate).value); });
}

bool has_interval(const SeriesAnalysis& analysis, EstimateOfPoint estimate) {
  return std::any_of(analysis.speedup.begin(), analysis.speedup.end(),
                     [&](const SpeedupPoint& p) { return (p.*estimate).interval.has_value(); });
}

/// What nobody measured has no place in the legend.
std::string marker_plots(const SeriesAnalysis& analysis,
                         const std::string& file,
                         const std::vector<Marker>& markers) {
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const Marker& m = markers[i];
    if (!has_value(analysis, m.estimate)) continue;
    const std::string x = cat("($1+", m.shift * largest_ranks(analysis), ")");
    const std::string colour = cat("lc rgb '", palette[i].hex, "'");
    const std::string value = cat(file, " using ", x, ":", m.first_column);
    if (has_interval(analysis, m.estimate))
      plots.push_back(cat(value, ":", m.first_column + 1, ":", m.first_column + 2,
                          " with yerrorbars pt 0 ps 0 lw 1.6 ", colour, " notitle"));
    plots.push_back(cat(value, " with points pt ", m.point_type, " ps 0.6 ", colour, " title ",
                        gnuplot_quoted(m.label)));
  }
  return join(plots, ", \\\n     ");
}

Figure speedup_figure(const SeriesAnalysis& analysis) {
  Figure figure;
  figure.section = FigureSection::speed;
  figure.slug = analysis.series.slug + "-speedup";
  figure.title = "Speed-up";
  figure.tsv = "# ranks\ttraining\tlow\thigh\tthroughput\tlow\thigh\tlaunch\tlow\thigh\n";
  for (const SpeedupPoint& p : analysis.speedup) {
    figure.tsv += cat(p.ranks, '\t', limits(p.training), '\t', limits(p.throughput), '\t',
                      limits(p.launch), '\n');
  }
  figure.tsv += run_speedups(analysis);
  const double most = largest_ranks(analysis);
  const std::string file = gnuplot_quoted(figure.slug + ".tsv");
  figure.drawing = cat(
      "set xlabel 'ranks'\nset ylabel 'times as fast as one rank'\n", rank_axis(ranks_of(analysis)),
      "set yrange [0:*]\n", "plot x with lines dt 2 lw 1.4 lc rgb '", palette[6].hex,
      "' title 'ideal', \\\n     ",
      marker_plots(analysis, file + " index 0",
                   {{"training", &SpeedupPoint::training, 2, 0, 7},
                    {"throughput", &SpeedupPoint::throughput, 5, -0.025, 5},
                    {"launch", &SpeedupPoint::launch, 8, 0.025, 9}}),
      ", \\\n     ", file, " index 1 using ($1-", 0.06 * most,
      "):2 with points pt 7 ps 0.25 lc rgb '", palette[0].hex, "' title 'training, each run'\n");
  figure.caption =
      cat("Speed-up against one rank on the same rule, reduction and input; small dots: "
          "each run's training against the mean of one rank. ",
          base_in_absolute_units(analysis), " ", bars(analysis));
  return figure;
}

Figure efficiency_figure(const SeriesAnalysis& analysis) {
  Figure figure;
  figure.section = FigureSection::speed;
  figure.slug = analysis.series.slug + "-efficiency";
  figure.title = "Efficiency";
  figure.tsv = "# ranks\ttraining_percent\tlow\thigh\tthroughput_percent\tlow\thigh\n";
  const auto in_percent = [](double v) { return v * 100; };
  for (const SpeedupPoint& p : analysis.speedup) {
    figure.tsv += cat(p.ranks, '\t', limits(transformed(p.efficiency, in_percent)), '\t',
                      limits(transformed(p.throughput_efficiency, in_percent)), '\n');
  }
  const std::string file = gnuplot_quoted(figure.slug + ".tsv");
  figure.drawing =
      cat("set xlabel 'ranks'\nset ylabel 'speed-up ÷ ranks, %'\n", rank_axis(ranks_of(analysis)),
          "set yrange [0:110 < * ]\n", "plot 100 with lines dt 2 lw 1.4 lc rgb '", palette[6].hex,
          "' title 'ideal', \\\n     ",
          marker_plots(analysis, file,
                       {{"training", &SpeedupPoint::efficiency, 2, 0, 7},
                        {"throughput", &SpeedupPoint::throughput_efficiency, 5, -0.025, 5}}),
          "\n");
  figure.caption = cat("Efficiency: speed-up divided by ranks. ", base_in_absolute_units(analysis),
                       " ", bars(analysis));
  return figure;
}

/// Phases that are visible at all: above 0.05 % of the step at some rank count.
std::vector<std::size_t> visible_phases(const SeriesAnalysis& analysis) {
  std::vector<std::size_t> visible;
  for (std::size_t i = 0; i < step_phase_count; ++i) {
    const auto shows = [i](const StepComposition& s) {
      return s.phase_s[i] > 0.0005 * s.step_s && is_plottable(s.phase_s[i] * 1e3);
    };
    if (std::any_of(analysis.steps.begin(), analysis.steps.end(), shows)) visible.push_back(i);
  }
  return visible;
}

std::string step_tsv(const SeriesAnalysis& analysis, const std::vector<std::size_t>& phases) {
  std::string tsv = "# ranks\texpected_ms";
  for (const std::size_t i : phases) tsv += cat('\t', step_phases()[i].name());
  tsv += "  (all in ms)\n";
  for (const StepComposition& step : analysis.steps) {
    tsv += cat('"', ranks_in_words(step.ranks, false), "\"\t", plotted(step.expected_s * 1e3));
    for (const std::size_t i : phases) tsv += cat('\t', plotted(step.phase_s[i] * 1e3));
    tsv += '\n';
  }
  return tsv;
}

bool shows_perfect_scaling(const SeriesAnalysis& analysis) {
  return std::any_of(analysis.steps.begin(), analysis.steps.end(), [](const StepComposition& s) {
    return s.ranks > 1 && is_plottable(s.expected_s * 1e3);
  });
}

/// Only what is averaged and drawn is spoken of.
std::string step_caption(const SeriesAnalysis& analysis, const std::vector<std::size_t>& phases) {
  const auto shows = [&](std::string_view phase) {
    return std::any_of(phases.begin(), phases.end(),
                       [&](std::size_t i) { return step_phases()[i].name() == phase; });
  };
  std::vector<std::string> over;
  if (largest_ranks(analysis) > 1) over.emplace_back("ranks");
  over.emplace_back("steady steps");
  if (analysis.series.has_repeats()) over.emplace_back("runs");
  std::string caption = cat("Step time by phase: mean over ", join(over, ", "), ".");
  if (shows("uneven_end_s")) caption += " Uneven ends: the longest step of a rank minus the mean.";
  if (shows("exposed_communication_s") && largest_ranks(analysis) > 1)
    caption += " Exposed communication contains waiting for the slowest rank.";
  if (shows("peer_wait_s"))
    caption +=
        " Peer wait ends when the slowest rank has its last gradient; only then is time "
        "lost to moving them (exposed transfer).";
  if (shows_perfect_scaling(analysis))
    caption += " Dashed: the one-rank step scaled with the samples per rank.";
  return caption + " ";
}

/// Waiting has one colour and transfer another, wherever they are.
const PaletteColour& colour_of(std::size_t phase) {
  static constexpr std::size_t colours[step_phase_count] = {4, 3, 0, 5, 0, 1, 1, 8, 1, 8, 2, 6, 7};
  return palette[colours[phase]];
}

Figure step_figure(const SeriesAnalysis& analysis, const std::vector<std::size_t>& phases) {
  Figure figure;
  figure.section = FigureSection::step;
  figure.slug = analysis.series.slug + "-step-phases";
  figure.title = "Step time by phase";
  figure.tsv = step_tsv(analysis, phases);
  const std::string file = gnuplot_quoted(figure.slug + ".tsv");
  std::vector<std::string> plots;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    plots.push_back(cat(file, " using ", k + 3, k == 0 ? ":xtic(1)" : "", " lc rgb '",
                        colour_of(phases[k]).hex, "' title ",
                        gnuplot_quoted(std::string(step_phases()[phases[k]].short_label))));
  }
  if (shows_perfect_scaling(analysis))
    plots.push_back(cat(file, " using ($0-0.4):2:(0.8):(0) with vectors nohead lw 2 dt 2 lc rgb '",
                        ink.hex, "' title 'perfect scaling'"));
  figure.drawing = cat(
      "set style data histogram\nset style histogram rowstacked\nset style fill solid noborder\n"
      "set boxwidth 0.6\nset xrange [-0.7:",
      analysis.steps.size(),
      " - 0.3]\n"
      "set yrange [0:*]\nset ylabel 'step, ms'\nset xtics scale 0\n"
      "plot ",
      join(plots, ", \\\n     "), "\n");
  figure.caption = step_caption(analysis, phases) + base_in_absolute_units(analysis);
  return figure;
}

}  // namespace

std::vector<Figure> figures_of(const SeriesAnalysis& analysis,
                               const std::vector<PublishedAnalysis>& overlays) {
  std::vector<Figure> figures;
  if (has_speedup(analysis)) {
    figures.push_back(speedup_figure(analysis));
    add_outlook(figures.back(), analysis);
    figures.push_back(efficiency_figure(analysis));
  }
  if (const auto phases = visible_phases(analysis); !phases.empty())
    figures.push_back(step_figure(analysis, phases));
  if (auto causes = causes_figure(analysis)) figures.push_back(std::move(*causes));
  if (auto timeline = bucket_timeline(analysis)) figures.push_back(std::move(*timeline));
  if (!has_invented_losses(analysis.series)) {
    for (auto* make : {quality_figures, learning_figures})
      for (Figure& figure : make(analysis)) figures.push_back(std::move(figure));
  }
  const std::string facts = caption_facts(analysis);
  const auto on_machine = analysis.machine.empty() ? "" : cat(" · ", analysis.machine);
  for (Figure& figure : figures) {
    figure.caption += cat(" ", facts, on_machine, ".");
    figure.labels = label_list(analysis.series);
  }
  if (has_speedup(analysis)) add_overlays(figures.front(), analysis, overlays);
  return figures;
}

}  // namespace scalestudy
