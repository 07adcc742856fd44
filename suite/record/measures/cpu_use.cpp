#include "record/measures/cpu_use.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/text.hpp"

#include "record/machine/cpu_load.hpp"

namespace scalestudy {
namespace {

/// Below this the threads waited, for a CPU or for something that no column shows. Runs with the
/// machine to themselves had 0.89 and more.
constexpr double low_cpu_use_frac = 0.6;

std::string percent(double frac) {
  return cat(std::lround(100 * std::clamp(frac, 0.0, 1.0)), " %");
}

/// Runs of an earlier version have no column for some waits.
double or_nothing(double time_s) {
  return std::isfinite(time_s) ? time_s : 0;
}

double recorded_waits_s(const StepTable& steps, std::int64_t rank) {
  double waits_s = 0;
  for (std::int64_t step = 0; step < steps.steps(); ++step)
    for (const StepColumn column :
         {StepColumn(&StepRow::input_wait_s), StepColumn(&StepRow::exposed_communication_s),
          StepColumn(&StepRow::phase_wait_s)})
      waits_s += or_nothing(steps.at(column, rank, step));
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

using CoresOfRanks = std::map<std::pair<std::string, std::string>, SharedCores>;

std::pair<std::string, std::string> place_of(const RankRow& rank) {
  return {rank.host, rank.binding};
}

CoresOfRanks cores_of_ranks(const RunRecord& run) {
  CoresOfRanks all;
  for (const RankRow& rank : run.ranks) {
    SharedCores& shared = all[place_of(rank)];
    shared.threads += static_cast<double>(rank.threads);
    shared.cores = static_cast<double>(rank.core_count);
    shared.own_cpu_time_s += rank.clocked_cpu_time_s;
    shared.busy_s += rank.clocked_core_busy_s;
    shared.clocked_s += rank.clocked_s;
    ++shared.ranks;
  }
  return all;
}

/// Threads that can be at work at a time, of each thread there is.
double core_per_thread(const SharedCores& shared) {
  return shared.cores > 0 ? std::min(1.0, shared.cores / shared.threads) : 1;
}

double contended_frac_on(const SharedCores& shared) {
  const double clocked_s = shared.clocked_s / shared.ranks;
  const double busy_s = shared.busy_s / shared.ranks;
  const double other_cores = (busy_s - shared.own_cpu_time_s) / clocked_s;
  return contended_frac(shared.threads, other_cores, shared.cores);
}

/// Whether its ranks sleep in the place of a network.
bool needs_no_core(const RunRecord& run) {
  return run.header.has_label(RunLabel::emulated_compute) &&
         !run.header.has_label(RunLabel::spinning);
}

}  // namespace

double cpu_use_frac(const RunRecord& run) {
  if (needs_no_core(run)) return not_recorded;
  if (run.ranks.empty() || run.steps.ranks() != std::ssize(run.ranks)) return not_recorded;
  const auto cores = cores_of_ranks(run);
  double used_s = 0, available_s = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const RankRow& rank = run.ranks[i];
    if (rank.device != "cpu") return not_recorded;
    used_s += rank.clocked_cpu_time_s;
    available_s += static_cast<double>(rank.threads) * core_per_thread(cores.at(place_of(rank))) *
                   (rank.clocked_s - recorded_waits_s(run.steps, static_cast<std::int64_t>(i)));
  }
  return available_s > 0 ? used_s / available_s : not_recorded;
}

double contended_cpu_frac(const RunRecord& run) {
  if (needs_no_core(run)) return not_recorded;
  double worst = not_recorded;
  for (const auto& [where, shared] : cores_of_ranks(run)) {
    if (!(shared.cores > 0 && shared.clocked_s > 0 && shared.busy_s > 0)) continue;
    const double frac = contended_frac_on(shared);
    if (!std::isfinite(frac)) continue;
    worst = std::isnan(worst) ? frac : std::max(worst, frac);
  }
  return worst;
}

double quota_throttled_frac(const std::vector<RankRow>& ranks) {
  double worst = not_recorded;
  for (const RankRow& rank : ranks) worst = std::fmax(worst, rank.clocked_throttled_frac);
  return worst;
}

bool is_throttled_by_quota(const std::vector<RankRow>& ranks) {
  return quota_throttled_frac(ranks) > notable_contended_frac;
}

std::string busy_machine_reason(const std::vector<RankRow>& ranks,
                                double cpu_use_frac,
                                double contended_cpu_frac) {
  if (contended_cpu_frac > notable_contended_frac)
    return cat("other programs took ", percent(contended_cpu_frac),
               " of the CPU time that its ranks needed");
  if (cpu_use_frac < low_cpu_use_frac && !is_throttled_by_quota(ranks))
    return cat("outside recorded waits its threads were at work only ", percent(cpu_use_frac),
               " of the time");
  return "";
}

}  // namespace scalestudy
