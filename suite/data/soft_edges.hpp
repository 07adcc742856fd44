#pragma once
/// Whether areas of a mask end at once, or pass into each other through values between theirs, as
/// resizing, antialiasing and blurring leave them. Pure.

#include <cstdint>
#include <vector>

namespace scalestudy {

/// Whole numbers of which 0 is background: grey values, numbers of objects, distances of colours.
struct Heights {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::vector<std::int32_t> values;  ///< row-major
};

/// JPEG of high quality moves values by so much at most.
inline constexpr std::int32_t speck_height = 16;

struct EdgeCounts {
  std::int64_t steps = 0;  ///< pairs of neighbours that differ
  /// Pixels between a lower and a higher neighbour, opposite ones, that equal none of all eight.
  std::int64_t lone_ramps = 0;
  std::int64_t lone_value_count = 0;  ///< how many values these have
  bool has_small_ramps = false;  ///< areas of small numbers are mostly joined by what lies between
  /// Pixels of at most speck_height, and of these such as no neighbour exceeds, few of which equal
  /// it and none of which is far from it.
  std::int64_t near_zero = 0, low_specks = 0;
  std::int64_t low_speck_value_count = 0;  ///< how many values these have
  std::int64_t high_specks = 0;            ///< likewise, of pixels farther above, up or down
  std::int64_t above_zero = 0;             ///< pixels
  std::int64_t alone = 0;                  ///< of these: all eight neighbours are 0
  /// Of these: all but ramps below half of what is largest within two pixels.
  std::int64_t above_half = 0;

  /// Objects hardly have pixels that are lone ramps, however small and dense they lie.
  [[nodiscard]] bool are_soft() const;
  /// Both background and objects have specks, as JPEG leaves. Numbered spots have few each.
  [[nodiscard]] bool have_specks() const;
};

[[nodiscard]] EdgeCounts count_edges(const Heights& heights);

}  // namespace scalestudy
