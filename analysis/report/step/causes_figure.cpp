/// The waterfall from the ideal step over each cause to the measured one.

#include "analysis/report/step/causes_figure.hpp"

#include <algorithm>

#include "core/text.hpp"

#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// From the top down; in ms.
struct Bar {
  std::string label;
  double begin_ms = 0, end_ms = 0;
  Interval interval_ms;  ///< of the end
  std::size_t colour = 0;
};

/// Told apart in grey print, too: the supported ones are the darkest.
std::size_t colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::supported:
      return 1;
    case Verdict::undecided:
      return 4;
    case Verdict::refuted:
      break;
  }
  return 5;
}

std::string label_of(const CauseFinding& finding) {
  std::string name(to_string(finding.cause));
  std::ranges::replace(name, '_', ' ');
  return cat(name, ", ", to_string(finding.verdict));
}

std::vector<Bar> bars_of(const StepDecision& decision) {
  const double ideal_ms = decision.ideal_step_s * 1e3;
  std::vector<Bar> bars{{"perfect scaling", 0, ideal_ms, {}, 6}};
  double reached_ms = ideal_ms;
  for (const auto& finding : decision.findings) {
    const auto& growth_s = finding.is_bound ? finding.growth_s() : finding.column_s;
    // What takes away is no cause: it shows in the last part.
    const auto added_ms = [](double time_s) { return std::max(0.0, time_s * 1e3); };
    const double growth_ms = added_ms(growth_s.value);
    const auto spread = growth_s.interval.value_or(Interval{});
    bars.push_back({label_of(finding),
                    reached_ms,
                    reached_ms + growth_ms,
                    {reached_ms + added_ms(spread.low), reached_ms + added_ms(spread.high)},
                    colour_of(finding.verdict)});
    reached_ms += growth_ms;
  }
  const double measured_ms = ideal_ms + decision.loss_s.value * 1e3;
  const auto spread = decision.loss_s.interval.value_or(Interval{});
  bars.push_back({"in no cause", reached_ms, measured_ms, {}, 7});
  bars.push_back(
      {"measured", 0, measured_ms, {ideal_ms + spread.low * 1e3, ideal_ms + spread.high * 1e3}, 6});
  return bars;
}

std::string tsv_of(const std::vector<Bar>& bars) {
  std::string tsv = "# row\tlabel\tbegin_ms\tend_ms\tlow_ms\thigh_ms\tcolour\n";
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    tsv += cat(bars.size() - i, "\t\"", bar.label, "\"\t", plotted(bar.begin_ms), '\t',
               plotted(bar.end_ms), '\t', plotted(bar.interval_ms.low), '\t',
               plotted(bar.interval_ms.high), '\t', bar.colour, '\n');
  }
  return tsv;
}

/// What was lost fills a third of the axis at least.
double axis_begin_ms(const StepDecision& decision) {
  const double loss_s = std::max(decision.loss_s.value, 0.05 * decision.ideal_step_s);
  return std::max(0.0, decision.ideal_step_s - 2 * loss_s) * 1e3;
}

std::string drawing_of(const std::string& slug, const std::vector<Bar>& bars, double begin_ms) {
  const std::string file = gnuplot_quoted(slug + ".tsv");
  std::vector<std::string> plots, ticks;
  for (std::size_t i = 0; i < bars.size(); ++i)
    ticks.push_back(cat(gnuplot_quoted(bars[i].label), ' ', bars.size() - i));
  for (const std::size_t colour : {6, 1, 4, 5, 7})
    plots.push_back(cat(file, " using 3:($7==", colour,
                        "?$1:NaN):3:4:($1-0.32):($1+0.32) with boxxyerror lc rgb '",
                        palette[colour].hex, "' notitle"));
  plots.push_back(
      cat(file, " using 4:1:5:6 with xerrorbars pt 0 lw 1.6 lc rgb '", ink.hex, "' notitle"));
  return cat("set style fill solid noborder\nset yrange [0.4:", bars.size(), ".6]\nset xrange [",
             plotted(begin_ms), ":*]\nset xlabel 'step, ms'\nset ytics scale 0 (",
             join(ticks, ", "), ")\nset lmargin 26\nplot ", join(plots, ", \\\n     "), "\n");
}

}  // namespace

std::optional<Figure> causes_figure(const SeriesAnalysis& analysis) {
  if (analysis.causes.empty() || !is_plottable(analysis.causes.front().ideal_step_s * 1e3))
    return std::nullopt;
  const auto& decision = analysis.causes.front();
  const auto bars = bars_of(decision);
  Figure figure;
  figure.section = FigureSection::causes;
  figure.slug = analysis.series.slug + "-causes";
  figure.title = cat("Why a step of ", ranks_in_words(decision.ranks, false), " is longer");
  figure.tsv = tsv_of(bars);
  const double begin_ms = axis_begin_ms(decision);
  figure.drawing = drawing_of(figure.slug, bars, begin_ms);
  figure.caption =
      cat("From perfect scaling of the one-rank step to the measured one: what each cause adds, as "
          "the records of the runs say.",
          decision.loss_s.interval
              ? " Lines: 95 % intervals of what a cause adds, and of the whole loss."
              : "",
          begin_ms > 0 ? " The axis does not begin at 0." : "");
  return figure;
}

}  // namespace scalestudy
