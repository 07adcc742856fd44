#include "data/slice_changes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/statistics.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Mean absolute difference of two slices, by some of their voxels.
double difference(const Volume& volume, std::int64_t one, std::int64_t other) {
  constexpr std::int64_t most_voxels = 16384;
  const auto voxels = volume.shape[1] * volume.shape[2];
  const auto step = voxels <= most_voxels ? 1 : voxels / most_voxels * 2 + 1;
  const auto* const a = volume.voxels.data() + one * voxels;
  const auto* const b = volume.voxels.data() + other * voxels;
  double sum = 0, count = 0;
  for (std::int64_t i = 0; i < voxels; i += step, ++count)
    sum += std::abs(double{a[i]} - double{b[i]});
  return sum / count;
}

/// Of all slices from those `apart` further on.
std::vector<double> differences(const Volume& volume, std::int64_t apart) {
  std::vector<double> found;
  for (std::int64_t z = 0; z + apart < volume.shape[0]; ++z)
    found.push_back(difference(volume, z, z + apart));
  return found;
}

}  // namespace

std::string slice_change_note(const Volume& volume) {
  constexpr std::int64_t least_slices = 6, most_apart = 8, most_parts = 4;
  constexpr double alike_frac = 0.85, jump = 2;
  const auto slices = volume.shape[0];
  if (slices < least_slices) return "";
  const auto of_neighbours = differences(volume, 1);
  const double usual = median(of_neighbours);
  for (std::int64_t apart = 2; apart <= std::min(slices / 3, most_apart); ++apart)
    if (median(differences(volume, apart)) < alike_frac * usual)
      return cat("Slices ", apart, " apart are more alike than neighbours are: look whether ",
                 apart, " channels, times or positions take turns, or stacks of ", apart,
                 " follow each other. Give a file for each.");
  for (std::int64_t parts = 2; parts <= most_parts; ++parts) {
    if (slices % parts != 0) continue;
    const auto part = slices / parts;
    double least_jump = of_neighbours[static_cast<std::size_t>(part) - 1], most_else = 0;
    for (std::int64_t z = 0; z + 1 < slices; ++z) {
      const double change = of_neighbours[static_cast<std::size_t>(z)];
      if ((z + 1) % part == 0)
        least_jump = std::min(least_jump, change);
      else
        most_else = std::max(most_else, change);
    }
    if (part > 1 && least_jump > jump * most_else)
      return cat("Slices change at once behind each ", part, " of them: look whether ", parts,
                 " channels, times or positions follow each other. Give a file for each.");
  }
  return "";
}

}  // namespace scalestudy
