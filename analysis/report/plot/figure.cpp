#include "analysis/report/plot/figure.hpp"

#include <algorithm>
#include <vector>

#include "core/text.hpp"

#include "analysis/report/assets.hpp"
#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

std::string batches(const SeriesAnalysis& analysis) {
  std::vector<std::string> global;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    global.push_back(
        cat(runs.front()->spec.plan.global_batch_size, " at ", ranks_in_words(ranks, false)));
  }
  return cat("global batch ", join(global, ", "));
}

std::string run_counts(const SeriesAnalysis& analysis) {
  std::vector<std::string> counts;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    const auto timed = static_cast<std::size_t>(std::count_if(
        runs.begin(), runs.end(), [](const Run* run) { return run->is_timing_data(); }));
    counts.push_back(cat(counted(runs.size(), "run"), " at ", ranks_in_words(ranks, false),
                         timed < runs.size() ? cat(" (times: ", timed, ")") : ""));
  }
  return join(counts, ", ");
}

std::string precision_of(const Run& run) {
  for (const std::string& text : {run.record.effective_settings, run.record.resolved_settings}) {
    if (std::string found = value_named(flatten_json(text), "precision"); !found.empty()) {
      return found;
    }
  }
  return "precision not recorded";
}

std::string label_fact(const Series& series) {
  const auto labels = label_list(series);
  return labels.empty() ? "" : " · label: " + labels;
}

/// "# Labels: emulated_link", a line of TSV and script.
std::string label_comment(const Figure& figure) {
  return figure.labels.empty() ? "" : gnuplot_comment("Labels: " + figure.labels);
}

/// A small line above the legend, or several: a picture is shown without its caption, too.
std::string label_title(const Figure& figure) {
  constexpr std::size_t most_letters = 70;
  if (figure.labels.empty()) return "";
  std::vector<std::string> lines{"label:"};
  for (const auto& word : split(label_words(figure.labels), ' ')) {
    if (lines.back().size() + word.size() < most_letters)
      lines.back() += " " + word;
    else
      lines.push_back(word);
  }
  for (auto& line : lines) line = gnuplot_quoted(line);
  return cat("set title ", join(lines, ".\"\\n\"."), " font ',11' textcolor rgb ink\n");
}

}  // namespace

std::string caption_facts(const SeriesAnalysis& analysis) {
  const RunSpec& spec = analysis.series.spec;
  const Run& run = *analysis.series.by_ranks.begin()->second.front();
  return cat(spec.workload, " · ", spec.settings.device, " · ", precision_of(run), " · ",
             batches(analysis), " · ", spec.scaling_rule, " · ", scaling_words(analysis), " · ",
             spec.input, " input · ", spec.reduction, " · ", run_counts(analysis),
             label_fact(analysis.series));
}

std::string figure_data(const Figure& figure) {
  return label_comment(figure) + figure.tsv;
}

std::string gnuplot_script(const Figure& figure) {
  const std::string colours = cat("ink = '", ink.hex, "'\nfaint = '", faint.hex, "'\n");
  const std::string name = figure.slug;
  return cat(gnuplot_comment(cat(figure.title, ". Draw again with: gnuplot ", name, ".gp")),
             label_comment(figure), colours, assets::preamble_gp, label_title(figure),
             "set terminal svg size 520,380 dynamic noenhanced font 'sans-serif,14' background "
             "'#ffffff'\nset output ",
             gnuplot_quoted(name + ".svg"), "\n", figure.drawing,
             "set terminal pdfcairo size 13cm,9.5cm noenhanced font 'sans-serif,11'\nset output ",
             gnuplot_quoted(name + ".pdf"), "\nreplot\nunset output\n");
}

}  // namespace scalestudy
