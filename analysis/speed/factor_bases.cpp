#include "analysis/speed/factor_bases.hpp"

#include <algorithm>

namespace scalestudy {
namespace {

void add_factors(FactorBase kind,
                 const RunGroup& compared,
                 const RunGroup& base,
                 std::vector<FactorsAgainst>& all) {
  const auto runs = run_timings(compared), base_runs = run_timings(base);
  if (runs.empty() || base_runs.empty()) return;
  all.push_back({.base = kind,
                 .ranks = compared.runs.front()->spec.ranks,
                 .base_ranks = base.runs.front()->spec.ranks,
                 .absolute = absolute_times(compared),
                 .base_absolute = absolute_times(base),
                 .factors = factorise(runs, base_runs, compared.comparison)});
}

}  // namespace

std::vector<FactorsAgainst> factors_against_bases(const Series& proper,
                                                  std::span<const Series* const> arms) {
  std::vector<FactorsAgainst> all;
  const auto arm = std::ranges::find_if(arms, [](const Series* series) {
    return series->spec.control_arm == ControlArm::no_distributed_path;
  });
  if (arm != arms.end())
    for (const auto& [ranks, runs] : proper.by_ranks)
      add_factors(FactorBase::no_distributed_path, proper.group(ranks), (*arm)->group(1), all);
  std::int64_t previous = 1;
  for (const auto& [ranks, runs] : proper.by_ranks) {
    if (previous > 1)
      add_factors(FactorBase::previous_ranks, proper.group(ranks), proper.group(previous), all);
    if (!proper.group(ranks).timed().empty()) previous = ranks;
  }
  return all;
}

}  // namespace scalestudy
