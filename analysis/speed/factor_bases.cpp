#include "analysis/speed/factor_bases.hpp"

#include <algorithm>

namespace scalestudy {
namespace {

/// Runs of one series and number of ranks.
struct RunGroup {
  const Series& series;
  std::int64_t ranks;
};

void add_factors(FactorBase kind,
                 const RunGroup& compared,
                 const RunGroup& base,
                 std::vector<FactorsAgainst>& all) {
  const auto runs = run_timings(compared.series, compared.ranks);
  const auto base_runs = run_timings(base.series, base.ranks);
  if (runs.empty() || base_runs.empty()) return;
  all.push_back({.base = kind,
                 .ranks = compared.ranks,
                 .base_ranks = base.ranks,
                 .absolute = absolute_times(compared.series, compared.ranks),
                 .base_absolute = absolute_times(base.series, base.ranks),
                 .factors = factorise(runs, base_runs, compared.series.spec.comparison)});
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
      add_factors(FactorBase::no_distributed_path, {proper, ranks}, {**arm, 1}, all);
  std::int64_t previous = 1;
  for (const auto& [ranks, runs] : proper.by_ranks) {
    if (previous > 1)
      add_factors(FactorBase::previous_ranks, {proper, ranks}, {proper, previous}, all);
    if (!run_timings(proper, ranks).empty()) previous = ranks;
  }
  return all;
}

}  // namespace scalestudy
