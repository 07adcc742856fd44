#include "analysis/step/step_checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/statistics.hpp"

namespace scalestudy {
namespace {

ShareOfStep share_of(std::vector<double> shares) {
  std::ranges::sort(shares);
  return {median(shares), percentile(shares, 0.99)};
}

/// Of the runs in which it is known.
RangeOverRuns range_of(const std::vector<double>& values) {
  const auto known = finite(values);
  if (known.empty()) return {not_available, not_available, not_available};
  const auto [min, max] = std::ranges::minmax(known);
  return {median(known), min, max};
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
