#include "analysis/report/published/overlay.hpp"

#include <array>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/plot/ranks_figure.hpp"
#include "analysis/report/published/published_report.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

constexpr std::array hollow_markers{6, 4, 8, 12, 10, 14};

/// An arm with the study that it is of.
struct Drawn {
  const PublishedStudy* study;
  const ArmAnalysis* arm;
};

/// The figure's axis is "times as fast as one rank".
bool can_be_drawn(const ArmAnalysis& arm) {
  return arm.states_speedup() && arm.told().to_base.base_ranks == 1;
}

std::vector<Drawn> drawn_arms(const std::vector<PublishedAnalysis>& overlays) {
  std::vector<Drawn> drawn;
  for (const auto& one : overlays)
    for (const auto& arm : one.arms)
      if (can_be_drawn(arm)) drawn.push_back({&one.study, &arm});
  return drawn;
}

std::string name_of(const Drawn& drawn) {
  return cat("external: ", drawn.study->name, ", ", drawn.arm->arm.name,
             drawn.arm->told().to_base.has_total() ? "" : " (rate)");
}

std::string tsv_block(const Drawn& drawn) {
  const bool has_total = drawn.arm->told().to_base.has_total();
  auto tsv = cat("\n\n# ", name_of(drawn), "\n# ranks\tspeedup\n");
  for (const auto& point : drawn.arm->points) {
    const auto& ratio = point.to_base;
    if (point.is_flawed) continue;
    tsv += cat(point.ranks, '\t', plotted((has_total ? ratio.total : ratio.rate).value), '\n');
  }
  return tsv;
}

/// Room for ranks that the study does not have.
std::string axes_of(const SeriesAnalysis& analysis, const std::vector<Drawn>& drawn) {
  auto ranks = ranks_of(analysis);
  for (const auto& one : drawn)
    for (const auto& point : one.arm->points) ranks.insert(point.ranks);
  for (const auto& asked : analysis.prediction.asked)
    if (asked.prediction) ranks.insert(asked.ranks);
  return rank_axis(ranks) + "set key outside below center maxcols 2 font ',11'\n";
}

/// "device A100 (here cpu)"; "" where both are the same.
std::string difference_in(const char* what, const std::string& theirs, const std::string& ours) {
  if (!theirs.empty() && in_lower_case(theirs) == in_lower_case(ours)) return "";
  return cat(what, " ", theirs.empty() ? "not stated" : theirs, " (here ", ours, ")");
}

std::string differences(const SeriesAnalysis& analysis, const Drawn& drawn) {
  const auto& spec = analysis.series.spec;
  const auto& arm = drawn.arm->arm;
  const auto& base = *analysis.series.by_ranks.begin()->second.front();
  const double batch = drawn.arm->points.front().global_batch_size;
  const auto rule =
      arm.scaling_rule == PublishedRule::not_stated ? "" : std::string(to_string(arm.scaling_rule));
  std::vector<std::string> parts{
      difference_in("workload", drawn.study->workload, spec.workload),
      difference_in("device", arm.device, std::string(to_string(spec.settings.device))),
      difference_in("precision", arm.precision, std::string(to_string(spec.settings.precision))),
      difference_in("rule", rule, std::string(to_string(spec.scaling_rule))),
      difference_in("global batch of one rank", std::isfinite(batch) ? compact(batch) : "",
                    cat(base.spec.plan.global_batch_size))};
  std::erase(parts, "");
  return join(parts, ", ");
}

std::string base_text(const Drawn& drawn) {
  const auto text = absolute_text(*drawn.study, *drawn.arm, drawn.arm->points.front());
  return text.empty() ? "no absolute value published" : cat("one rank: ", text);
}

std::string not_drawn(const std::vector<PublishedAnalysis>& overlays) {
  std::vector<std::string> names;
  for (const auto& one : overlays)
    for (const auto& arm : one.arms)
      if (!can_be_drawn(arm)) names.push_back(cat(one.study.name, ", ", arm.arm.name));
  if (names.empty()) return "";
  return cat(" Not drawn, for want of a published speed-up against one rank: ", join(names, "; "),
             ".");
}

}  // namespace

void add_overlays(Figure& speedup,
                  const SeriesAnalysis& analysis,
                  const std::vector<PublishedAnalysis>& overlays) {
  const auto drawn = drawn_arms(overlays);
  if (overlays.empty()) return;
  speedup.caption += " " + overlay_sentences(analysis, overlays);
  if (drawn.empty()) return;
  const auto file = gnuplot_quoted(speedup.slug + ".tsv");
  const auto blocks_before = data_block_count(speedup.tsv);
  constexpr std::size_t colours_before = 3;
  while (speedup.drawing.ends_with('\n')) speedup.drawing.pop_back();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    speedup.tsv += tsv_block(drawn[i]);
    speedup.drawing +=
        cat(", \\\n     ", file, " index ", blocks_before + i, " using 1:2 with points pt ",
            hollow_markers[i % hollow_markers.size()], " ps 0.9 lw 1.4 lc rgb '",
            palette[(colours_before + i) % palette_size].hex, "' title ",
            gnuplot_quoted(name_of(drawn[i])));
  }
  speedup.drawing += '\n';
  speedup.drawing.insert(speedup.drawing.find("plot "), axes_of(analysis, drawn));
}

std::string overlay_sentences(const SeriesAnalysis& analysis,
                              const std::vector<PublishedAnalysis>& overlays) {
  if (overlays.empty()) return "";
  std::vector<std::string> parts;
  for (const auto& one : drawn_arms(overlays))
    parts.push_back(cat(name_of(one), " (", source_of(*one.study), "; ", base_text(one),
                        "): ", differences(analysis, one)));
  return cat(
      "Hollow points are published, not measured here, and in no ratio with these runs; "
      "each is against its own run with one rank. They differ from this study: ",
      parts.empty() ? "none is drawn" : join(parts, "; "), ".", not_drawn(overlays));
}

}  // namespace scalestudy
