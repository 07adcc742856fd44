#pragma once
/// Volumes whose noise is known.

#include <cmath>
#include <filesystem>
#include <string_view>

#include "data/pack/pack_volume.hpp"
#include "data/random.hpp"
#include "data/volume.hpp"

namespace scalestudy::test {

/// Smooth structure with noise of deviation 4; each voxel's noise holds `share` of its left
/// neighbour's, so that the correlation along X is share / (1 + share²), 0.4 for 0.5.
inline Volume noisy_volume(const Shape3& shape, double share) {
  Volume volume{shape, {}, "float32"};
  Random random(11);
  const double scale = 4 / std::sqrt(1 + share * share);
  for (std::int64_t z = 0; z < shape[0]; ++z) {
    for (std::int64_t y = 0; y < shape[1]; ++y) {
      double left = random.normal();
      for (std::int64_t x = 0; x < shape[2]; ++x) {
        const double own = random.normal();
        const double signal = 100 + 50 * std::sin(double(y) / 9) * std::cos(double(x) / 7);
        volume.voxels.push_back(static_cast<float>(signal + scale * (own + share * left)));
        left = own;
      }
    }
  }
  return volume;
}

/// As a pack; an existing file is replaced.
inline void write_noisy_volume(const std::filesystem::path& file,
                               const Shape3& shape,
                               double share) {
  const WorkProgress in_silence = [](std::string_view, std::int64_t, std::int64_t) {};
  static_cast<void>(write_volume_pack(file, noisy_volume(shape, share),
                                      {"invented", Existing::replace, in_silence}));
}

}  // namespace scalestudy::test
