#include "analysis/report/step/bucket_timeline.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"

#include "analysis/report/plot/gnuplot.hpp"

namespace scalestudy {
namespace {

const Run* first_with_buckets(const Series& series) {
  const auto& [ranks, runs] = *series.by_ranks.rbegin();
  if (ranks == 1) return nullptr;
  const auto found = std::find_if(runs.begin(), runs.end(), [](const Run* run) {
    return run->is_timing_data() && run->digest.typical_step.has_value();
  });
  return found == runs.end() ? nullptr : *found;
}

/// Ranks begin a step at different times; the first one's begin is 0.
std::vector<double> starts_s(const BucketStep& step) {
  auto starts_s = step.start_s;
  const double first_s = *std::min_element(starts_s.begin(), starts_s.end());
  for (double& start_s : starts_s) start_s -= first_s;
  return starts_s;
}

/// One bucket of one rank.
struct TimelineRow {
  std::int64_t rank = 0;
  std::int64_t bucket = 0;
  std::int64_t size_bytes = 0;
  /// Step's start, ready, entered, all arrived, left, step's end.
  std::array<double, 6> times_ms{};

  [[nodiscard]] bool is_drawable() const {
    return std::all_of(times_ms.begin(), times_ms.end(), is_plottable);
  }
};

std::vector<TimelineRow> rows_of(const BucketStep& step) {
  const auto starts = starts_s(step);
  std::vector<TimelineRow> rows;
  for (const BucketRow& bucket : step.buckets) {
    const double step_s = step.step_s[static_cast<std::size_t>(bucket.rank)];
    TimelineRow row{
        bucket.rank,
        bucket.bucket,
        bucket.size_bytes,
        {0, bucket.ready_s, bucket.entered_s, bucket.all_arrived_s, bucket.left_s, step_s}};
    for (double& time : row.times_ms)
      time = (starts[static_cast<std::size_t>(bucket.rank)] + time) * 1e3;
    if (row.is_drawable()) rows.push_back(row);
  }
  return rows;
}

std::string timeline_tsv(const std::vector<TimelineRow>& rows) {
  std::string tsv =
      "# rank\tbucket\tsize_bytes\tstep_start\tready\tentered\tall_arrived\tleft\tstep_end  (times "
      "in ms)\n";
  for (const TimelineRow& row : rows) {
    tsv += cat(row.rank, '\t', row.bucket, '\t', row.size_bytes);
    for (const double time_ms : row.times_ms) tsv += cat('\t', plotted(time_ms));
    tsv += '\n';
  }
  return tsv;
}

/// Where a bucket waits or moves: from one column of the TSV to the next.
struct Stage {
  int from_column;
  std::size_t colour;  ///< waiting and transfer as in the figure of phases
  const char* title;
};
constexpr Stage stages[] = {{5, 6, "until its turn"}, {6, 1, "peer wait"}, {7, 8, "transfer"}};

/// Of more rows nothing would be seen; the data have all.
constexpr std::int64_t most_drawn_ranks = 8;

/// Each rank has a row, each bucket a lane in it.
std::string timeline_drawing(const std::string& file, std::int64_t ranks, std::int64_t lanes) {
  const std::string top = cat("($1-0.4+0.8*$2/", lanes, ".)");
  const std::string bottom = cat("($1-0.4+0.8*($2+1)/", lanes, ".)");
  std::vector<std::string> plots{cat(
      file, " using 4:1:4:9:($1-0.45):($1+0.45) with boxxyerror fs empty border lw 0.8 lc rgb '",
      faint.hex, "' title 'step'")};
  for (const Stage& stage : stages) {
    const int from = stage.from_column;
    plots.push_back(cat(file, " using ", from, ":1:", from, ":", from + 1, ":", top, ":", bottom,
                        " with boxxyerror fs solid noborder lc rgb '", palette[stage.colour].hex,
                        "' title ", gnuplot_quoted(stage.title)));
  }
  return cat("set xlabel 'after the start of the step, ms'\nset ylabel 'rank'\nset ytics 1\n",
             "set xrange [0:*]\nset yrange [", std::min(ranks, most_drawn_ranks),
             " - 0.5:-0.5]\nplot ", join(plots, ", \\\n     "), "\n");
}

}  // namespace

std::optional<Figure> bucket_timeline(const SeriesAnalysis& analysis) {
  const Run* run = first_with_buckets(analysis.series);
  if (run == nullptr) return std::nullopt;
  const BucketStep& step = *run->digest.typical_step;
  const auto rows = rows_of(step);
  if (rows.empty()) return std::nullopt;
  std::int64_t lanes = 1;
  for (const TimelineRow& row : rows) lanes = std::max(lanes, row.bucket + 1);
  Figure figure;
  figure.section = FigureSection::step;
  figure.slug = analysis.series.slug + "-bucket-timeline";
  figure.title = "Buckets of a step";
  figure.tsv = timeline_tsv(rows);
  figure.drawing = timeline_drawing(gnuplot_quoted(figure.slug + ".tsv"), run->spec.ranks, lanes);
  figure.caption =
      cat("Gradients on their way in one step, the median one of the steady steps of ",
          run->spec.run_id(), " (step ", step.step,
          "). From ready: until the rank hands the bucket over, "
          "until the slowest rank has done so, until the sum is there; first bucket on top.",
          run->spec.ranks > most_drawn_ranks
              ? cat(" The first ", most_drawn_ranks, " of ", run->spec.ranks,
                    " ranks are drawn; the data have all.")
              : "",
          analysis.series.has_label(RunLabel::no_spare_core)
              ? " Threads that move gradients had no core of their own here: transfer contains "
                "waiting for one."
              : "");
  return figure;
}

}  // namespace scalestudy
