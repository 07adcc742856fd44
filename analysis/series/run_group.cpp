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
  if (effect == Effect::ratio) return ratio(of_compared, of_base, compared.comparison);
  return quantity.is_timing ? difference(of_compared, of_base, compared.comparison)
                            : difference_of_quality(of_compared, of_base, compared.comparison);
}

}  // namespace scalestudy
