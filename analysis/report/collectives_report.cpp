#include "analysis/report/collectives_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/text.hpp"

#include "analysis/report/gnuplot.hpp"
#include "analysis/report/numbers.hpp"
#include "analysis/settings_json.hpp"

namespace scalestudy {
namespace {

std::string short_label(const CollectivesAnalysis& one, std::int64_t ranks) {
  const Run& run = *one.series.by_ranks.at(ranks).front();
  const auto type = value_named(flatten_json(run.record.resolved_settings), "element_type");
  return cat(run.spec.communicator, type.empty() || type == "float32" ? "" : ", " + type);
}

/// A unit and how many of it make the base unit's number readable.
struct Unit {
  double size;
  const char* name;
};
constexpr std::array time_units{Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}};
/// Decimal, as the field has it.
constexpr std::array bandwidth_units{Unit{1e9, "GB/s"}, Unit{1e6, "MB/s"}, Unit{1e3, "kB/s"}};
constexpr std::array size_units{Unit{1 << 30, "GiB"}, Unit{1 << 20, "MiB"}, Unit{1 << 10, "KiB"},
                                Unit{1, "B"}};

/// The first that is not larger than the value, or the last.
template <std::size_t count>
const Unit& unit_for(double value, const std::array<Unit, count>& units) {
  const auto fits = [&](const Unit& unit) { return value >= unit.size; };
  const auto found = std::ranges::find_if(units, fits);
  return found == units.end() ? units.back() : *found;
}

template <std::size_t count>
std::string text_of(double value, const std::array<Unit, count>& units) {
  if (!std::isfinite(value)) return missing_number;
  const auto& unit = unit_for(value, units);
  return cat(significant(value / unit.size, 3), ' ', unit.name);
}

std::string time_text(double time_s) {
  return text_of(time_s, time_units);
}

/// Whole ones without decimals: 512 KiB.
std::string size_text(std::int64_t size_bytes) {
  const auto size = static_cast<double>(size_bytes);
  const auto& unit = unit_for(size, size_units);
  return cat(compact(size / unit.size), ' ', unit.name);
}

TableCell bandwidth_cell(double bytes_per_s) {
  return shown_cell(text_of(bytes_per_s, bandwidth_units), bytes_per_s);
}

/// "8.09 µs (6.58–9.95)".
TableCell time_cell(const Estimate& estimate_s) {
  auto shown = time_text(estimate_s.value);
  if (estimate_s.interval) {
    const auto in_unit = [&](double time_s) {
      return significant(time_s / unit_for(estimate_s.value, time_units).size, 3);
    };
    shown +=
        cat(" (", in_unit(estimate_s.interval->low), "–", in_unit(estimate_s.interval->high), ")");
  }
  return {shown, exact(estimate_s.value), estimate_s.interval};
}

std::string words(CollectiveOperation operation) {
  auto name = cat(operation);
  std::ranges::replace(name, '_', '-');
  return name;
}

/// The points of one operation at one number of ranks: a line of a figure.
struct Curve {
  std::string label;
  CollectiveOperation operation;
  std::size_t place;  ///< of back-end and ranks, in the order of the report
  std::vector<CollectivePoint> points;
};

std::vector<Curve> curves_of(const StudyAnalysis& analysis) {
  std::vector<Curve> curves;
  std::size_t place = 0;
  for (const auto& one : analysis.collectives()) {
    for (const auto& [ranks, runs] : one.series.by_ranks) {
      for (const auto& point : one.points) {
        if (point.ranks != ranks || point.size_bytes == 0) continue;
        const auto label = cat(words(point.operation), ", ", label_of(one, ranks, analysis), ", ",
                               counted(ranks, "rank"));
        if (curves.empty() || curves.back().label != label)
          curves.push_back({label, point.operation, place, {}});
        curves.back().points.push_back(point);
      }
      ++place;
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
    tsv += cat("# ", curve.label,
               "\n# size_bytes\ttime_us\tlow\thigh\talgorithm_gb_per_s\tbus_gb_per_s\n");
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

/// Colours tell operations apart, dashes and markers back-ends and ranks.
std::string plots_of(const std::vector<Curve>& curves, const std::string& slug, int column) {
  constexpr std::array markers{7, 4, 9, 12, 5, 6};
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto& curve = curves[i];
    const auto& colour = palette[static_cast<std::size_t>(curve.operation) % palette_size];
    plots.push_back(cat(gnuplot_quoted(slug + ".tsv"), " index ", i, " using 1:", column,
                        " with linespoints lw 1.6 ps 0.5 dt ", curve.place % 5 + 1, " pt ",
                        markers[curve.place % markers.size()], " lc rgb '", colour.hex, "' title ",
                        gnuplot_quoted(curve.label)));
  }
  return cat("plot ", join(plots, ", \\\n     "), "\n");
}

Figure figure_of(const std::vector<Curve>& curves,
                 const std::string& what,
                 const std::string& axis,
                 int column) {
  Figure figure;
  figure.section = FigureSection::collectives;
  figure.slug = cat(collectives_slug, "-", what);
  figure.tsv = tsv_of(curves);
  figure.drawing =
      cat("set logscale x 2\nset logscale y 10\nset format y '%g'\nset ylabel ",
          gnuplot_quoted(axis), "\nset key outside below center maxcols 2 font ',11'\n",
          size_ticks(curves), plots_of(curves, figure.slug, column));
  return figure;
}

/// " (busy_machine)": under which circumstances the runs were made.
std::string labels_of(const std::vector<const Run*>& runs) {
  std::set<std::string> labels;
  for (const Run* run : runs) labels.insert(run->labels.begin(), run->labels.end());
  return labels.empty() ? "" : cat(" (", join({labels.begin(), labels.end()}, ", "), ")");
}

std::string facts(const StudyAnalysis& analysis) {
  std::vector<std::string> parts;
  for (const auto& one : analysis.collectives())
    for (const auto& [ranks, runs] : one.series.by_ranks)
      parts.push_back(cat(label_of(one, ranks, analysis), ", ", counted(ranks, "rank"), ": ",
                          counted(runs.size(), "run"), labels_of(runs)));
  return join(parts, "; ") + ".";
}

/// Of one operation, the smallest size first: "broadcast of 8 B takes 7.46 µs, of 8 MiB 2.04 ms …".
std::string operation_text(const std::vector<CollectivePoint>& points) {
  const auto& least = points.front();
  const auto& most = points.back();
  if (most.size_bytes == 0)
    return cat(words(most.operation), " takes ", time_text(most.time_s.value));
  auto text = cat(words(least.operation), " of ", size_text(least.size_bytes), " takes ",
                  time_text(least.time_s.value));
  if (points.size() > 1)
    text += cat(", of ", size_text(most.size_bytes), " ", time_text(most.time_s.value));
  if (std::isfinite(most.bus_bytes_per_s()))
    text += cat(" (bus bandwidth ", text_of(most.bus_bytes_per_s(), bandwidth_units), ")");
  return text;
}

std::string paragraph_of(const CollectivesAnalysis& one,
                         std::int64_t ranks,
                         const StudyAnalysis& analysis) {
  std::map<CollectiveOperation, std::vector<CollectivePoint>> by_operation;
  bool is_checked = true;
  for (const auto& point : one.points) {
    if (point.ranks != ranks) continue;
    by_operation[point.operation].push_back(point);
    is_checked &= point.is_checked;
  }
  std::vector<std::string> parts;
  for (const auto& [operation, points] : by_operation) parts.push_back(operation_text(points));
  if (parts.empty()) return "";
  return cat(
      label_of(one, ranks, analysis), ", ", counted(ranks, "rank"),
      labels_of(one.series.by_ranks.at(ranks)), ": ", join(parts, "; "),
      is_checked ? ". Every element of every result was right." : ". Results were not checked.");
}

}  // namespace

std::string label_of(const CollectivesAnalysis& series,
                     std::int64_t ranks,
                     const StudyAnalysis& analysis) {
  const auto label = short_label(series, ranks);
  const auto is_like = [&](const CollectivesAnalysis& other) {
    return other.series.by_ranks.contains(ranks) && short_label(other, ranks) == label;
  };
  return std::ranges::count_if(analysis.collectives(), is_like) > 1 ? series.series.name : label;
}

ReportTable collectives_table(const StudyAnalysis& analysis) {
  ReportTable table{
      collectives_slug,
      "Times of a call, from the last rank's entering until the last one leaves; waiting for that "
      "rank is no part of it. Median: of each run's calls, then over the runs, with the 95 % "
      "interval where there are three. p99, the 99th percentile, needs 100 calls of each run. "
      "Algorithm bandwidth is size ÷ median, bus bandwidth that times the factor of nccl-tests: "
      "all-reduce "
      "2(p − 1)/p, all-gather and reduce-scatter (p − 1)/p, broadcast 1.",
      {{"back_end", "back-end", false},
       {"ranks", "ranks"},
       {"operation", "operation", false},
       {"size_bytes", "size"},
       {"runs", "runs"},
       {"calls", "calls"},
       {"median_s", "median"},
       {"p99_s", "p99"},
       {"max_s", "longest"},
       {"algorithm_bytes_per_s", "algorithm bandwidth"},
       {"bus_bytes_per_s", "bus bandwidth"}},
      {}};
  for (const auto& one : analysis.collectives())
    for (const auto& point : one.points)
      table.rows.push_back({text_cell(label_of(one, point.ranks, analysis)),
                            integer_cell(point.ranks),
                            text_cell(cat(point.operation)),
                            {point.size_bytes > 0 ? size_text(point.size_bytes) : missing_number,
                             cat(point.size_bytes)},
                            integer_cell(static_cast<std::int64_t>(point.time_s.count)),
                            integer_cell(point.calls),
                            time_cell(point.time_s),
                            shown_cell(time_text(point.p99_s), point.p99_s),
                            shown_cell(time_text(point.max_s), point.max_s),
                            bandwidth_cell(point.algorithm_bytes_per_s()),
                            bandwidth_cell(point.bus_bytes_per_s())});
  return table;
}

ReportTable collective_fits_table(const StudyAnalysis& analysis) {
  ReportTable table{
      "collectives-alpha-beta",
      "t = α + β · size through each run's medians, by least squares of relative errors: α is what "
      "a call costs without data, 1/β the algorithm bandwidth of large sizes. The largest "
      "misfit says how far to trust the line: no size's median is further from it.",
      {{"back_end", "back-end", false},
       {"ranks", "ranks"},
       {"operation", "operation", false},
       {"sizes", "sizes"},
       {"runs", "runs"},
       {"alpha_s", "α"},
       {"beta_s_per_byte", "β, ns per byte"},
       {"worst_residual_frac", "largest misfit"}},
      {}};
  const auto ns = [](double value_s) { return value_s * 1e9; };
  for (const auto& one : analysis.collectives())
    for (const auto& fit : one.fits) {
      const auto& beta = fit.beta_s_per_byte;
      table.rows.push_back(
          {text_cell(label_of(one, fit.ranks, analysis)),
           integer_cell(fit.ranks),
           text_cell(cat(fit.operation)),
           integer_cell(fit.sizes),
           integer_cell(static_cast<std::int64_t>(fit.alpha_s.count)),
           time_cell(fit.alpha_s),
           {with_interval(transformed(beta, ns)), exact(beta.value), beta.interval},
           shown_cell(percent(fit.worst_residual_frac), fit.worst_residual_frac)});
    }
  return table;
}

std::vector<Figure> collective_figures(const StudyAnalysis& analysis) {
  const auto curves = curves_of(analysis);
  if (curves.empty()) return {};
  auto time = figure_of(curves, "time", "time of a call, µs", 2);
  time.title = "Time of a call against its size";
  time.caption =
      "Median of each run's calls, geometric mean over runs; both axes are logarithmic. "
      "A call costs the same up to some size and in proportion to it beyond. " +
      facts(analysis);
  auto bandwidth = figure_of(curves, "bandwidth", "bus bandwidth, GB/s", 6);
  bandwidth.title = "Bus bandwidth against size";
  bandwidth.caption =
      "Size ÷ median time × the factor in the table: what the slowest link would "
      "carry in an optimal algorithm, whatever the number of ranks. " +
      facts(analysis);
  return {std::move(time), std::move(bandwidth)};
}

std::vector<std::string> collective_paragraphs(const StudyAnalysis& analysis) {
  std::vector<std::string> paragraphs;
  for (const auto& one : analysis.collectives())
    for (const auto& [ranks, runs] : one.series.by_ranks)
      if (auto text = paragraph_of(one, ranks, analysis); !text.empty())
        paragraphs.push_back(std::move(text));
  return paragraphs;
}

}  // namespace scalestudy
