#include "workloads/noise2void/reference.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/volume_statistics.hpp"

#include "workloads/noise2void/baselines.hpp"

namespace scalestudy::noise2void {
namespace {

Volume read_chosen(const DataSettings& data) {
  try {
    return read_volume(data.reference_path);
  } catch (const StackChoiceNeeded&) {
    return read_volume(data.reference_path, data.stack);
  }
}

}  // namespace

Volume read_reference(const DataSettings& data, const Volume& volume) {
  auto reference = read_chosen(data);
  if (reference.shape != volume.shape)
    throw BadInput({cat("'", data.reference_path, "' differs in size from '", data.path, "'"),
                    "they cannot be compared voxel by voxel",
                    "Give the clean counterpart of the same volume"});
  const auto [least, most] = std::ranges::minmax(reference.voxels);
  if (least == most)
    throw BadInput({cat("Every voxel of '", data.reference_path, "' is ", least),
                    "no PSNR can be measured by it",
                    "Give the clean counterpart, or leave data.reference_path out"});
  return reference;
}

std::string reference_warning(const Volume& reference, const Volume& volume) {
  // Below 0 dB the root mean squared error exceeds the range of the first one.
  if (psnr_db(reference, volume) >= 0 && psnr_db(volume, reference) >= 0) return "";
  const auto words = [](const Volume& of) {
    const auto found = statistics_of(of);
    return cat(found.minimum, " to ", found.maximum, " with a mean of ", found.mean);
  };
  return cat("The reference has grey values of ", words(reference), ", the volume of ",
             words(volume), ": PSNR compares both as they are. Bring them to one scale.");
}

}  // namespace scalestudy::noise2void
