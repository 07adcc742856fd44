/// Speed-up and efficiency of a published study: a colour and a marker per arm.

#include "analysis/report/published/published_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/text.hpp"

#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/plot/ranks_figure.hpp"
#include "analysis/report/published/published_report.hpp"

namespace scalestudy {
namespace {

struct Quantity {
  const char* slug;
  const char* title;
  const char* axis;  ///< null: the arms' metric
  double scale;
  Estimate (*value)(const PublishedPoint& point);
};

Estimate speedup_of(const PublishedPoint& point) {
  return point.to_base.factor();
}

constexpr std::array quantities{
    Quantity{"speedup", "Speed-up", "times as fast as the fewest ranks", 1, speedup_of},
    Quantity{"efficiency", "Efficiency", "speed-up ÷ growth of ranks, %", 100,
             [](const PublishedPoint& point) { return point.efficiency; }},
    Quantity{"quality", "Quality of the models", nullptr, 1, [](const PublishedPoint& point) {
               return Estimate{.value = mean(finite(point.quality))};
             }}};

std::vector<const ArmAnalysis*> drawn_arms(const PublishedAnalysis& analysis,
                                           const Quantity& quantity) {
  const auto is_drawn = [&](const PublishedPoint& point) {
    return !point.is_flawed && std::isfinite(quantity.value(point).value);
  };
  std::vector<const ArmAnalysis*> arms;
  for (const auto& arm : analysis.arms)
    if (arm.states_speedup() && std::ranges::any_of(arm.points, is_drawn)) arms.push_back(&arm);
  return arms;
}

/// One block of data per arm.
std::string tsv_of(const std::vector<const ArmAnalysis*>& arms, const Quantity& quantity) {
  std::string tsv;
  for (const auto* arm : arms) {
    tsv += cat(gnuplot_comment(arm->arm.name), "# ranks\t", quantity.slug, "\tlow\thigh\n");
    for (const auto& point : arm->points) {
      if (point.is_flawed) continue;
      const auto estimate =
          transformed(quantity.value(point), [&](double value) { return value * quantity.scale; });
      tsv += cat(point.ranks, '\t', limits(estimate), '\n');
    }
    tsv += "\n\n";
  }
  return tsv;
}

/// Rates stand beside total times in one figure: the legend says which are which.
std::string legend_of(const ArmAnalysis& arm, const Quantity& quantity) {
  if (quantity.axis == nullptr)
    return cat(arm.arm.name, arm.arm.quality_metric.empty() ? "" : ", ", arm.arm.quality_metric);
  const auto& ratio = arm.told().to_base;
  const auto base = ratio.base_ranks;
  return cat(arm.arm.name, ratio.has_total() ? "" : " (rate)",
             base == 1 ? "" : cat(", against ", base, " ranks"));
}

/// Of arms that start from different numbers of ranks there is no common one.
std::vector<std::string> ideal_plot(const std::vector<const ArmAnalysis*>& arms,
                                    const Quantity& quantity) {
  const auto base = arms.front()->told().to_base.base_ranks;
  const bool is_common = std::ranges::all_of(
      arms, [&](const auto* arm) { return arm->told().to_base.base_ranks == base; });
  const bool is_speedup = quantity.value == speedup_of;
  if (quantity.axis == nullptr || (is_speedup && !is_common)) return {};
  const auto ideal = is_speedup ? cat("x/", base, ".0") : cat(quantity.scale);
  return {cat(ideal, " with lines dt 2 lw 1.4 lc rgb '", palette[6].hex, "' title 'ideal'")};
}

std::string plots_of(const std::vector<const ArmAnalysis*>& arms,
                     const std::string& slug,
                     const Quantity& quantity) {
  const auto has_interval = [&](const PublishedPoint& point) {
    return quantity.value(point).interval.has_value();
  };
  auto plots = ideal_plot(arms, quantity);
  const auto file = gnuplot_quoted(slug + ".tsv");
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const auto colour = cat("lc rgb '", palette[i % palette_size].hex, "'");
    const auto data = cat(file, " index ", i, " using 1:2");
    if (std::ranges::any_of(arms[i]->points, has_interval))
      plots.push_back(cat(data, ":3:4 with yerrorbars pt 0 ps 0 lw 1.6 ", colour, " notitle"));
    plots.push_back(cat(data, " with points ps 0.7 pt ", filled_markers[i % filled_markers.size()],
                        " ", colour, " title ", gnuplot_quoted(legend_of(*arms[i], quantity))));
  }
  return cat("plot ", join(plots, ", \\\n     "), "\n");
}

std::set<std::int64_t> all_ranks(const std::vector<const ArmAnalysis*>& arms) {
  std::set<std::int64_t> ranks;
  for (const auto* arm : arms)
    for (const auto& point : arm->points)
      if (!point.is_flawed) ranks.insert(point.ranks);
  return ranks;
}

std::string axes_of(const std::vector<const ArmAnalysis*>& arms, const Quantity& quantity) {
  const auto ranks = all_ranks(arms);
  const auto most = static_cast<double>(*ranks.rbegin());
  return cat("set xlabel 'ranks'\nset ylabel ",
             gnuplot_quoted(quantity.axis == nullptr ? "metric" : quantity.axis), "\nset xtics (",
             join(ranks, ", "), ")\nset xrange [", 0.5, ":", 1.08 * most, "]\nset yrange [",
             quantity.axis == nullptr ? "*:*"
             : quantity.scale == 1    ? "0:*"
                                      : "0:110 < *",
             "]\nset key outside below center maxcols 2 font ',11'\n");
}

/// "; not drawn: 4 ranks (quality not reached)"
std::string not_drawn(const ArmAnalysis& arm) {
  std::vector<std::string> parts;
  for (const auto& point : arm.points)
    if (point.is_flawed) parts.push_back(cat(counted(point.ranks, "rank"), " (", point.flaws, ")"));
  return parts.empty() ? "" : cat("; not drawn: ", join(parts, ", "));
}

/// What every published figure says: absolute baselines, source, conditions.
std::string caption_of(const PublishedAnalysis& analysis,
                       const std::vector<const ArmAnalysis*>& arms,
                       const Quantity& quantity) {
  if (quantity.axis == nullptr)
    return cat("External, as published at ", source_of(analysis.study), ": ",
               analysis.study.workload, ". Means over launches.",
               std::ranges::all_of(arms, [](const auto* arm) { return arm->population.is_known; })
                   ? ""
                   : " On how many samples is not stated everywhere.",
               std::ranges::any_of(arms, [](const auto* arm) { return arm->population.differs; })
                   ? " Not all on as many samples."
                   : "");
  std::vector<std::string> parts;
  for (const auto* arm : arms) {
    const auto& base = arm->points.front();
    const auto absolute = absolute_text(analysis.study, *arm, base);
    parts.push_back(
        cat(arm->arm.name, " (", conditions_of(arm->arm), "; ", counted(base.ranks, "rank"), ": ",
            absolute.empty() ? "no absolute value published" : absolute, not_drawn(*arm), ")"));
  }
  return cat("External, as published at ", source_of(analysis.study), ": ", analysis.study.workload,
             ". ", join(parts, "; "),
             ". By total time, where only rates are published by the rate. Bars, from three "
             "launches each on: 95 % Welch t intervals on logarithms.");
}

}  // namespace

std::vector<Figure> published_figures(const PublishedAnalysis& analysis) {
  std::vector<Figure> figures;
  for (const auto& quantity : quantities) {
    const auto arms = drawn_arms(analysis, quantity);
    if (arms.empty()) continue;
    Figure figure;
    figure.section = FigureSection::speed;
    figure.slug = cat(analysis.slug, "-", quantity.slug);
    figure.title = quantity.title;
    figure.labels = external_label;
    figure.tsv = tsv_of(arms, quantity);
    figure.drawing = axes_of(arms, quantity) + plots_of(arms, figure.slug, quantity);
    figure.caption = caption_of(analysis, arms, quantity);
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace scalestudy
