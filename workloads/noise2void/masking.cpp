#include "workloads/noise2void/masking.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace scalestudy::noise2void {

std::int64_t box_side(const Settings& settings) {
  const double voxels_per_point = 1.0 / settings.masked_frac;
  const double side = settings.mask_count_rule == MaskCountRule::nominal
                          ? std::cbrt(voxels_per_point)
                          : std::sqrt(voxels_per_point);
  return std::max(std::int64_t{1}, static_cast<std::int64_t>(std::nearbyint(side)));
}

std::vector<Shape3> stratified_points(const Shape3& patch, std::int64_t box, Random& random) {
  std::vector<Shape3> points;
  const auto place = [&](std::int64_t corner) {
    return static_cast<std::int64_t>(static_cast<double>(corner) +
                                     random.uniform() * static_cast<double>(box));
  };
  for (std::int64_t z = 0; z < patch[0]; z += box)
    for (std::int64_t y = 0; y < patch[1]; y += box)
      for (std::int64_t x = 0; x < patch[2]; x += box) {
        const auto pz = place(z);
        const auto py = place(y);
        const auto px = place(x);
        if (pz < patch[0] && py < patch[1] && px < patch[2]) points.push_back({pz, py, px});
      }
  return points;
}

double expected_points(const Shape3& patch, std::int64_t box) {
  double points = 1;
  // Along one axis each full box is hit surely, the last one with the share that lies inside: in
  // sum side / box.
  for (const auto side : patch) points *= static_cast<double>(side) / static_cast<double>(box);
  return points;
}

std::vector<MaskedVoxel> mask_patch(std::span<const float> voxels,
                                    const Shape3& patch,
                                    const Settings& settings,
                                    Random& random) {
  SCALESTUDY_EXPECT(static_cast<std::int64_t>(voxels.size()) == voxel_count(patch));
  const auto index_of = [&](const Shape3& point) {
    return (point[0] * patch[1] + point[1]) * patch[2] + point[2];
  };
  std::vector<MaskedVoxel> masked;
  for (const auto& point : stratified_points(patch, box_side(settings), random)) {
    Shape3 source{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto low = std::max(std::int64_t{0}, point[axis] - settings.neighbourhood_radius_vox);
      const auto high = std::min(patch[axis] - 1, point[axis] + settings.neighbourhood_radius_vox);
      source[axis] = low + random.below(high - low + 1);
    }
    masked.push_back({index_of(point), voxels[static_cast<std::size_t>(index_of(point))],
                      voxels[static_cast<std::size_t>(index_of(source))]});
  }
  return masked;
}

}  // namespace scalestudy::noise2void
