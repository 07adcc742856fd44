#include "analysis/cpu_use.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/text.hpp"

#include "record/cpu_load.hpp"

namespace scalestudy {
namespace {

/// Below this the threads waited, for a CPU or for something that no column shows. Runs with the
/// machine to themselves had 0.89 and more.
constexpr double low_cpu_use_frac = 0.6;

std::string percent(double frac) {
  return cat(std::lround(100 * frac), " %");
}

double recorded_waits_s(const StepTable& steps, std::int64_t rank) {
  double waits_s = 0;
  for (std::int64_t step = 0; step < steps.steps(); ++step)
    waits_s += steps.at(&StepRow::input_wait_s, rank, step) +
               steps.at(&StepRow::exposed_communication_s, rank, step);
  return waits_s;
}

/// Ranks of one host that may use the same cores.
struct SharedCores {
  double threads = 0;
  double cores = 0;
  double own_cpu_time_s = 0;
  double busy_s = 0;
  double clocked_s = 0;
  double ranks = 0;
};

double contended_frac_on(const SharedCores& shared) {
  const double clocked_s = shared.clocked_s / shared.ranks;
  const double busy_s = shared.busy_s / shared.ranks;
  const double other_cores = (busy_s - shared.own_cpu_time_s) / clocked_s;
  return contended_frac(shared.threads, other_cores, shared.cores);
}

}  // namespace

double cpu_use_frac(const RunRecord& run) {
  if (run.ranks.empty() || run.steps.ranks() != std::ssize(run.ranks)) return not_recorded;
  double used_s = 0, available_s = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const RankRow& rank = run.ranks[i];
    if (rank.device != "cpu") return not_recorded;
    used_s += rank.clocked_cpu_time_s;
    available_s += static_cast<double>(rank.threads) *
                   (rank.clocked_s - recorded_waits_s(run.steps, static_cast<std::int64_t>(i)));
  }
  return available_s > 0 ? used_s / available_s : not_recorded;
}

double contended_cpu_frac(const RunRecord& run) {
  std::map<std::pair<std::string, std::string>, SharedCores> by_cores;
  for (const RankRow& rank : run.ranks) {
    SharedCores& shared = by_cores[{rank.host, rank.binding}];
    shared.threads += static_cast<double>(rank.threads);
    shared.cores = static_cast<double>(rank.core_count);
    shared.own_cpu_time_s += rank.clocked_cpu_time_s;
    shared.busy_s += rank.clocked_core_busy_s;
    shared.clocked_s += rank.clocked_s;
    ++shared.ranks;
  }
  double worst = not_recorded;
  for (const auto& [where, shared] : by_cores) {
    if (!(shared.cores > 0 && shared.clocked_s > 0 && shared.busy_s > 0)) continue;
    const double frac = contended_frac_on(shared);
    worst = std::isnan(worst) ? frac : std::max(worst, frac);
  }
  return worst;
}

std::string busy_machine_reason(double cpu_use_frac, double contended_cpu_frac) {
  if (contended_cpu_frac > notable_contended_frac)
    return cat("other programs took ", percent(contended_cpu_frac),
               " of the CPU time that its ranks needed");
  if (cpu_use_frac < low_cpu_use_frac)
    return cat("outside recorded waits its threads were at work only ", percent(cpu_use_frac),
               " of the time");
  return "";
}

}  // namespace scalestudy
