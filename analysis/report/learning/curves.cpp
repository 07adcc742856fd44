#include "analysis/report/learning/curves.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/text.hpp"

#include "analysis/report/learning/quality_figure.hpp"
#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t largest_point_count = 150;

struct Curve {
  std::int64_t ranks = 1;
  std::vector<LossPoint> points;
};

enum class Horizontal { samples, time };

/// What the vertical axis shows.
struct Quantity {
  std::string slug;    ///< "validation-loss"
  std::string column;  ///< of the data, for metrics that of /evaluations: "loss"
  std::string label;   ///< of the axis: "validation loss"
  std::string style;   ///< of its lines
};

/// Of what is judged now and then.
constexpr const char* judged_style = "linespoints lw 1.3 pt 7 ps 0.35";

/// Axes begin at 0.
bool is_drawable(const LossPoint& point, Horizontal axis) {
  const double x = axis == Horizontal::samples ? point.samples_seen : point.time_s;
  return is_plottable(point.loss) && is_plottable(x) && x >= 0;
}

/// A whole number of smoothness windows, so many that a run has at most largest_point_count points.
std::int64_t samples_per_point(const SeriesAnalysis& analysis) {
  const auto window = smoothness_window_samples(analysis.series);
  double most = 0;
  for (const Run* run : analysis.series.all_runs())
    most = std::max(most, samples_consumed(run->digest.losses));
  constexpr double countable = 1e18;
  const auto size = static_cast<double>(window);
  const double windows = std::ceil(most / size / largest_point_count);
  return window * static_cast<std::int64_t>(std::clamp(windows, 1.0, countable / size));
}

std::vector<Curve> training_curves(const SeriesAnalysis& analysis, std::int64_t per_point) {
  std::vector<Curve> curves;
  for (const Run* run : analysis.series.all_runs())
    curves.push_back({run->spec.ranks, loss_curve(run->digest.losses, per_point)});
  return curves;
}

/// Of the weights at work, as often as they were judged by `metric`.
Curve evaluation_curve(const Run& run, const RowColumn<EvaluationRow>& metric) {
  Curve curve{run.spec.ranks, {}};
  for (const EvaluationRow& one : run.record.evaluations) {
    if (one.weights == current_weights)
      curve.points.push_back({.samples_seen = static_cast<double>(one.samples_seen),
                              .time_s = one.end_s,
                              .loss = number_in(one, metric)});
  }
  return curve;
}

/// Files of before have the validation loss by epoch only.
Curve epoch_curve(const Run& run) {
  Curve curve{run.spec.ranks, {}};
  for (const EpochRow& epoch : run.record.epochs) {
    curve.points.push_back({.samples_seen = static_cast<double>(epoch.samples_seen),
                            .time_s = epoch.end_s,
                            .loss = epoch.validation_loss});
  }
  return curve;
}

std::vector<Curve> evaluation_curves(const SeriesAnalysis& analysis,
                                     const RowColumn<EvaluationRow>& metric) {
  const bool is_loss = metric.name == column_of(&EvaluationRow::loss).name;
  std::vector<Curve> curves;
  for (const Run* run : analysis.series.all_runs()) {
    curves.push_back(evaluation_curve(*run, metric));
    if (is_loss && curves.back().points.empty()) curves.back() = epoch_curve(*run);
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
std::string curves_tsv(const std::vector<Curve>& curves, const Quantity& quantity) {
  std::string tsv = cat("# samples\ttime_s\t", quantity.column, "\tranks\n");
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

/// What the study declared that it wants to reach.
std::vector<std::string> target_line(const QualityGoal& goal, const Quantity& quantity) {
  if (goal.metric != quantity.column || goal.target == 0) return {};
  return {cat(exact(goal.target), " with lines dt 2 lw 1.4 lc rgb '", palette[6].hex,
              "' title 'target'")};
}

std::string drawing(const SeriesAnalysis& analysis,
                    const std::vector<Curve>& curves,
                    const std::string& slug,
                    const Quantity& quantity,
                    Horizontal axis) {
  auto plots = target_line(analysis.series.spec.quality, quantity);
  std::int64_t last_ranks = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const bool first_of_group = curves[i].ranks != last_ranks;
    last_ranks = curves[i].ranks;
    plots.push_back(cat(
        gnuplot_quoted(slug + ".tsv"), " index ", i, " using ", axis == Horizontal::samples ? 1 : 2,
        ":3 with ", quantity.style, " lc rgb '", palette[colour_index(analysis, last_ranks)].hex,
        "' ",
        first_of_group ? "title " + gnuplot_quoted(ranks_in_words(last_ranks, false)) : "notitle"));
  }
  return cat("set xlabel ",
             axis == Horizontal::samples ? "'samples seen by all ranks'"
                                         : "'time on the training clock, s'",
             "\n", quantity.column.ends_with("loss") ? loss_axis(curves) : "",
             "set xrange [0:*]\nplot ", join(plots, ", \\\n     "), "\n");
}

std::string_view name_of(Horizontal axis) {
  return axis == Horizontal::samples ? "samples" : "time";
}

void add_figure(std::vector<Figure>& figures,
                const SeriesAnalysis& analysis,
                const std::vector<Curve>& all,
                const Quantity& quantity,
                Horizontal axis,
                const std::string& title,
                const std::string& caption) {
  const auto curves = drawable(all, axis);
  if (curves.empty()) return;
  Figure figure;
  figure.section = FigureSection::learning;
  figure.slug = cat(analysis.series.slug, "-", quantity.slug, "-by-", name_of(axis));
  figure.title = cat(title, " by ", name_of(axis));
  figure.tsv = curves_tsv(curves, quantity);
  figure.drawing = cat("set ylabel ", gnuplot_quoted(quantity.label), "\n",
                       drawing(analysis, curves, figure.slug, quantity, axis));
  figure.caption = cat(caption, curves.size() > 1 ? "; one line per run" : "", ".");
  figures.push_back(std::move(figure));
}

void add_training_loss(std::vector<Figure>& figures, const SeriesAnalysis& analysis) {
  const Quantity loss{"loss", "training_loss", "training loss", "lines lw 1.3"};
  const std::int64_t per_point = samples_per_point(analysis);
  const auto curves = training_curves(analysis, per_point);
  const bool compares = analysis.series.by_ranks.size() > 1;
  for (const auto axis : {Horizontal::samples, Horizontal::time}) {
    const bool by_time = axis == Horizontal::time;
    add_figure(figures, analysis, curves, loss, axis, "Training loss",
               cat("Training loss by ", by_time ? "time on the training clock" : "samples seen",
                   ". Every point averages ", counted(per_point, "sample"),
                   compares ? " at every number of ranks" : ""));
  }
}

void add_validation_loss(std::vector<Figure>& figures, const SeriesAnalysis& analysis) {
  const Quantity loss{"validation-loss", "loss", "validation loss", judged_style};
  const auto curves = evaluation_curves(analysis, *ColumnOf(&EvaluationRow::loss));
  for (const auto axis : {Horizontal::samples, Horizontal::time})
    add_figure(figures, analysis, curves, loss, axis, "Validation loss",
               "Validation loss whenever the model was judged");
}

/// What the conclusions ask about, where it was measured while training.
void add_metrics(std::vector<Figure>& figures, const SeriesAnalysis& analysis) {
  if (analysis.quality.empty()) return;
  for (const MetricValues& one : analysis.quality.front().metrics) {
    if (!one.is_asked || one.metric->column == &column_of(&EvaluationRow::loss)) continue;
    const Measure& metric = *one.metric;
    const auto* const column =
        std::ranges::find(columns_of<EvaluationRow>, metric.column->name, &Column::name);
    const Quantity quantity{file_name_of(metric), std::string(column->name), metric.heading(),
                            judged_style};
    add_figure(figures, analysis, evaluation_curves(analysis, *column), quantity, Horizontal::time,
               std::string(metric.label), cat(metric.label, " whenever the model was judged"));
  }
}

}  // namespace

std::vector<Figure> learning_figures(const SeriesAnalysis& analysis) {
  std::vector<Figure> figures;
  add_training_loss(figures, analysis);
  add_validation_loss(figures, analysis);
  add_metrics(figures, analysis);
  return figures;
}

}  // namespace scalestudy
