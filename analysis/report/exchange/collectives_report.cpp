#include "analysis/report/exchange/collectives_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"

#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/report/text/quantities.hpp"
#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

std::string short_label(const CollectivesAnalysis& one, std::int64_t ranks) {
  const Run& run = *one.series.by_ranks.at(ranks).front();
  const auto type = value_named(flatten_json(run.record.resolved_settings), "element_type");
  return cat(run.spec.carried_by(), type.empty() || type == "float32" ? "" : ", " + type);
}

TableCell bandwidth_cell(double bytes_per_s) {
  return shown_cell(bandwidth_text(bytes_per_s), bytes_per_s);
}

TableCell label_cell(const CollectivesAnalysis& one, std::int64_t ranks) {
  return text_cell(join(labels_of(one.series.by_ranks.at(ranks)), "; "));
}

TableCell time_cell(const Estimate& estimate_s) {
  return shown_cell(time_text(estimate_s), estimate_s);
}

/// An interval this wide, high ÷ low, tells no time of its own.
constexpr double most_spread = 2;

bool is_determined(const Estimate& time_s) {
  return !time_s.interval || time_s.interval->high <= most_spread * time_s.interval->low;
}

std::string told_time(const Estimate& time_s) {
  if (is_determined(time_s)) return time_text(time_s);
  return cat("a time that is not determined: ", time_range_text(*time_s.interval));
}

/// Of one operation, the smallest size first: "broadcast of 8 B takes 7.46 µs (7.2–7.7), of 8 MiB
/// 2.04 ms (2.01–2.08) …".
std::string operation_text(const std::vector<CollectivePoint>& points) {
  const auto& least = points.front();
  const auto& most = points.back();
  if (most.size_bytes == 0) return cat(words(most.operation), " takes ", told_time(most.time_s));
  auto text = cat(words(least.operation), " of ", size_text(least.size_bytes), " takes ",
                  told_time(least.time_s));
  if (points.size() > 1)
    text += cat(", of ", size_text(most.size_bytes), " ", told_time(most.time_s));
  if (std::isfinite(most.bus_bytes_per_s()) && is_determined(most.time_s))
    text += cat(", a bus bandwidth of ", bandwidth_text(most.bus_bytes_per_s()));
  return text;
}

/// What the brackets are, or why there are none.
std::string interval_note(const std::vector<const Run*>& runs) {
  return runs.size() < minimum_launches_for_interval
             ? cat(" No intervals: they need ", minimum_launches_for_interval, " runs.")
             : cat(" In brackets: 95 % intervals over ", counted(runs.size(), "run"), ".");
}

std::string paragraph_of(const CollectivesAnalysis& one,
                         std::int64_t ranks,
                         const StudyAnalysis& analysis) {
  const auto& runs = one.series.by_ranks.at(ranks);
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
      label_of(one, ranks, analysis), ", ", counted(ranks, "rank"), labels_in_brackets(runs), ": ",
      join(parts, "; "), ".", interval_note(runs),
      is_checked ? " Every element of every result was right." : " Results were not checked.");
}

}  // namespace

std::string words(CollectiveOperation operation) {
  auto name = cat(operation);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string labels_in_brackets(const std::vector<const Run*>& runs) {
  const auto labels = labels_of(runs);
  return labels.empty() ? "" : cat(" (", label_words(join(labels, ", ")), ")");
}

std::vector<std::string> collective_labels(const StudyAnalysis& analysis) {
  std::vector<const Run*> all;
  for (const auto& one : analysis.collectives())
    for (const auto& [ranks, runs] : one.series.by_ranks)
      all.insert(all.end(), runs.begin(), runs.end());
  return labels_of(all);
}

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
      "rank is no part of it. Median: the geometric mean over runs of each run's median, with the "
      "95 % interval where there are three. p99, the 99th percentile, needs 100 calls of each run. "
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
       {"bus_bytes_per_s", "bus bandwidth"},
       file_text("is_checked"),
       file_text("launcher"),
       file_text("series"),
       label_column},
      {}};
  for (const auto& one : analysis.collectives())
    for (const auto& point : one.points)
      table.rows.push_back({text_cell(label_of(one, point.ranks, analysis)),
                            integer_cell(point.ranks),
                            text_cell(cat(point.operation)),
                            {point.size_bytes > 0 ? size_text(point.size_bytes) : missing_number,
                             cat(point.size_bytes)},
                            integer_cell(point.time_s.count),
                            integer_cell(point.calls),
                            time_cell(point.time_s),
                            shown_cell(time_text(point.p99_s), point.p99_s),
                            shown_cell(time_text(point.max_s), point.max_s),
                            bandwidth_cell(point.algorithm_bytes_per_s()),
                            bandwidth_cell(point.bus_bytes_per_s()),
                            yes_no_cell(point.is_checked),
                            text_cell(one.series.spec.launcher),
                            text_cell(one.series.name),
                            label_cell(one, point.ranks)});
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
       {"worst_residual_frac", "largest misfit"},
       file_text("launcher"),
       file_text("series"),
       label_column},
      {}};
  const auto ns = [](double value_s) { return value_s * 1e9; };
  for (const auto& one : analysis.collectives())
    for (const auto& fit : one.fits) {
      const auto& beta = fit.beta_s_per_byte;
      table.rows.push_back({text_cell(label_of(one, fit.ranks, analysis)), integer_cell(fit.ranks),
                            text_cell(cat(fit.operation)), integer_cell(fit.sizes),
                            integer_cell(fit.alpha_s.count), time_cell(fit.alpha_s),
                            shown_cell(with_interval(transformed(beta, ns)), beta),
                            shown_cell(percent(fit.worst_residual_frac), fit.worst_residual_frac),
                            text_cell(one.series.spec.launcher), text_cell(one.series.name),
                            label_cell(one, fit.ranks)});
    }
  return table;
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
