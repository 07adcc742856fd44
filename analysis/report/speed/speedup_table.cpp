#include "analysis/report/speed/speedup_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// Only where rank counts do the same work as one.
bool has_serial_fraction(const SeriesAnalysis& analysis) {
  return std::ranges::any_of(analysis.speedup, [](const SpeedupPoint& p) {
    return p.ranks > 1 && std::isfinite(p.serial_fraction.value);
  });
}

/// Speaks only of what the table shows.
std::string speedup_caption(const SeriesAnalysis& analysis) {
  const auto& points = analysis.speedup;
  const bool has_ratios = std::ranges::any_of(
      points, [](const SpeedupPoint& p) { return p.ranks > 1 && std::isfinite(p.training.value); });
  const bool has_means = std::ranges::any_of(points, [](const auto& p) { return p.launches > 1; });
  const bool has_intervals =
      std::ranges::any_of(points, [](const auto& p) { return p.training.interval.has_value(); });
  std::string caption =
      cat(has_ratios ? "Speed-up against one rank, from launch" : "Launch",
          " (exec to exit, less what only measuring takes where it was recorded), training clock "
          "and steady throughput.");
  if (has_means) caption += " Times and rates are geometric means over launches.";
  if (has_intervals) caption += " 95 % intervals in brackets.";
  if (has_serial_fraction(analysis))
    caption +=
        " Serial fraction (Karp and Flatt): the share of the work that would have to be done one "
        "after the other to explain the training speed-up; above 1 more ranks were slower.";
  return caption;
}

}  // namespace

ReportTable speedup_table(const SeriesAnalysis& analysis) {
  ReportTable table{analysis.series.slug + "-speedup",
                    speedup_caption(analysis),
                    {{"ranks", "ranks"},
                     {"launches", "runs"},
                     {"launch_time_s", "launch"},
                     {"training_time_s", "training"},
                     {"samples_per_s", "samples/s"},
                     {"launch_speedup", "speed-up, launch"},
                     {"training_speedup", "speed-up, training"},
                     {"throughput_speedup", "speed-up, throughput"},
                     {"training_efficiency", "efficiency, training"}},
                    {}};
  const bool has_fraction = has_serial_fraction(analysis);
  if (has_fraction) table.columns.push_back({"serial_fraction", "serial fraction"});
  for (const SpeedupPoint& p : analysis.speedup) {
    std::vector<TableCell> row{
        integer_cell(p.ranks), integer_cell(p.launches), duration_cell(p.absolute.launch_time_s),
        duration_cell(p.absolute.training_time_s), number_cell(p.absolute.samples_per_s, 4)};
    for (const Estimate* e : {&p.launch, &p.training, &p.throughput}) {
      row.push_back(ratio_cell(p.ranks, *e));
    }
    row.push_back(shown_cell(percent(p.efficiency.value), p.efficiency));
    if (has_fraction)
      row.push_back(p.ranks == 1 ? text_cell("") : estimate_cell(p.serial_fraction, 2));
    table.rows.push_back(row);
    add_file_cells(table,
                   {{"throughput_efficiency", estimate_cell(p.throughput_efficiency)},
                    {"superlinear_unexplained", yes_no_cell(p.superlinear_unexplained), false},
                    {"interval_method", text_cell(describe(p.training)), false}});
  }
  return table;
}

}  // namespace scalestudy
