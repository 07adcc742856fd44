#include "analysis/exchange/exchange_point.hpp"

#include <algorithm>

#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

Estimate slowed_computing_at(std::int64_t ranks, std::span<const ArmContrast> contrasts) {
  const auto found = std::ranges::find_if(contrasts, [&](const ArmContrast& one) {
    return one.ranks == ranks && !one.kind->base && one.kind->arm == ControlArm::barrier_only;
  });
  return found == contrasts.end() ? Estimate() : found->beyond_column_s;
}

/// As gradients are; adding up narrower numbers takes other times.
bool adds_up_float32(const RunSpec& spec) {
  const auto type = value_named(flatten_json(spec.workload_settings), "element_type");
  return type.empty() || type == "float32";
}

/// Whether runs of both, with so many ranks, exchange through the same thing. Studies, data and
/// libraries that compute differ: collective operations need none of them.
bool exchanges_alike(const Series& training, const Series& measured, std::int64_t ranks) {
  if (!measured.by_ranks.contains(ranks)) return false;
  const RunSpec& a = training.by_ranks.at(ranks).front()->spec;
  const RunSpec& b = measured.by_ranks.at(ranks).front()->spec;
  return training.origin().build == measured.origin().build &&
         training.origin().machine == measured.origin().machine &&
         a.carried_by() == b.carried_by() && a.settings.link == b.settings.link &&
         a.injections == b.injections && adds_up_float32(b);
}

std::vector<FitBeside> fits_beside(const Series& series,
                                   std::int64_t ranks,
                                   std::span<const CollectivesAnalysis> collectives) {
  std::vector<FitBeside> fits;
  for (const CollectivesAnalysis& one : collectives) {
    if (!exchanges_alike(series, one.series, ranks)) continue;
    for (const CollectiveFit& fit : one.fits)
      if (fit.ranks == ranks && fit.operation == CollectiveOperation::all_reduce)
        fits.push_back({one.series.name, fit});
  }
  return fits;
}

}  // namespace

std::vector<ExchangePoint> exchange_points(const Series& series,
                                           std::span<const ArmContrast> contrasts,
                                           std::span<const CollectivesAnalysis> collectives) {
  std::vector<ExchangePoint> points;
  for (Exchange& one : exchanges(series)) {
    const auto ranks = one.ranks;
    points.push_back({std::move(one), slowed_computing_at(ranks, contrasts),
                      fits_beside(series, ranks, collectives)});
  }
  return points;
}

}  // namespace scalestudy
