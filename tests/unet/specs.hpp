#pragma once
/// Runs of this workload's shipped studies.

#include "tests/support/shipped_runs.hpp"

namespace scalestudy::unet {

/// `name`: "unet-nuclei".
inline StudyMatrix runs_of(const std::string& name, const std::vector<std::string>& overrides) {
  return shipped_runs("unet", name, overrides);
}

}  // namespace scalestudy::unet
