#include "analysis/series/run_group.hpp"

#include <algorithm>
#include <iterator>

namespace scalestudy {

Quantity::Quantity(const Column& column)
    : value([&column](const Run& run) { return run.measures[column]; }),
      is_timing(measure_of(column).kind == MeasureKind::timing) {}

std::vector<const Run*> RunGroup::timed() const {
  std::vector<const Run*> all;
  std::ranges::copy_if(runs, std::back_inserter(all), &Run::is_timing_data);
  return all;
}

Launches RunGroup::launches(const Quantity& quantity) const {
  Launches launches;
  for (const Run* run : quantity.is_timing ? timed() : runs)
    launches.add(run->spec.repeat, quantity.value(*run),
                 quantity.is_timing ? started_unix_s(*run) : not_available);
  return launches;
}

Estimate compare(const RunGroup& compared,
                 const RunGroup& base,
                 const Quantity& quantity,
                 Effect effect) {
  const auto of_compared = compared.launches(quantity), of_base = base.launches(quantity);
  const auto how = compared.comparison;
  const auto found = effect == Effect::ratio ? ratio(of_compared, of_base, how)
                     : quantity.is_timing    ? difference(of_compared, of_base, how)
                                             : difference_of_quality(of_compared, of_base, how);
  return compared.runs == base.runs ? without_interval(found) : found;
}

}  // namespace scalestudy
