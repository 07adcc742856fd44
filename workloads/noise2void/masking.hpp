#pragma once
/// Blind-spot masks: which voxels, and what stands in for them. Follows juglab/n2v 0.3.3
/// (N2V_DataWrapper.py, n2v_utils.py). No LibTorch.

#include <cstdint>
#include <span>
#include <vector>

#include "data/random.hpp"
#include "data/volume.hpp"

#include "workloads/noise2void/settings.hpp"

namespace scalestudy::noise2void {

/// Side of the box that gets one masked voxel. original: round(sqrt(1/frac)) although the patch has
/// three dimensions; nominal: round(cbrt(1/frac)) (as CAREamics). Rounds half to even, as numpy.
[[nodiscard]] std::int64_t box_side(const Settings& settings);

/// One uniform point per box, truncated to whole voxels; points outside the patch are dropped.
[[nodiscard]] std::vector<Shape3> stratified_points(const Shape3& patch,
                                                    std::int64_t box,
                                                    Random& random);

/// Expected number of points per patch, for the record: product over axes of the expected hits.
[[nodiscard]] double expected_points(const Shape3& patch, std::int64_t box);

struct MaskedVoxel {
  std::int64_t index = 0;  ///< in the patch, C order
  float original = 0;      ///< the target
  float replacement = 0;   ///< what the network sees instead
};

/// uniform_with_cp: each replacement is a voxel drawn uniformly from the window [c − r, c + r],
/// clipped to the patch, centre included. All are read before any is written.
[[nodiscard]] std::vector<MaskedVoxel> mask_patch(std::span<const float> voxels,
                                                  const Shape3& patch,
                                                  const Settings& settings,
                                                  Random& random);

}  // namespace scalestudy::noise2void
