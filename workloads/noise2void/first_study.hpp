#pragma once
/// Settings for a first study of somebody's own data. Light.

#include "study/workload_descriptor.hpp"

namespace scalestudy::noise2void {

/// Looks into the data. Errors: BadInput naming them and what does not fit.
[[nodiscard]] FirstStudy first_study(const DataSettings& data,
                                     std::optional<double> mask_threshold_frac);

}  // namespace scalestudy::noise2void
