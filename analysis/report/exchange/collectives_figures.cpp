/// One small chart per operation and quantity; its curves are back-ends and numbers of ranks.

#include "analysis/report/exchange/collectives_figures.hpp"

#include <array>
#include <cmath>
#include <set>

#include "core/text.hpp"

#include "analysis/report/exchange/collectives_report.hpp"
#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/report/text/quantities.hpp"

namespace scalestudy {
namespace {

/// The points of one back-end at one number of ranks: a line of a figure.
struct Curve {
  std::string label;
  std::size_t place;  ///< of back-end and ranks in the report: the same colour in all figures
  std::vector<CollectivePoint> points;
};

/// What is drawn against size.
struct Quantity {
  const char* slug;
  const char* title;
  const char* axis;
  int column;  ///< of the TSV
  const char* meaning;
  double (*value)(const CollectivePoint& point);
};
constexpr std::array quantities{
    Quantity{"time", "time of a call", "time of a call, µs", 2,
             "Each run's median over calls, geometric mean over runs; both axes are logarithmic. A "
             "call costs the same up to some size and in proportion to it beyond. ",
             [](const CollectivePoint& point) { return point.time_s.value; }},
    Quantity{"bandwidth", "bus bandwidth", "bus bandwidth, GB/s", 6,
             "Size ÷ median time × the factor in the table: what the slowest link would carry in "
             "an optimal algorithm, whatever the number of ranks. ",
             [](const CollectivePoint& point) { return point.bus_bytes_per_s(); }}};

std::vector<Curve> curves_of(const StudyAnalysis& analysis,
                             CollectiveOperation operation,
                             const Quantity& quantity) {
  std::vector<Curve> curves;
  std::size_t place = 0;
  for (const auto& one : analysis.collectives()) {
    for (const auto& [ranks, runs] : one.series.by_ranks) {
      Curve curve{cat(label_of(one, ranks, analysis), ", ", counted(ranks, "rank")), place++, {}};
      for (const auto& point : one.points)
        if (point.ranks == ranks && point.operation == operation && point.size_bytes > 0 &&
            std::isfinite(quantity.value(point)))
          curve.points.push_back(point);
      if (!curve.points.empty()) curves.push_back(std::move(curve));
    }
  }
  return curves;
}

/// As 8 B, 128 B, 2 KiB: each sixteen times the one before.
std::string size_ticks(const std::vector<Curve>& curves) {
  std::set<std::int64_t> sizes_bytes;
  for (const auto& curve : curves)
    for (const auto& point : curve.points) sizes_bytes.insert(point.size_bytes);
  std::vector<std::string> ticks;
  for (double size = static_cast<double>(*sizes_bytes.begin());
       size <= static_cast<double>(*sizes_bytes.rbegin()); size *= 16)
    ticks.push_back(
        cat(gnuplot_quoted(size_text(static_cast<std::int64_t>(size))), " ", exact(size)));
  return cat("set xtics (", join(ticks, ", "), ")\n");
}

/// One block of data per curve.
std::string tsv_of(const std::vector<Curve>& curves) {
  std::string tsv;
  for (const auto& curve : curves) {
    tsv += cat(gnuplot_comment(curve.label),
               "# size_bytes\ttime_us\tlow\thigh\talgorithm_gb_per_s\tbus_gb_per_s\n");
    for (const auto& point : curve.points) {
      const auto interval = point.time_s.interval.value_or(Interval{});
      tsv += cat(point.size_bytes, '\t', plotted(point.time_s.value * 1e6), '\t',
                 plotted(interval.low * 1e6), '\t', plotted(interval.high * 1e6), '\t',
                 plotted(point.algorithm_bytes_per_s() / 1e9), '\t',
                 plotted(point.bus_bytes_per_s() / 1e9), '\n');
    }
    tsv += "\n\n";
  }
  return tsv;
}

std::string plots_of(const std::vector<Curve>& curves, const std::string& slug, int column) {
  constexpr std::array markers{7, 4, 9, 12, 5, 6};
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto place = curves[i].place;
    plots.push_back(cat(gnuplot_quoted(slug + ".tsv"), " index ", i, " using 1:", column,
                        " with linespoints lw 1.6 ps 0.5 pt ", markers[place % markers.size()],
                        " lc rgb '", palette[place % palette_size].hex, "' title ",
                        gnuplot_quoted(curves[i].label)));
  }
  return cat("plot ", join(plots, ", \\\n     "), "\n");
}

std::string facts(const StudyAnalysis& analysis) {
  std::vector<std::string> parts;
  for (const auto& one : analysis.collectives())
    for (const auto& [ranks, runs] : one.series.by_ranks)
      parts.push_back(cat(label_of(one, ranks, analysis), ", ", counted(ranks, "rank"), ": ",
                          counted(runs.size(), "run"), labels_in_brackets(runs)));
  return join(parts, "; ") + ".";
}

Figure figure_of(const StudyAnalysis& analysis,
                 CollectiveOperation operation,
                 const Quantity& quantity,
                 const std::vector<Curve>& curves) {
  Figure figure;
  figure.section = FigureSection::collectives;
  figure.slug = cat(collectives_slug, "-", words(operation), "-", quantity.slug);
  figure.title = cat(words(operation), ": ", quantity.title, " against size");
  figure.tsv = tsv_of(curves);
  figure.labels = join(collective_labels(analysis), "; ");
  figure.drawing =
      cat("set logscale x 2\nset logscale y 10\nset format y '%g'\nset ylabel ",
          gnuplot_quoted(quantity.axis), "\nset key outside below center maxcols 3 font ',11'\n",
          size_ticks(curves), plots_of(curves, figure.slug, quantity.column));
  figure.caption = quantity.meaning + facts(analysis);
  return figure;
}

}  // namespace

std::vector<Figure> collective_figures(const StudyAnalysis& analysis) {
  std::vector<Figure> figures;
  for (const auto& operation : choices<CollectiveOperation>)
    for (const auto& quantity : quantities)
      if (const auto curves = curves_of(analysis, operation.value, quantity); !curves.empty())
        figures.push_back(figure_of(analysis, operation.value, quantity, curves));
  return figures;
}

}  // namespace scalestudy
