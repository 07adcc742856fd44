/// Where the wall time of launches goes.

#include "analysis/report/speed/launch_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

TableCell time_and_share(double time_s, double wall_s) {
  auto cell = shown_cell(significant(time_s, 3), time_s);
  cell.detail = percent(time_s / wall_s);
  return cell;
}

std::string caption_of(const std::vector<LaunchComposition>& launches) {
  double worst_frac = 0;
  for (const auto& launch : launches)
    worst_frac = std::max(worst_frac, launch.worst_unexplained_frac);
  return cat(
      "A launch's wall time by parts: means over runs in seconds, and their share. Each part is "
      "measured on its own by rank 0; start and end of the processes are the gaps between its "
      "times and the driver's. What they do not add up to is unexplained, in no run more than ",
      percent(std::ceil(worst_frac * 1e3) / 1e3), " of its wall time.");
}

}  // namespace

ReportTable launch_table(const SeriesAnalysis& analysis) {
  const auto& launches = analysis.launches;
  ReportTable table{cat(analysis.series.slug, "-launch-parts"),
                    caption_of(launches),
                    {{"part", "part of the launch", /*is_number=*/false}},
                    {}};
  if (launches.empty()) return table;
  for (const auto& launch : launches)
    table.columns.push_back({cat("ranks_", launch.ranks, "_s"), counted(launch.ranks, "rank")});
  const auto add_row = [&](const TableCell& part, const auto& time_of) {
    const auto is_nothing = [&](const auto& launch) { return time_of(launch.mean) == 0; };
    if (std::all_of(launches.begin(), launches.end(), is_nothing)) return;
    std::vector<TableCell> row{part};
    for (const auto& launch : launches)
      row.push_back(time_and_share(time_of(launch.mean), launch.mean.wall_s));
    table.rows.push_back(row);
  };
  for (std::size_t i = 0; i < launch_part_count; ++i) {
    const LaunchPart& part = launch_parts()[i];
    add_row({std::string(part.label), std::string(part.name)},
            [i](const LaunchTimes& times) { return times.part_s[i]; });
  }
  add_row({"unexplained", "unexplained_s"},
          [](const LaunchTimes& times) { return times.unexplained_s; });
  add_row({"launch to exit", "launch_wall_time_s"},
          [](const LaunchTimes& times) { return times.wall_s; });
  return table;
}

}  // namespace scalestudy
