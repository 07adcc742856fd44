#pragma once
/// What a volume looks like in numbers, before anyone trains on it.

#include <array>
#include <string>
#include <vector>

#include "data/volume.hpp"

namespace scalestudy {

struct VolumeStatistics {
  double minimum = 0;
  double maximum = 0;
  double mean = 0;
  double std = 0;  ///< population
};

[[nodiscard]] VolumeStatistics statistics_of(const Volume& volume);

/// A sentence each on slices of one value, that repeat an earlier one, or that take turns
/// (slice_changes.hpp), on a smallest or largest
/// value far from all others, on more than a fifth of the voxels at the smallest with few others
/// near, and on values cut off at the largest; none where all voxels are equal.
[[nodiscard]] std::vector<std::string> content_warnings(const Volume& volume);

/// 16 hexadecimal digits over the voxels as float32: equal for equal grey values, whatever the file
/// format. A run records the same number as volume_hash.
[[nodiscard]] std::string content_hash(const Volume& volume);

/// How much the noise of neighbouring voxels is alike, for each axis (Z, Y, X): Noise2Void assumes
/// independence, 0. The signal is suppressed by second differences along axes other than the tested
/// one, so that independent noise gives 0 without bias: along X for Y, along Y for X, along both
/// for Z. The correlation of these residuals at distance 1 is taken in tiles of 32 × 32 pixels of
/// each slice (of evenly spread ones where there are more than 64); the median over all tiles
/// counts, so that tiles full of structure hardly matter. What content_warnings() calls fill, and
/// two pixels beside it, are left out. NaN for an axis that is too short.
[[nodiscard]] std::array<double, 3> noise_correlation(const Volume& volume);

/// Above it neighbouring noise is called alike: about the spread of the median for a single tile
/// (1/√1024 = 0.03) three times over.
inline constexpr double notable_correlation = 0.1;

/// What a correlation (Z, Y, X) that is notable does to Noise2Void, in words; "" where none is.
[[nodiscard]] std::string noise_warning(const std::array<double, 3>& correlation);

}  // namespace scalestudy
