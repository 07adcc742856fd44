#include "analysis/step_checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/statistics.hpp"

#include "analysis/critical_rank.hpp"
#include "analysis/run_set.hpp"

namespace scalestudy {
namespace {

ShareOfStep share_of(std::vector<double> shares) {
  std::ranges::sort(shares);
  return {median(shares), percentile(shares, 0.99)};
}

RangeOverRuns range_of(const std::vector<double>& values) {
  const auto [min, max] = std::ranges::minmax(values);
  return {median(values), min, max};
}

/// What rank 0 needed to collect and write records between the steps of the window [s]; waiting
/// for slower ranks in between is none of it: without recording they would be waited for later.
double between_steps_s(const StepTable& steps, const SteadyWindow& window) {
  double sum_s = 0;
  for (std::int64_t step = window.start; step < window.end; ++step)
    sum_s +=
        steps.at(&StepRow::recording_s, 0, step) - steps.at(&StepRow::recording_wait_s, 0, step);
  return sum_s;
}

/// Share of a core that looking at rank 0's machine took while it looked.
double monitor_frac(const std::vector<MonitorRow>& rows) {
  double cpu_s = 0;
  double until_s = 0;
  for (const auto& row : rows) {
    if (row.rank != 0) continue;
    cpu_s += row.cpu_s;
    until_s = row.time_s;
  }
  return until_s > 0 ? cpu_s / until_s : 0;
}

/// One after the other.
std::vector<double> joined(std::span<const CheckedSteps* const> runs,
                           std::vector<double> CheckedSteps::*values) {
  std::vector<double> all;
  for (const CheckedSteps* run : runs)
    all.insert(all.end(), (run->*values).begin(), (run->*values).end());
  return all;
}

std::vector<double> of_each(std::span<const CheckedSteps* const> runs,
                            double CheckedSteps::*value) {
  std::vector<double> all;
  for (const CheckedSteps* run : runs) all.push_back(run->*value);
  return all;
}

/// Steps that a rank decides, of all that were put together.
struct DecidedSteps {
  double decided = 0;
  double all = 0;
  [[nodiscard]] double share() const { return decided / all; }
};

std::vector<DecidedSteps> decided_by(std::int64_t rank, std::span<const CheckedSteps* const> runs) {
  std::vector<DecidedSteps> decided;
  for (const CheckedSteps* run : runs) {
    const auto found = run->critical_count.find(rank);
    const auto count = found == run->critical_count.end() ? std::size_t{0} : found->second;
    if (!run->remainder_frac.empty())
      decided.push_back(
          {static_cast<double>(count), static_cast<double>(run->remainder_frac.size())});
  }
  return decided;
}

/// Lower limit of the mean of the runs' shares: Student's t, the run is the unit.
double lower_limit_over_runs(const std::vector<DecidedSteps>& runs, double alpha) {
  std::vector<double> shares;
  for (const auto& run : runs) shares.push_back(run.share());
  const auto n = static_cast<double>(shares.size());
  return mean(shares) -
         student_t_critical(alpha, n - 1) * standard_deviation(shares) / std::sqrt(n);
}

/// Lower limit of the share of all steps together. Few steps bring equal shares by chance, of
/// which Student's t takes the scatter, none, at its word.
double lower_limit_over_steps(const std::vector<DecidedSteps>& runs, double alpha) {
  DecidedSteps pooled;
  for (const auto& run : runs) {
    pooled.decided += run.decided;
    pooled.all += run.all;
  }
  return share_interval(pooled.share(), static_cast<std::int64_t>(pooled.all), alpha).low;
}

/// Both limits above 1 ÷ ranks, corrected for each rank that might have been the most frequent one.
bool is_persistent(std::int64_t rank,
                   std::int64_t ranks,
                   std::span<const CheckedSteps* const> runs) {
  const auto decided = decided_by(rank, runs);
  if (decided.size() < minimum_launches_for_interval || ranks == 1) return false;
  const double share_of_equals = 1 / static_cast<double>(ranks);
  const double alpha = significance_level * share_of_equals;
  return lower_limit_over_runs(decided, alpha) > share_of_equals &&
         lower_limit_over_steps(decided, alpha) > share_of_equals;
}

}  // namespace

double idle_exchange_s(const RunRecord& record) {
  std::map<std::int64_t, std::vector<double>> transfer_s;
  for (const auto& row : record.probe) transfer_s[row.size_bytes].push_back(row.transfer_s);
  double sum_s = 0;
  for (const auto& bucket : record.buckets)
    if (bucket.rank == 0 && bucket.step == record.buckets.front().step)
      sum_s += median(transfer_s[bucket.size_bytes]);
  return record.probe.empty() ? not_available : sum_s;
}

double recording_frac(const RunRecord& record, const SteadyWindow& window) {
  const auto timeline_cost_s = record.summary_value(&SummaryRow::timeline_cost_s);
  if (!timeline_cost_s || window.empty()) return not_available;
  const auto step_s = record.steps.max_over_ranks(&StepRow::step_s);
  const double steps_s =
      std::accumulate(step_s.begin() + window.start, step_s.begin() + window.end, 0.0);
  const double within_s = *timeline_cost_s * static_cast<double>(window.steps());
  return (within_s + between_steps_s(record.steps, window)) / steps_s +
         monitor_frac(record.monitor);
}

CheckedSteps checked_steps(const RunRecord& record, const SteadyWindow& window) {
  CheckedSteps checked;
  if (window.empty()) return checked;
  for (const auto& step : critical_steps(record.steps)) {
    if (step.step < window.start || step.step >= window.end) continue;
    if (!std::isfinite(step.parts_s) || !(step.step_s > 0)) continue;
    checked.remainder_frac.push_back(std::abs(step.remainder_frac()));
    checked.clock_free_frac.push_back(std::abs(step.furthest_s - step.last_ready_s) / step.step_s);
    checked.spread_frac.push_back(step.spread_s / step.step_s);
    ++checked.critical_count[step.rank];
    if (step.furthest_rank == step.rank) ++checked.same_rank_count;
  }
  checked.idle_exchange_s = idle_exchange_s(record);
  checked.recording_frac = recording_frac(record, window);
  return checked;
}

StepCheck step_check(std::int64_t ranks, std::span<const CheckedSteps* const> runs) {
  StepCheck check{.ranks = ranks,
                  .launches = runs.size(),
                  .remainder = share_of(joined(runs, &CheckedSteps::remainder_frac)),
                  .clock_free = share_of(joined(runs, &CheckedSteps::clock_free_frac)),
                  .spread = share_of(joined(runs, &CheckedSteps::spread_frac)),
                  .idle_exchange_s = range_of(of_each(runs, &CheckedSteps::idle_exchange_s)),
                  .recording_frac = mean(of_each(runs, &CheckedSteps::recording_frac))};
  std::map<std::int64_t, std::size_t> critical_count;
  std::size_t same_rank_count = 0;
  for (const CheckedSteps* run : runs) {
    check.steps += run->remainder_frac.size();
    same_rank_count += run->same_rank_count;
    for (const auto& [rank, count] : run->critical_count) critical_count[rank] += count;
  }
  const auto often = std::ranges::max_element(
      critical_count, {}, [](const auto& rank_and_count) { return rank_and_count.second; });
  const auto share = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(check.steps);
  };
  check.often_critical_rank = often->first;
  check.often_critical_frac = share(often->second);
  check.is_persistent = is_persistent(often->first, ranks, runs);
  check.same_rank_frac = share(same_rank_count);
  return check;
}

std::vector<StepCheck> step_checks(const Series& series) {
  std::vector<StepCheck> checks;
  for (const auto& [ranks, runs] : series.by_ranks) {
    if (ranks > 1 && series.spec.reduction == Reduction::none) continue;
    std::vector<const CheckedSteps*> checked;
    for (const Run* run : runs)
      if (run->is_timing_data() && !run->measures.steady_window().empty())
        checked.push_back(&run->digest.checked_steps);
    const auto has_steps = [](const CheckedSteps* run) { return !run->remainder_frac.empty(); };
    if (std::ranges::any_of(checked, has_steps)) checks.push_back(step_check(ranks, checked));
  }
  return checks;
}

}  // namespace scalestudy
