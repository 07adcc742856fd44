#include "workloads/noise2void/data_warnings.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "study/small_sets.hpp"

#include "data/volume_statistics.hpp"

#include "workloads/noise2void/masking.hpp"
#include "workloads/noise2void/patches.hpp"
#include "workloads/noise2void/reference.hpp"

namespace scalestudy::noise2void {

namespace {

/// The mean of so many squared errors is uncertain by √(2 ÷ n), a quarter of it, at least.
constexpr double fewest_masked_voxels = 30;

/// What the validation loss is made of.
std::string few_voxels_warning(std::int64_t patches, const Settings& settings) {
  const Shape3 patch{settings.patch[0], settings.patch[1], settings.patch[2]};
  const double voxels = static_cast<double>(patches) * expected_points(patch, box_side(settings));
  if (voxels >= fewest_masked_voxels) return "";
  return cat("The validation loss rests on about ", std::lround(voxels), " masked voxels in ",
             counted(patches, "patch"), ": chance decides it. Give larger patches",
             settings.mask_count_rule == MaskCountRule::nominal
                 ? " or more of them (validation_frac)."
                 : ", more of them (validation_frac), or mask_count_rule \"nominal\".");
}

}  // namespace

std::string value_warning(const Volume& volume) {
  const auto [least, most] = std::ranges::minmax(volume.voxels);
  if (least == most) return cat("Every voxel is ", least, ": there is nothing to learn.");
  auto warnings = content_warnings(volume);
  for (auto& note : notes_of(volume)) warnings.push_back(std::move(note));
  return join(warnings, " ");
}

std::vector<std::string> data_warnings(const RunSpec& spec) {
  auto volume = read_volume(spec.data.path, spec.data.stack);
  const auto of_values = value_warning(volume);
  const bool has_reference = !spec.data.reference_path.empty();
  const auto reference = has_reference ? read_reference(spec.data, volume) : Volume();
  add_noise(volume, spec.data);
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto [validation, test] =
      patches_set_aside(volume.shape, settings, cat("'", spec.data.path, "'"));
  const bool has_test = test > 0;
  std::vector<std::string> warnings{
      of_values, has_reference ? reference_warning(reference, volume) : "",
      noise_warning(noise_correlation(volume)),
      has_test ? small_set_warning(test, "test") : small_set_warning(validation, "validation"),
      few_voxels_warning(validation, settings)};
  std::erase(warnings, "");
  return warnings;
}

}  // namespace scalestudy::noise2void
