#include "record/measures/checked_steps.hpp"

#include <cmath>
#include <numeric>

#include "record/measures/critical_rank.hpp"

namespace scalestudy {
namespace {

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

}  // namespace scalestudy
