#pragma once
/// Runs of shipped studies, resolved as the driver does it.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/text.hpp"

#include "study/environment.hpp"
#include "study/study_matrix.hpp"

#include "tests/support/places.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {

/// Holds workloads/: SCALESTUDY_SHIPPED where the test is packed, or else the sources.
inline std::string shipped_folder() {
  const char* const packed = std::getenv("SCALESTUDY_SHIPPED");
  return packed != nullptr ? packed : test::in_sources("");
}

/// `workload`: "unet", `name`: "unet-nuclei". The runs as lists have them: the first is of the
/// study proper, with the fewest ranks.
inline StudyMatrix shipped_runs(const std::string& workload,
                                const std::string& name,
                                const std::vector<std::string>& overrides) {
  const auto file = cat(shipped_folder(), "/workloads/", workload, "/studies/", name, ".json");
  static constexpr LauncherDescriptor local{"local", "for tests", CommunicatorKind::shm};
  static constexpr std::array launchers{&local};
  const auto study = read_study(file, overrides, workload_catalogue());
  auto matrix = expand(study, Environment{}, /*cores=*/16, workload_catalogue(), launchers);
  std::sort(matrix.runs.begin(), matrix.runs.end(), stands_before);
  return matrix;
}

}  // namespace scalestudy
