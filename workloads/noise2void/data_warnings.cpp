#include "workloads/noise2void/data_warnings.hpp"

#include "core/text.hpp"

#include "study/small_sets.hpp"

#include "data/volume_statistics.hpp"

#include "workloads/noise2void/patches.hpp"

namespace scalestudy::noise2void {

std::vector<std::string> data_warnings(const RunSpec& spec) {
  auto volume = read_volume(spec.data.path);
  add_noise(volume, spec.data);
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto patches =
      validation_patch_count(volume.shape, settings, cat("'", spec.data.path, "'"));
  std::vector<std::string> warnings{noise_warning(noise_correlation(volume)),
                                    small_set_warning(patches, "validation")};
  std::erase(warnings, "");
  return warnings;
}

}  // namespace scalestudy::noise2void
