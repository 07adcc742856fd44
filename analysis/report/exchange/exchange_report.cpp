#include "analysis/report/exchange/exchange_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// Of more rows nobody would look at the last; files have all.
constexpr std::size_t most_shown_buckets = 64;

TableCell gigabytes_per_s_cell(double bytes_per_s) {
  return shown_cell(significant(bytes_per_s / 1e9, 3), bytes_per_s);
}

TableCell bytes_cell(double bytes) {
  return shown_cell(std::isfinite(bytes) ? human_bytes(bytes) : missing_number, bytes);
}

/// In collectives, waiting, transfer, exposed and hidden, of a bucket or of all. Rounded parts add
/// up to what is shown of the whole: whole and last part follow from the other two.
std::vector<TableCell> part_cells(double wait_s, double transfer_s, double exposed_s) {
  const double total_s = wait_s + transfer_s;
  const int decimals = std::clamp(decimals_for(total_s * 1e3, 3), 0, 6);
  const double unit_ms = std::pow(10, -decimals);
  const auto rounded_ms = [&](double time_s) {
    return std::round(time_s * 1e3 / unit_ms) * unit_ms;
  };
  const auto cell = [&](double shown_ms, double raw_s) {
    return shown_cell(difference_text({.value = shown_ms}, decimals), raw_s);
  };
  const double wait_ms = rounded_ms(wait_s), transfer_ms = rounded_ms(transfer_s),
               exposed_ms = rounded_ms(exposed_s);
  return {cell(wait_ms + transfer_ms, total_s), cell(wait_ms, wait_s),
          cell(transfer_ms, transfer_s), cell(exposed_ms, exposed_s),
          cell(transfer_ms - exposed_ms, transfer_s - exposed_s)};
}

TableCell slowed_cell(const Estimate& slowed_computing_s) {
  if (!std::isfinite(slowed_computing_s.value))
    return shown_cell("not measured", slowed_computing_s.value);
  return difference_ms_cell(slowed_computing_s);
}

/// Sum over the buckets of a mean step, all one after the other.
double sum_of(const std::vector<BucketExchange>& buckets, double BucketExchange::*time) {
  double sum_s = 0;
  for (const auto& bucket : buckets) sum_s += bucket.share * bucket.*time;
  return sum_s;
}

/// The buckets that took longest, in launch order, and the others.
struct ShownBuckets {
  std::vector<BucketExchange> shown, others;
};

ShownBuckets shown_buckets(std::vector<BucketExchange> buckets) {
  std::ranges::stable_sort(buckets, std::ranges::greater(), &BucketExchange::slowest_transfer_s);
  const auto count = std::min(buckets.size(), most_shown_buckets);
  const auto end = buckets.begin() + static_cast<std::ptrdiff_t>(count);
  ShownBuckets found{{buckets.begin(), end}, {end, buckets.end()}};
  std::ranges::sort(found.shown, {}, &BucketExchange::bucket);
  return found;
}

void add_transfers(double size_bytes,
                   double slowest_s,
                   double idle_s,
                   std::int64_t ranks,
                   std::vector<TableCell>& row) {
  for (const double time_s : {slowest_s, idle_s}) row.push_back(milliseconds_cell(time_s));
  for (const double time_s : {slowest_s, idle_s})
    row.push_back(gigabytes_per_s_cell(bus_bytes_per_s(size_bytes, time_s, ranks)));
}

std::vector<TableCell> bucket_row(const BucketExchange& bucket, std::int64_t ranks) {
  std::vector<TableCell> row{integer_cell(bucket.bucket), bytes_cell(bucket.size_bytes)};
  for (const double time_s :
       {bucket.ready_s, bucket.entered_s, bucket.all_arrived_s, bucket.left_s})
    row.push_back(shown_cell(significant(time_s * 1e3, 4), time_s));
  std::ranges::copy(part_cells(bucket.wait_s(), bucket.transfer_s(), bucket.exposed_s),
                    std::back_inserter(row));
  add_transfers(bucket.size_bytes, bucket.slowest_transfer_s, bucket.idle_transfer_s, ranks, row);
  return row;
}

/// All that have no row of their own, summed up.
std::vector<TableCell> other_buckets_row(const std::vector<BucketExchange>& buckets,
                                         std::int64_t ranks) {
  const Exchange others{.buckets = buckets};
  const double bytes = others.size_bytes();
  std::vector<TableCell> row{{cat(buckets.size(), " others"), "others"}, bytes_cell(bytes)};
  row.resize(6, text_cell(""));  // a sum has no moments
  std::ranges::copy(part_cells(others.wait_s(), others.transfer_s(), others.exposed_s()),
                    std::back_inserter(row));
  add_transfers(bytes, sum_of(buckets, &BucketExchange::slowest_transfer_s),
                sum_of(buckets, &BucketExchange::idle_transfer_s), ranks, row);
  return row;
}

CollectiveFit as_collective_fit(const ProbeFit& fit, const Exchange& exchange) {
  return {.ranks = exchange.ranks,
          .operation = CollectiveOperation::all_reduce,
          .sizes = std::ssize(exchange.probe),
          .alpha_s = {.value = fit.line.alpha_s, .count = exchange.launches},
          .beta_s_per_byte = {.value = fit.line.beta_s_per_byte, .count = exchange.launches},
          .worst_residual_frac = fit.worst_residual_frac()};
}

std::vector<TableCell> fit_row(const std::string& source, const CollectiveFit& fit) {
  const auto bus = transformed(fit.beta_s_per_byte,
                               [&](double beta) { return bus_bytes_per_s(1, beta, fit.ranks); });
  const auto in_us = transformed(fit.alpha_s, [](double time_s) { return time_s * 1e6; });
  const auto in_gb = transformed(bus, [](double bytes_per_s) { return bytes_per_s / 1e9; });
  return {integer_cell(fit.ranks),
          text_cell(source),
          integer_cell(fit.sizes),
          integer_cell(fit.alpha_s.count),
          shown_cell(with_interval(in_us), fit.alpha_s),
          shown_cell(with_interval(in_gb), bus),
          shown_cell(percent(fit.worst_residual_frac), fit.worst_residual_frac),
          estimate_cell(fit.beta_s_per_byte)};
}

std::vector<TableColumn> bucket_columns() {
  return {{"bucket", "bucket"},
          {"size_bytes", "bytes"},
          {"ready_s", "ready"},
          {"entered_s", "entered"},
          {"all_arrived_s", "all there", true, false},
          {"left_s", "left"},
          {"in_collectives_s", "in collectives"},
          {"wait_s", "waiting"},
          {"transfer_s", "transfer"},
          {"exposed_s", "exposed"},
          {"hidden_s", "hidden"},
          {"slowest_transfer_s", "slowest rank"},
          {"idle_transfer_s", "idle"},
          {"bus_bytes_per_s", "bus GB/s"},
          {"idle_bus_bytes_per_s", "idle, GB/s"}};
}

}  // namespace

ReportTable exchange_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      cat(analysis.series.slug, "-exchange"),
      "How gradients got from rank to rank: mean over ranks, steady steps and runs, in ms. In "
      "collectives: from entering to leaving, of all buckets, which is waiting for other ranks and "
      "transfer. Exposed: transfer after the last gradient of all ranks and the own early update; "
      "hidden: the rest. At best exposed: if each bucket, ready when it was, took as "
      "long as on idle ranks (the probe before training). Slowed computing: what moving gradients "
      "slows besides, by control arm barrier_only. Bus bandwidth: bytes × 2(N−1)/N ÷ time; idle: "
      "of the probe. First in to last out is avg_backward_comm_time of PyTorch's DDP logger, "
      "overlap its avg_backward_compute_comm_overlap_time.",
      {{"ranks", "ranks"},
       {"buckets", "buckets"},
       {"size_bytes", "bytes a step"},
       {"in_collectives_s", "in collectives"},
       {"wait_s", "waiting"},
       {"transfer_s", "transfer"},
       {"exposed_s", "exposed"},
       {"hidden_s", "hidden"},
       {"slowed_computing_s", "slowed computing"},
       {"best_exposed_s", "at best exposed"},
       {"span_s", "first in to last out"},
       {"overlap_s", "overlap"},
       {"bus_bytes_per_s", "bus GB/s"},
       {"idle_bus_bytes_per_s", "idle, GB/s"}},
      {}};
  for (const ExchangePoint& one : analysis.exchanges) {
    const double bytes = one.size_bytes();
    std::vector<TableCell> row{integer_cell(one.ranks), integer_cell(one.buckets.size()),
                               bytes_cell(bytes)};
    std::ranges::copy(part_cells(one.wait_s(), one.transfer_s(), one.exposed_s()),
                      std::back_inserter(row));
    row.push_back(slowed_cell(one.slowed_computing_s));
    for (const double time_s : {one.best_exposed_s, one.span_s(), one.overlap_s})
      row.push_back(milliseconds_cell(time_s));
    for (const double time_s :
         {one.transfer_s(), sum_of(one.buckets, &BucketExchange::idle_transfer_s)})
      row.push_back(gigabytes_per_s_cell(bus_bytes_per_s(bytes, time_s, one.ranks)));
    table.rows.push_back(row);
    add_file_cells(table, {{"runs", integer_cell(one.launches)}});
  }
  return table;
}

ReportTable exchange_fits_table(const SeriesAnalysis& analysis) {
  ReportTable table{cat(analysis.series.slug, "-exchange-fits"),
                    "What an all-reduce of idle ranks costs, α + β · bytes: through the sizes that "
                    "the probe tried before training, and by runs that measured collective "
                    "operations on this machine. β as bus bandwidth. Residual: the largest, "
                    "|α + β · bytes − time| ÷ time.",
                    {{"ranks", "ranks"},
                     {"source", "by", false},
                     {"sizes", "sizes"},
                     {"runs", "runs"},
                     {"alpha_s", "α, µs"},
                     {"beta_bus_bytes_per_s", "β, GB/s"},
                     {"worst_residual_frac", "residual"},
                     file_number("beta_s_per_byte")},
                    {}};
  for (const ExchangePoint& one : analysis.exchanges) {
    if (const auto fit = probe_fit(one))
      table.rows.push_back(fit_row("the probe", as_collective_fit(*fit, one)));
    for (const auto& [series, fit] : one.fits_beside) table.rows.push_back(fit_row(series, fit));
  }
  return table;
}

ReportTable exchange_probe_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      cat(analysis.series.slug, "-exchange-probe"),
      "All-reduces that the probe tried before training, by size: the slowest rank's transfer, "
      "median over rounds, mean over runs; residual: (α + β · bytes − time) ÷ time.",
      {{"ranks", "ranks"},
       {"size_bytes", "bytes"},
       {"transfer_s", "transfer"},
       {"residual_frac", "residual"}},
      {},
      /*is_on_page=*/false};
  for (const ExchangePoint& one : analysis.exchanges) {
    const auto fit = probe_fit(one);
    for (std::size_t i = 0; i < one.probe.size(); ++i)
      table.rows.push_back({integer_cell(one.ranks), bytes_cell(one.probe[i].size_bytes),
                            milliseconds_cell(one.probe[i].transfer_s),
                            number_cell(fit ? fit->residuals_frac[i] : not_available)});
  }
  return table;
}

ReportTable all_buckets_table(const SeriesAnalysis& analysis) {
  ReportTable table{cat(analysis.series.slug, "-all-buckets"),
                    "Every bucket at every number of ranks.",
                    bucket_columns(),
                    {},
                    /*is_on_page=*/false};
  table.columns.insert(table.columns.begin(), {"ranks", "ranks"});
  for (const ExchangePoint& one : analysis.exchanges)
    for (const BucketExchange& bucket : one.buckets) {
      auto row = bucket_row(bucket, one.ranks);
      row.insert(row.begin(), integer_cell(one.ranks));
      table.rows.push_back(std::move(row));
    }
  return table;
}

ReportTable buckets_table(const SeriesAnalysis& analysis) {
  ReportTable table{cat(analysis.series.slug, "-buckets"), "", bucket_columns(), {}};
  if (analysis.exchanges.empty()) return table;
  const Exchange& one = analysis.exchanges.back();
  const auto [shown, others] = shown_buckets(one.buckets);
  table.caption =
      cat("Buckets of ", ranks_in_words(one.ranks, false),
          ", in ms: means over ranks and steps, the first three after the start of the step. "
          "Slowest rank: its transfer, median over steps; idle: the same in the probe, over "
          "rounds.",
          others.empty() ? ""
                         : cat(" The ", shown.size(), " of ", one.buckets.size(),
                               " that took longest; the others are summed up in the last row."));
  for (const auto& bucket : shown) table.rows.push_back(bucket_row(bucket, one.ranks));
  if (!others.empty()) table.rows.push_back(other_buckets_row(others, one.ranks));
  return table;
}

}  // namespace scalestudy
