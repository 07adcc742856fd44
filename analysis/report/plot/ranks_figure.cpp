#include "analysis/report/plot/ranks_figure.hpp"

#include <cmath>
#include <vector>

#include "core/text.hpp"

#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {

bool has_speedup(const SeriesAnalysis& analysis) {
  return analysis.series.by_ranks.count(1) == 1 && analysis.series.by_ranks.size() > 1;
}

std::set<std::int64_t> ranks_of(const SeriesAnalysis& analysis) {
  std::set<std::int64_t> ranks;
  for (const auto& [count, runs] : analysis.series.by_ranks) ranks.insert(count);
  return ranks;
}

std::string rank_axis(const std::set<std::int64_t>& ranks, double before, double behind) {
  const auto most = static_cast<double>(*ranks.rbegin());
  return cat("set xtics (", join(ranks, ", "), ")\nset xrange [", 1 - before * most, ":",
             (1 + behind) * most, "]\n");
}

std::string limits(const Estimate& estimate) {
  const Interval interval = estimate.interval.value_or(Interval{});
  return cat(plotted(estimate.value), '\t', plotted(interval.low), '\t', plotted(interval.high));
}

std::string run_speedups(const SeriesAnalysis& analysis) {
  const double base_s = analysis.speedup.front().absolute.training_time_s;
  std::string tsv = "\n\n# ranks\ttraining, each run\n";
  for (const auto& [ranks, runs] : analysis.series.by_ranks)
    for (const double time_s : analysis.series.group(ranks).values(&SummaryRow::training_time_s))
      tsv += cat(ranks, '\t', plotted(base_s / time_s), '\n');
  return tsv;
}

std::string base_in_absolute_units(const SeriesAnalysis& analysis) {
  for (const SpeedupPoint& p : analysis.speedup) {
    if (p.ranks != 1) continue;
    const AbsoluteTimes& base = p.absolute;
    std::vector<std::string> parts;
    if (std::isfinite(base.samples_per_s))
      parts.push_back(significant(base.samples_per_s, 4) + " samples/s");
    if (std::isfinite(base.training_time_s))
      parts.push_back("training " + duration(base.training_time_s));
    if (std::isfinite(base.launch_time_s))
      parts.push_back("launch " + duration(base.launch_time_s));
    if (parts.empty()) return "No times of one rank.";
    return cat("One rank: ", join(parts, ", "), ".");
  }
  return "No run with one rank.";
}

std::string bars(const SeriesAnalysis& analysis) {
  std::vector<std::string> methods;
  std::vector<std::string> without;
  bool has_two_speeds = false;
  for (const SpeedupPoint& p : analysis.speedup) {
    if (p.ranks == 1) continue;
    const Estimate& s = p.training;
    if (s.interval) add_unique(methods, describe(s));
    if (!s.interval) without.push_back(ranks_in_words(p.ranks, false));
    has_two_speeds |= s.method == IntervalMethod::two_speeds;
  }
  const std::string why =
      has_two_speeds ? "launches run at two speeds."
                     : cat("an interval needs ", minimum_launches_for_interval, " runs each.");
  if (methods.empty()) return without.empty() ? "" : "No bars: " + why;
  return cat("Bars: ", join(methods, "; "),
             without.empty() ? "." : cat("; none at ", join(without, ", "), ": ", why));
}

}  // namespace scalestudy
