#include "analysis/report/learning/quality_figure.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/plot/ranks_figure.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// One metric by ranks. Contract: the series was judged.
struct MetricCurve {
  const SeriesAnalysis& analysis;
  std::size_t index = 0;  ///< in QualityPoint::metrics

  [[nodiscard]] const MetricValues& at(const QualityPoint& point) const {
    return point.metrics[index];
  }
  [[nodiscard]] const Measure& metric() const { return *at(analysis.quality.front()).metric; }
  /// Mean over the runs of one rank.
  [[nodiscard]] double base() const { return mean(at(analysis.quality.front()).values); }
  [[nodiscard]] bool has_intervals() const {
    return std::ranges::any_of(
        analysis.quality, [&](const auto& q) { return at(q).difference.interval.has_value(); });
  }
};

/// Every number of ranks has values, and at least one of them is compared with one rank.
bool compares_ranks(const MetricCurve& curve) {
  const auto& points = curve.analysis.quality;
  return points.size() > 1 && std::ranges::all_of(points, [&](const QualityPoint& q) {
           return std::ranges::all_of(curve.at(q).values, is_plottable) &&
                  !curve.at(q).values.empty() && is_plottable(curve.at(q).difference.value);
         });
}

/// Means with the intervals of their differences to one rank, then each run.
std::string metric_tsv(const MetricCurve& curve) {
  const auto& name = curve.metric().column->name;
  std::string means = cat("# ranks\t", name, "\tlow\thigh\n");
  std::string runs = cat("\n\n# ranks\t", name, ", each run\n");
  for (const QualityPoint& point : curve.analysis.quality) {
    const MetricValues& one = curve.at(point);
    const auto interval = one.difference.interval.value_or(Interval{});
    means += cat(point.ranks, '\t', plotted(mean(one.values)), '\t',
                 plotted(curve.base() + interval.low), '\t', plotted(curve.base() + interval.high),
                 '\n');
    for (const double value : one.values) runs += cat(point.ranks, '\t', plotted(value), '\n');
  }
  return means + runs;
}

std::string margin_lines(const MetricCurve& curve) {
  const double margin = curve.at(curve.analysis.quality.back()).margin;
  if (margin == 0) return "";
  const auto line = [&](double value, const char* title) {
    return cat(exact(value), " with lines dt 3 lw 1.4 lc rgb '", palette[7].hex, "' ", title,
               ", \\\n     ");
  };
  return line(curve.base() - margin, "title 'margin'") + line(curve.base() + margin, "notitle");
}

std::string metric_drawing(const MetricCurve& curve, const std::string& slug) {
  const auto& points = curve.analysis.quality;
  const auto most = static_cast<double>(points.back().ranks);
  const std::string file = gnuplot_quoted(slug + ".tsv");
  const std::string colour = cat("lc rgb '", palette[0].hex, "'");
  const std::string error_bars =
      cat(file, " index 0 using 1:2:3:4 with yerrorbars pt 0 ps 0 lw 1.6 ", colour,
          " notitle, \\\n     ");
  return cat("set xlabel 'ranks'\nset ylabel ", gnuplot_quoted(curve.metric().heading()), "\n",
             rank_axis(ranks_of(curve.analysis)),
             "set offsets 0, 0, graph 0.1, graph 0.1\nset key maxcols 2\nplot ",
             exact(curve.base()), " with lines dt 2 lw 1.4 lc rgb '", palette[6].hex,
             "' title 'one rank', \\\n     ", margin_lines(curve),
             curve.has_intervals() ? error_bars : "", file,
             " index 0 using 1:2 with points pt 7 ps 0.6 ", colour, " title 'mean', \\\n     ",
             file, " index 1 using ($1-", 0.06 * most, "):2 with points pt 7 ps 0.25 ", colour,
             " title 'each run'\n");
}

/// What the bars are, of the first number of ranks that has one.
std::string metric_bars(const MetricCurve& curve) {
  for (const QualityPoint& point : curve.analysis.quality) {
    const MetricValues& one = curve.at(point);
    if (!one.difference.interval) continue;
    return cat(" Bars: ", describe(one.difference), one.sampling ? " and evaluated samples" : "",
               ", of the difference to one rank.");
  }
  return " No bars: no interval of a difference is known.";
}

std::string metric_baseline(const MetricCurve& curve) {
  const MetricValues& one = curve.at(curve.analysis.quality.front());
  if (!std::isfinite(one.baseline)) return "";
  return cat(" Without having learned anything, ", one.metric->baseline->label, " has ",
             significant(one.baseline, 4), one.metric->unit_suffix(), ".");
}

Figure metric_figure(const MetricCurve& curve) {
  Figure figure;
  figure.section = FigureSection::learning;
  figure.slug = cat(curve.analysis.series.slug, "-", file_name_of(curve.metric()), "-by-ranks");
  figure.title = cat(curve.metric().label, " by ranks");
  figure.tsv = metric_tsv(curve);
  figure.drawing = metric_drawing(curve, figure.slug);
  figure.caption = cat(curve.metric().label,
                       " of the best weights, all on the same samples; small "
                       "dots: each run.",
                       metric_bars(curve), metric_baseline(curve));
  return figure;
}

}  // namespace

std::string file_name_of(const Measure& metric) {
  std::string name(metric.column->name);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::vector<Figure> quality_figures(const SeriesAnalysis& analysis) {
  std::vector<Figure> figures;
  if (analysis.quality.empty()) return figures;
  const auto& metrics = analysis.quality.front().metrics;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const MetricCurve curve{analysis, i};
    if (metrics[i].is_asked && compares_ranks(curve)) figures.push_back(metric_figure(curve));
  }
  return figures;
}

}  // namespace scalestudy
