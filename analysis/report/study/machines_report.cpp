#include "analysis/report/study/machines_report.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.hpp"
#include "core/visible.hpp"

#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/plot/ranks_figure.hpp"
#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// "two ranks 47.2 samples/s in 27 s, 1.81 (1.77–1.85) times as fast as one".
std::string reached(const SpeedupPoint& p) {
  const auto ratio = p.ranks > 1 && std::isfinite(p.training.value)
                         ? cat(", ", with_interval(p.training), " times as fast as one")
                         : "";
  return cat(ranks_in_words(p.ranks, false), " ", significant(p.absolute.samples_per_s, 4),
             " samples/s in ", duration(p.absolute.training_time_s), ratio);
}

std::string reached_on(const MachineCurve& curve) {
  std::vector<std::string> parts;
  for (const SpeedupPoint& p : curve.analysis->speedup)
    if (p.launches > 0) parts.push_back(reached(p));
  const auto labels = label_words(label_list(curve.analysis->series));
  return cat(curve.label, labels.empty() ? "" : cat(" (", labels, ")"), ": ",
             parts.empty() ? "no run whose times count" : join(parts, "; "), ".");
}

/// "machine, build and libraries".
std::string in_a_row(std::vector<std::string> nouns) {
  const auto last = nouns.back();
  nouns.pop_back();
  return nouns.empty() ? last : cat(join(nouns, ", "), " and ", last);
}

bool has_labels(const MachineComparison& comparison) {
  return std::ranges::any_of(comparison.curves, [](const MachineCurve& curve) {
    return !label_list(curve.analysis->series).empty();
  });
}

std::vector<TableCell> machine_row(const MachineCurve& curve, const SpeedupPoint& p) {
  return {text_cell(curve.label),
          integer_cell(p.ranks),
          integer_cell(static_cast<std::int64_t>(p.launches)),
          number_cell(p.absolute.samples_per_s, 4),
          shown_cell(duration(p.absolute.training_time_s), p.absolute.training_time_s),
          ratio_cell(p.ranks, p.training),
          shown_cell(percent(p.efficiency.value), p.efficiency.value),
          text_cell(label_list(curve.analysis->series)),
          text_cell(curve.analysis->series.name)};
}

std::vector<const MachineCurve*> drawn_curves(const MachineComparison& comparison) {
  std::vector<const MachineCurve*> drawn;
  for (const MachineCurve& curve : comparison.curves)
    if (has_speedup(*curve.analysis)) drawn.push_back(&curve);
  return drawn;
}

/// Two blocks of data per machine: means, and single runs.
std::string machine_blocks(const std::vector<const MachineCurve*>& curves) {
  std::string tsv;
  for (const MachineCurve* curve : curves) {
    tsv += cat(gnuplot_comment(curve->label), "# ranks\ttraining\tlow\thigh\n");
    for (const SpeedupPoint& p : curve->analysis->speedup)
      tsv += cat(p.ranks, '\t', limits(p.training), '\n');
    tsv += run_speedups(*curve->analysis) + "\n\n";
  }
  return tsv;
}

/// Machines stand side by side at each number of ranks, the dots of their runs left of the mean.
std::string machine_plots(const std::vector<const MachineCurve*>& curves,
                          const std::string& file,
                          double most_ranks) {
  std::vector<std::string> plots{
      cat("x with lines dt 2 lw 1.4 lc rgb '", palette[6].hex, "' title 'ideal'")};
  const double gap = std::min(0.05, 0.2 / static_cast<double>(curves.size())) * most_ranks;
  const double middle = 0.5 * static_cast<double>(curves.size() - 1);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const double shift = (static_cast<double>(i) - middle) * gap;
    const auto colour = cat("lc rgb '", palette[i % palette_size].hex, "'");
    const auto means = cat(file, " index ", 2 * i, " using ($1+", shift, "):2");
    plots.push_back(cat(means, ":3:4 with yerrorbars pt 0 ps 0 lw 1.6 ", colour, " notitle"));
    plots.push_back(cat(means, " with points ps 0.7 pt ", filled_markers[i % filled_markers.size()],
                        " ", colour, " title ", gnuplot_quoted(curves[i]->label)));
    plots.push_back(cat(file, " index ", 2 * i + 1, " using ($1+", shift - 0.4 * gap,
                        "):2 with points pt 7 ps 0.25 ", colour, " notitle"));
  }
  return join(plots, ", \\\n     ");
}

std::set<std::int64_t> ranks_of_all(const std::vector<const MachineCurve*>& curves) {
  std::set<std::int64_t> ranks;
  for (const MachineCurve* curve : curves) ranks.merge(ranks_of(*curve->analysis));
  return ranks;
}

std::string facts_of(const std::vector<const MachineCurve*>& curves) {
  std::string facts;
  for (const MachineCurve* curve : curves)
    facts += cat(" ", curve->label, ": ", base_in_absolute_units(*curve->analysis), " ",
                 bars(*curve->analysis), " ", caption_facts(*curve->analysis), ".");
  return facts;
}

std::string labels_of_all(const std::vector<const MachineCurve*>& curves) {
  std::vector<std::string> labels;
  for (const MachineCurve* curve : curves)
    for (const auto& label : labels_of(curve->analysis->series)) add_unique(labels, label);
  return join(labels, "; ");
}

}  // namespace

ReportTable machines_table(const MachineComparison& comparison) {
  ReportTable table{
      comparison.slug,
      "Machines side by side: geometric means over launches; speed-up and efficiency of the "
      "training are those of each machine against its own one rank, with 95 % intervals in "
      "brackets. No row is a repetition of another machine's.",
      {{"machine", "machine", false},
       {"ranks", "ranks"},
       {"launches", "runs"},
       {"samples_per_s", "samples/s"},
       {"training_time_s", "training"},
       {"training_speedup", "speed-up"},
       {"training_efficiency", "efficiency"},
       {"labels", "labels", false, has_labels(comparison)},
       {"series", "series", false, false}},
      {}};
  for (const MachineCurve& curve : comparison.curves)
    for (const SpeedupPoint& p : curve.analysis->speedup)
      table.rows.push_back(machine_row(curve, p));
  return table;
}

std::optional<Figure> machines_figure(const MachineComparison& comparison) {
  const auto curves = drawn_curves(comparison);
  if (curves.size() < 2) return std::nullopt;
  const auto ranks = ranks_of_all(curves);
  Figure figure;
  figure.section = FigureSection::speed;
  figure.slug = comparison.slug + "-speedup";
  figure.title = "Training speed-up of each machine";
  figure.labels = labels_of_all(curves);
  figure.tsv = machine_blocks(curves);
  figure.drawing =
      cat("set xlabel 'ranks'\nset ylabel 'times as fast as its own one rank'\n", rank_axis(ranks),
          "set yrange [0:*]\n", "set key outside below center maxcols 1 font ',11'\nplot ",
          machine_plots(curves, gnuplot_quoted(figure.slug + ".tsv"),
                        static_cast<double>(*ranks.rbegin())),
          "\n");
  figure.caption =
      cat("Each machine against its own one rank: what is higher here may be slower "
          "in samples/s. Small dots: each run's training.",
          facts_of(curves));
  return figure;
}

std::string machines_sentences(const MachineComparison& comparison) {
  std::string text;
  for (const MachineCurve& curve : comparison.curves) text += reached_on(curve) + " ";
  return cat(text, "Not one experiment: the ", in_a_row(comparison.differences),
             comparison.differences.size() == 1 ? " differs" : " differ",
             ", and the runs of one machine were not made in turn with those of another. "
             "What else changed between them is in the difference; no ratio between machines is "
             "stated.");
}

}  // namespace scalestudy
