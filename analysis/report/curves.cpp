#include "analysis/report/curves.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/gnuplot.hpp"
#include "analysis/report/numbers.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t largest_point_count = 150;

struct Curve {
  std::int64_t ranks = 1;
  std::vector<LossPoint> points;
};

bool is_drawable(const LossPoint& point) {
  return std::isfinite(point.loss);
}

/// A whole number of smoothness windows, so many that a run has at most largest_point_count points.
std::int64_t samples_per_point(const SeriesAnalysis& analysis) {
  const auto window = std::max<std::int64_t>(1, analysis.series.spec.smoothness_window_samples);
  double most = 0;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    for (const Run* run : runs) most = std::max(most, samples_consumed(run->record.steps));
  }
  const double windows = most / static_cast<double>(window * largest_point_count);
  return window * std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(windows)));
}

std::vector<Curve> training_curves(const SeriesAnalysis& analysis, std::int64_t per_point) {
  std::vector<Curve> curves;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    for (const Run* run : runs) curves.push_back({ranks, loss_curve(run->record.steps, per_point)});
  }
  return curves;
}

Curve validation_curve(const Run& run) {
  Curve curve{run.spec.ranks, {}};
  for (const EpochRow& epoch : run.record.epochs) {
    curve.points.push_back({.samples_seen = static_cast<double>(epoch.samples_seen),
                            .time_s = epoch.end_s,
                            .loss = epoch.validation_loss});
  }
  return curve;
}

std::vector<Curve> validation_curves(const SeriesAnalysis& analysis) {
  std::vector<Curve> curves;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    for (const Run* run : runs) curves.push_back(validation_curve(*run));
  }
  return curves;
}

void drop_undrawable(std::vector<Curve>& curves) {
  for (Curve& curve : curves) {
    auto& points = curve.points;
    points.erase(std::remove_if(points.begin(), points.end(),
                                [](const LossPoint& p) { return !is_drawable(p); }),
                 points.end());
  }
  curves.erase(
      std::remove_if(curves.begin(), curves.end(), [](const Curve& c) { return c.points.empty(); }),
      curves.end());
}

/// One block per run, found by its index.
std::string curves_tsv(const std::vector<Curve>& curves) {
  std::string tsv = "# samples\ttime_s\tloss\tranks\n";
  for (const Curve& curve : curves) {
    for (const LossPoint& p : curve.points) {
      tsv += cat(exact(p.samples_seen), '\t', exact(p.time_s), '\t', exact(p.loss), '\t',
                 curve.ranks, '\n');
    }
    tsv += "\n\n";
  }
  return tsv;
}

/// Colours follow the order of the rank counts, in every figure the same.
std::size_t colour_index(const SeriesAnalysis& analysis, std::int64_t ranks) {
  const auto& groups = analysis.series.by_ranks;
  return static_cast<std::size_t>(std::distance(groups.begin(), groups.find(ranks))) % palette_size;
}

/// 1, 2 and 5 of every decade: a loss rarely spans enough decades for powers of ten alone.
std::string decade_ticks(double low, double high) {
  std::vector<std::string> ticks;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade < high; decade *= 10) {
    for (const int digit : {1, 2, 5}) ticks.push_back(exact(digit * decade));
  }
  return join(ticks, ", ");
}

/// A loss that falls by more than a factor of ten needs decades on its axis.
std::string loss_axis(const std::vector<Curve>& curves) {
  double low = HUGE_VAL, high = 0;
  for (const Curve& curve : curves) {
    for (const LossPoint& p : curve.points) {
      low = std::min(low, p.loss);
      high = std::max(high, p.loss);
    }
  }
  if (!(low > 0 && high > 10 * low)) return "";
  return cat("set logscale y\nset format y '%g'\nset ytics (", decade_ticks(low, high),
             ")\nset yrange [", low / 1.2, ":", high * 1.2, "]\n");
}

enum class Horizontal { samples, time };

std::string drawing(const SeriesAnalysis& analysis,
                    const std::vector<Curve>& curves,
                    const std::string& slug,
                    Horizontal axis,
                    const std::string& style) {
  std::vector<std::string> plots;
  std::int64_t last_ranks = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const bool first_of_group = curves[i].ranks != last_ranks;
    last_ranks = curves[i].ranks;
    plots.push_back(cat(
        gnuplot_quoted(slug + ".tsv"), " index ", i, " using ", axis == Horizontal::samples ? 1 : 2,
        ":3 with ", style, " lc rgb '", palette[colour_index(analysis, last_ranks)].hex, "' ",
        first_of_group ? "title " + gnuplot_quoted(ranks_in_words(last_ranks, false)) : "notitle"));
  }
  return cat("set xlabel ",
             axis == Horizontal::samples ? "'samples seen by all ranks'"
                                         : "'time on the training clock, s'",
             "\n", loss_axis(curves), "set xrange [0:*]\nplot ", join(plots, ", \\\n     "), "\n");
}

Figure curve_figure(const SeriesAnalysis& analysis,
                    const std::vector<Curve>& curves,
                    const std::string& what,
                    Horizontal axis,
                    const std::string& style) {
  Figure figure;
  figure.section = FigureSection::learning;
  figure.slug = cat(analysis.series.slug, "-", what, "-by-",
                    axis == Horizontal::samples ? "samples" : "time");
  figure.tsv = curves_tsv(curves);
  figure.drawing = cat("set ylabel '", what == "loss" ? "training loss" : "validation loss", "'\n",
                       drawing(analysis, curves, figure.slug, axis, style));
  return figure;
}

/// A single line is of the only run.
std::string lines(const std::vector<Curve>& curves) {
  return curves.size() > 1 ? "; one line per run" : "";
}

}  // namespace

std::vector<Figure> loss_figures(const SeriesAnalysis& analysis) {
  std::vector<Figure> figures;
  const std::int64_t per_point = samples_per_point(analysis);
  auto training = training_curves(analysis, per_point);
  auto validation = validation_curves(analysis);
  drop_undrawable(training);
  drop_undrawable(validation);
  const bool compares = analysis.series.by_ranks.size() > 1;
  const std::string points = cat("Every point averages ", counted(per_point, "sample"),
                                 compares ? " at every number of ranks" : "", lines(training), ".");
  if (!training.empty()) {
    const std::string style = "lines lw 1.3";
    figures.push_back(curve_figure(analysis, training, "loss", Horizontal::samples, style));
    figures.back().title = "Training loss by samples";
    figures.back().caption = "Training loss by samples seen. " + points;
    figures.push_back(curve_figure(analysis, training, "loss", Horizontal::time, style));
    figures.back().title = "Training loss by time";
    figures.back().caption = "Training loss by time on the training clock. " + points;
  }
  if (!validation.empty()) {
    figures.push_back(curve_figure(analysis, validation, "validation-loss", Horizontal::samples,
                                   "linespoints lw 1.3 pt 7 ps 0.35"));
    figures.back().title = "Validation loss";
    figures.back().caption = cat("Validation loss after each epoch", lines(validation), ".");
  }
  return figures;
}

}  // namespace scalestudy
