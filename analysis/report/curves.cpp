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

enum class Horizontal { samples, time };

/// Axes begin at 0.
bool is_drawable(const LossPoint& point, Horizontal axis) {
  const double x = axis == Horizontal::samples ? point.samples_seen : point.time_s;
  return is_plottable(point.loss) && is_plottable(x) && x >= 0;
}

/// A whole number of smoothness windows, so many that a run has at most largest_point_count points.
std::int64_t samples_per_point(const SeriesAnalysis& analysis) {
  const auto window = smoothness_window_samples(analysis.series);
  double most = 0;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    for (const Run* run : runs) most = std::max(most, samples_consumed(run->digest.losses));
  }
  constexpr double countable = 1e18;
  const auto size = static_cast<double>(window);
  const double windows = std::ceil(most / size / largest_point_count);
  return window * static_cast<std::int64_t>(std::clamp(windows, 1.0, countable / size));
}

std::vector<Curve> training_curves(const SeriesAnalysis& analysis, std::int64_t per_point) {
  std::vector<Curve> curves;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    for (const Run* run : runs)
      curves.push_back({ranks, loss_curve(run->digest.losses, per_point)});
  }
  return curves;
}

/// Of the weights at work; files of before have them by epoch only.
Curve validation_curve(const Run& run) {
  Curve curve{run.spec.ranks, {}};
  for (const EvaluationRow& one : run.record.evaluations) {
    if (one.weights == current_weights)
      curve.points.push_back({.samples_seen = static_cast<double>(one.samples_seen),
                              .time_s = one.end_s,
                              .loss = one.loss});
  }
  if (!curve.points.empty()) return curve;
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

std::vector<Curve> drawable(std::vector<Curve> curves, Horizontal axis) {
  for (Curve& curve : curves)
    std::erase_if(curve.points, [=](const LossPoint& p) { return !is_drawable(p, axis); });
  std::erase_if(curves, [](const Curve& c) { return c.points.empty(); });
  return curves;
}

/// One block per run, found by its index.
std::string curves_tsv(const std::vector<Curve>& curves) {
  std::string tsv = "# samples\ttime_s\tloss\tranks\n";
  for (const Curve& curve : curves) {
    for (const LossPoint& p : curve.points) {
      tsv += cat(plotted(p.samples_seen), '\t', plotted(p.time_s), '\t', plotted(p.loss), '\t',
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
std::string ticks_of_decades(double low, double high) {
  std::vector<std::string> ticks;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade < high; decade *= 10) {
    for (const int digit : {1, 2, 5}) ticks.push_back(exact(digit * decade));
  }
  return cat("set ytics (", join(ticks, ", "), ")\n");
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
  constexpr double most_ratio = 1e6;  // from there on gnuplot's own powers of ten are enough
  return cat("set logscale y\nset format y '%g'\n",
             high < most_ratio * low ? ticks_of_decades(low, high) : "", "set yrange [", low / 1.2,
             ":", high * 1.2, "]\n");
}

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
  const auto add = [&](const std::vector<Curve>& curves, const std::string& what, Horizontal axis,
                       const std::string& style, const char* title, const std::string& caption) {
    if (curves.empty()) return;
    figures.push_back(curve_figure(analysis, curves, what, axis, style));
    figures.back().title = title;
    figures.back().caption = caption;
  };
  const std::int64_t per_point = samples_per_point(analysis);
  const auto training = training_curves(analysis, per_point);
  const bool compares = analysis.series.by_ranks.size() > 1;
  for (const auto axis : {Horizontal::samples, Horizontal::time}) {
    const auto curves = drawable(training, axis);
    const bool by_time = axis == Horizontal::time;
    add(curves, "loss", axis, "lines lw 1.3",
        by_time ? "Training loss by time" : "Training loss by samples",
        cat("Training loss by ", by_time ? "time on the training clock" : "samples seen",
            ". Every point averages ", counted(per_point, "sample"),
            compares ? " at every number of ranks" : "", lines(curves), "."));
  }
  const auto validation = drawable(validation_curves(analysis), Horizontal::samples);
  add(validation, "validation-loss", Horizontal::samples, "linespoints lw 1.3 pt 7 ps 0.35",
      "Validation loss",
      cat("Validation loss whenever the model was judged", lines(validation), "."));
  return figures;
}

}  // namespace scalestudy
