#include "record/measures/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/statistics.hpp"

#include "record/measures/link_schedule.hpp"

namespace scalestudy {
namespace {

/// Rows of the steady steps by step, in the record.
using RowsByStep = std::map<std::int64_t, std::vector<const BucketRow*>>;

RowsByStep steady_rows(const RunRecord& record, const SteadyWindow& window) {
  RowsByStep rows;
  auto last = rows.end();
  for (const auto& row : record.buckets) {
    if (row.step < window.start || row.step >= window.end || row.rank < 0 ||
        row.rank >= record.steps.ranks())
      continue;
    if (last == rows.end() || last->first != row.step) last = rows.try_emplace(row.step).first;
    last->second.push_back(&row);
  }
  return rows;
}

/// When transfer begins to keep each rank waiting, on its clock: it has updated what had come, and
/// the last rank has its last gradient.
std::vector<double> idle_since_s(const StepTable& table, std::int64_t step, double last_ready_s) {
  std::vector<double> idle_s;
  for (std::int64_t rank = 0; rank < table.ranks(); ++rank) {
    const double updated_s =
        table.at(&StepRow::ready_s, rank, step) + early_update_s(table, rank, step);
    idle_s.push_back(std::max(last_ready_s, updated_s) - table.at(&StepRow::start_s, rank, step));
  }
  return idle_s;
}

/// NaN where it is not known from when on.
double exposed_part_s(const BucketRow& row, double idle_from_s) {
  if (std::isnan(idle_from_s)) return not_available;
  return std::max(0.0, row.left_s - std::max(row.all_arrived_s, idle_from_s));
}

/// What is collected of a bucket.
struct BucketSums {
  double ready_s = 0, entered_s = 0, all_arrived_s = 0, left_s = 0, exposed_s = 0;
  double rows = 0;
  std::int64_t least_bytes = std::numeric_limits<std::int64_t>::max(), most_bytes = 0;
  std::vector<double> slowest_s;  ///< of each step
  std::int64_t last_step = -1;

  /// Contract: a step's rows follow each other.
  void add(const BucketRow& row, double idle_from_s) {
    ready_s += row.ready_s;
    entered_s += row.entered_s;
    all_arrived_s += row.all_arrived_s;
    left_s += row.left_s;
    exposed_s += exposed_part_s(row, idle_from_s);
    rows += 1;
    least_bytes = std::min(least_bytes, row.size_bytes);
    most_bytes = std::max(most_bytes, row.size_bytes);
    if (std::exchange(last_step, row.step) != row.step) slowest_s.push_back(0);
    slowest_s.back() = std::max(slowest_s.back(), row.left_s - row.all_arrived_s);
  }

  /// `all`: ranks and steps that sent any bucket.
  [[nodiscard]] BucketExchange mean(std::int64_t bucket, std::size_t all) const {
    return {
        .bucket = bucket,
        .size_bytes = least_bytes == most_bytes ? static_cast<double>(most_bytes) : not_available,
        .share = rows / static_cast<double>(all),
        .ready_s = ready_s / rows,
        .entered_s = entered_s / rows,
        .all_arrived_s = all_arrived_s / rows,
        .left_s = left_s / rows,
        .exposed_s = exposed_s / rows,
        .slowest_transfer_s = median(slowest_s)};
  }
};

std::vector<BucketExchange> buckets_of(const RowsByStep& steps, const StepTable& table) {
  const auto last_ready_s = table.max_over_ranks(&StepRow::ready_s);
  std::map<std::int64_t, BucketSums> sums;
  std::size_t senders = 0;
  for (const auto& [step, rows] : steps) {
    const auto idle_s = idle_since_s(table, step, last_ready_s[static_cast<std::size_t>(step)]);
    std::vector<bool> has_sent(idle_s.size());
    for (const auto* row : rows) {
      const auto rank = static_cast<std::size_t>(row->rank);
      has_sent[rank] = true;
      sums[row->bucket].add(*row, idle_s[rank]);
    }
    senders += static_cast<std::size_t>(std::ranges::count(has_sent, true));
  }
  std::vector<BucketExchange> buckets;
  for (const auto& [bucket, sum] : sums) buckets.push_back(sum.mean(bucket, senders));
  return buckets;
}

std::vector<ProbeTime> probe_times(const std::vector<ProbeRow>& rows) {
  std::map<std::int64_t, std::map<std::int64_t, double>> slowest_s;  // by size and round
  for (const auto& row : rows) {
    if (row.size_bytes <= 0) continue;
    auto& slowest = slowest_s[row.size_bytes][row.round];
    slowest = std::max(slowest, row.transfer_s);
  }
  std::vector<ProbeTime> times;
  for (const auto& [size, rounds] : slowest_s) {
    std::vector<double> of_rounds;
    for (const auto& [round, time_s] : rounds) of_rounds.push_back(time_s);
    times.push_back({static_cast<double>(size), median(of_rounds)});
  }
  return times;
}

/// The rows of one step with times after the moment when the first rank began.
std::vector<BucketRow> on_one_clock(const std::vector<const BucketRow*>& rows,
                                    const StepTable& steps) {
  const auto start_s = [&](const BucketRow* row) {
    return steps.at(&StepRow::start_s, row->rank, row->step);
  };
  double first_s = std::numeric_limits<double>::infinity();
  for (const auto* row : rows) first_s = std::min(first_s, start_s(row));
  std::vector<BucketRow> on_one;
  on_one.reserve(rows.size());
  for (const auto* row : rows) {
    on_one.push_back(*row);
    on_one.back().ready_s += start_s(row) - first_s;
  }
  return on_one;
}

double mean_best_exposed_s(const RowsByStep& steps,
                           const StepTable& table,
                           const std::vector<ProbeTime>& probe) {
  std::vector<double> exposed_s;
  for (const auto& [step, rows] : steps)
    exposed_s.push_back(exposed_after_last_s(
        pieces_of(on_one_clock(rows, table)),
        [&](std::size_t, double bytes) { return probed_transfer_s(probe, bytes); }));
  return mean(exposed_s);
}

/// Of each rank and step, as PyTorch's reducer counts it.
double mean_overlap_s(const RunRecord& record,
                      const SteadyWindow& window,
                      const RowsByStep& steps) {
  constexpr double never_s = std::numeric_limits<double>::infinity();
  std::vector<double> overlaps_s;
  for (const auto& [step, rows] : steps) {
    std::vector<double> first_s(static_cast<std::size_t>(record.steps.ranks()), never_s);
    for (const auto* row : rows) {
      auto& first = first_s[static_cast<std::size_t>(row->rank)];
      first = std::min(first, row->entered_s);
    }
    for (std::int64_t rank = 0; rank < record.steps.ranks(); ++rank) {
      const double entered_s = first_s[static_cast<std::size_t>(rank)];
      if (entered_s == never_s) continue;
      const double passes_end_s = record.steps.at(&StepRow::ready_s, rank, step) -
                                  record.steps.at(&StepRow::start_s, rank, step);
      overlaps_s.push_back(std::max(0.0, passes_end_s - entered_s));
    }
  }
  const auto all = static_cast<std::size_t>(record.steps.ranks() * window.steps());
  return overlaps_s.size() == all ? mean(overlaps_s) : not_available;
}

double sum_over(const std::vector<BucketExchange>& buckets, const auto& value) {
  double sum = 0;
  for (const auto& bucket : buckets) sum += bucket.share * value(bucket);
  return sum;
}

}  // namespace

double probed_transfer_s(const std::vector<ProbeTime>& probe, double size_bytes) {
  const auto found = std::ranges::find(probe, size_bytes, &ProbeTime::size_bytes);
  return found == probe.end() ? not_available : found->transfer_s;
}

double Exchange::size_bytes() const {
  return sum_over(buckets, [](const auto& bucket) { return bucket.size_bytes; });
}

double Exchange::wait_s() const {
  return sum_over(buckets, [](const auto& bucket) { return bucket.wait_s(); });
}

double Exchange::transfer_s() const {
  return sum_over(buckets, [](const auto& bucket) { return bucket.transfer_s(); });
}

double Exchange::exposed_s() const {
  return sum_over(buckets, [](const auto& bucket) { return bucket.exposed_s; });
}

double Exchange::span_s() const {
  if (buckets.empty()) return 0;
  double first_s = buckets.front().entered_s, last_s = buckets.front().left_s;
  for (const auto& bucket : buckets) {
    first_s = std::min(first_s, bucket.entered_s);
    last_s = std::max(last_s, bucket.left_s);
  }
  return last_s - first_s;
}

std::optional<Exchange> exchange_of(const RunRecord& record, const SteadyWindow& window) {
  if (record.steps.ranks() == 1 || window.empty()) return std::nullopt;
  const auto steps = steady_rows(record, window);
  if (steps.empty()) return std::nullopt;
  Exchange exchange{.ranks = record.steps.ranks(), .launches = 1};
  exchange.buckets = buckets_of(steps, record.steps);
  exchange.probe = probe_times(record.probe);
  for (auto& bucket : exchange.buckets)
    bucket.idle_transfer_s = probed_transfer_s(exchange.probe, bucket.size_bytes);
  exchange.overlap_s = mean_overlap_s(record, window, steps);
  exchange.best_exposed_s = mean_best_exposed_s(steps, record.steps, exchange.probe);
  return exchange;
}

double bus_bytes_per_s(double size_bytes, double time_s, std::int64_t ranks) {
  return size_bytes * bus_factor(CollectiveOperation::all_reduce, ranks) / time_s;
}

std::optional<ProbeFit> probe_fit(const Exchange& exchange) {
  std::vector<double> sizes, times;
  for (const auto& one : exchange.probe) {
    if (!(one.transfer_s > 0)) continue;
    sizes.push_back(one.size_bytes);
    times.push_back(one.transfer_s);
  }
  if (sizes.size() < 3) return std::nullopt;
  ProbeFit fit{fitted_line(sizes, times), {}};
  for (const auto& one : exchange.probe) {
    const double line_s = fit.line.alpha_s + fit.line.beta_s_per_byte * one.size_bytes;
    fit.residuals_frac.push_back(line_s / one.transfer_s - 1);
  }
  return fit;
}

double ProbeFit::worst_residual_frac() const {
  double worst = 0;
  for (const double residual : residuals_frac)
    if (std::isfinite(residual)) worst = std::max(worst, std::abs(residual));
  return worst;
}

}  // namespace scalestudy
