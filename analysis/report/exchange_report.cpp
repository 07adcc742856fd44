#include "analysis/report/exchange_report.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/numbers.hpp"

namespace scalestudy {
namespace {

/// Of more rows nobody would look at the last; summary.json has all.
constexpr std::size_t most_shown_buckets = 24;

TableCell bandwidth_cell(double bytes_per_s) {
  return shown_cell(significant(bytes_per_s / 1e9, 3), bytes_per_s);
}

TableCell bytes_cell(double bytes) {
  return shown_cell(std::isfinite(bytes) ? human_bytes(bytes) : missing_number, bytes);
}

/// Time that each size takes while nobody computes, all buckets one after the other.
double idle_s(const Exchange& exchange) {
  double sum_s = 0;
  for (const auto& bucket : exchange.buckets) sum_s += bucket.idle_transfer_s;
  return sum_s;
}

bool has_fit(const Exchange& exchange) {
  return probe_fit(exchange).has_value();
}

void add_fit(const Exchange& exchange, std::vector<TableCell>& row) {
  const auto fit = probe_fit(exchange).value_or(ProbeFit());
  row.push_back(shown_cell(significant(fit.line.alpha_s * 1e6, 3), fit.line.alpha_s));
  row.push_back(bandwidth_cell(bus_bytes_per_s(1, fit.line.beta_s_per_byte, exchange.ranks)));
  row.push_back(shown_cell(percent(fit.worst_residual_frac), fit.worst_residual_frac));
}

std::vector<BucketExchange> shown_buckets(const Exchange& exchange) {
  auto buckets = exchange.buckets;
  std::ranges::stable_sort(buckets, std::ranges::greater(), &BucketExchange::transfer_s);
  if (buckets.size() > most_shown_buckets) buckets.resize(most_shown_buckets);
  std::ranges::sort(buckets, {}, &BucketExchange::bucket);
  return buckets;
}

}  // namespace

ReportTable exchange_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      cat(analysis.series.slug, "-exchange"),
      "How gradients got from rank to rank: mean over ranks, steady steps and runs, in ms. In "
      "collectives: from entering to leaving, of all buckets, which is waiting for other ranks and "
      "transfer. Exposed is what of the transfer ranks are blocked for after the backward pass, "
      "hidden the rest. At best exposed: if each bucket, ready when it was, took as long as on "
      "idle ranks (the probe before training). Bus bandwidth: bytes × 2(N−1)/N ÷ time; idle: of "
      "the probe. First in to last out is avg_backward_comm_time of PyTorch's "
      "DDP logger, overlap its avg_backward_compute_comm_overlap_time.",
      {{"ranks", "ranks"},
       {"buckets", "buckets"},
       {"size_bytes", "bytes a step"},
       {"in_collectives_s", "in collectives"},
       {"wait_s", "waiting"},
       {"transfer_s", "transfer"},
       {"exposed_transfer_s", "exposed"},
       {"hidden_s", "hidden"},
       {"best_exposed_s", "at best exposed"},
       {"span_s", "first in to last out"},
       {"overlap_s", "overlap"},
       {"bus_bytes_per_s", "bus GB/s"},
       {"idle_bus_bytes_per_s", "idle, GB/s"}},
      {}};
  const bool is_fitted = std::ranges::any_of(analysis.exchanges, has_fit);
  if (is_fitted) {
    table.caption +=
        " α and β: the probe's times as α + β · bytes, β as bus bandwidth, with the "
        "worst residual.";
    table.columns.insert(table.columns.end(), {{"alpha_s", "α, µs"},
                                               {"beta_bus_bytes_per_s", "β, GB/s"},
                                               {"worst_residual_frac", "residual"}});
  }
  for (const Exchange& one : analysis.exchanges) {
    const double bytes = one.size_bytes();
    std::vector<TableCell> row{integer_cell(one.ranks),
                               integer_cell(static_cast<std::int64_t>(one.buckets.size())),
                               bytes_cell(bytes)};
    for (const double time_s :
         {one.in_collectives_s(), one.wait_s(), one.transfer_s(), one.exposed_transfer_s,
          one.hidden_s(), one.best_exposed_s, one.span_s(), one.overlap_s})
      row.push_back(milliseconds_cell(time_s));
    for (const double time_s : {one.transfer_s(), idle_s(one)})
      row.push_back(bandwidth_cell(bus_bytes_per_s(bytes, time_s, one.ranks)));
    if (is_fitted) add_fit(one, row);
    table.rows.push_back(row);
  }
  return table;
}

ReportTable buckets_table(const SeriesAnalysis& analysis) {
  ReportTable table{cat(analysis.series.slug, "-buckets"),
                    "",
                    {{"bucket", "bucket"},
                     {"size_bytes", "bytes"},
                     {"ready_s", "ready"},
                     {"entered_s", "entered"},
                     {"all_arrived_s", "all there"},
                     {"left_s", "left"},
                     {"transfer_s", "transfer"},
                     {"idle_transfer_s", "idle transfer"},
                     {"bus_bytes_per_s", "bus GB/s"},
                     {"idle_bus_bytes_per_s", "idle, GB/s"}},
                    {}};
  if (analysis.exchanges.empty()) return table;
  const Exchange& one = analysis.exchanges.back();
  const auto buckets = shown_buckets(one);
  table.caption =
      cat("Buckets of ", ranks_in_words(one.ranks, false),
          ", in ms: means after the start of the step; transfer, from the last rank's entering to "
          "the last one's leaving: median over steps, and of the probe over rounds.",
          buckets.size() < one.buckets.size()
              ? cat(" The ", buckets.size(), " of ", one.buckets.size(), " that took longest.")
              : "");
  for (const auto& bucket : buckets) {
    std::vector<TableCell> row{integer_cell(bucket.bucket), bytes_cell(bucket.size_bytes)};
    for (const double time_s :
         {bucket.ready_s, bucket.entered_s, bucket.all_arrived_s, bucket.left_s})
      row.push_back(shown_cell(significant(time_s * 1e3, 4), time_s));
    for (const double time_s : {bucket.transfer_s, bucket.idle_transfer_s})
      row.push_back(milliseconds_cell(time_s));
    for (const double time_s : {bucket.transfer_s, bucket.idle_transfer_s})
      row.push_back(bandwidth_cell(bus_bytes_per_s(bucket.size_bytes, time_s, one.ranks)));
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace scalestudy
