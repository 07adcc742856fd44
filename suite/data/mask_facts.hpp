#pragma once
/// What a mask alone shows: enough to say what of it is foreground once all masks of its set are
/// known. Pure.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "data/image.hpp"
#include "data/soft_edges.hpp"

namespace scalestudy {

inline constexpr Colour black_colour{}, white_colour{255, 255, 255};

/// More are no code for classes: the mask was blurred, or is a photograph.
inline constexpr std::size_t max_mask_colours = 256;

/// How a grey mask's values lie that are neither dark (an eighth of its largest one) nor bright.
struct MaskSlopes {
  std::int64_t between = 0;       ///< such pixels
  std::int64_t flat = 0;          ///< of these: like all their neighbours, as inside an object
  std::int64_t ramps = 0;         ///< of these: between two opposite neighbours, as on soft edges
  std::int64_t edges = 0;         ///< pairs of neighbours of which one is 0
  std::int64_t gentle_edges = 0;  ///< of these: the foot of a slope through most values

  std::int64_t dark = 0;       ///< pixels that are dark, but not 0
  std::int64_t dark_away = 0;  ///< of these: farther than two pixels from any 0

  static constexpr std::int64_t level_count = 24;
  /// Pixels that nearly equal all their neighbours, by how bright they are.
  std::array<std::int64_t, level_count> levels{};
  /// The same, finer: each of two 8-bit values, or as many parts of a larger range.
  static constexpr std::int64_t fine_level_count = 128;
  std::array<std::int64_t, fine_level_count> fine_levels{};

  void add(const MaskSlopes& other);
  /// What a filter or a network made: values change across edges, or everywhere.
  [[nodiscard]] bool are_soft() const;
  /// Objects are filled with their number and end at once.
  [[nodiscard]] bool are_numbers() const;
  /// Black areas hold bright objects and others that are nearly black, as numbers are.
  [[nodiscard]] bool have_dark_numbers() const;
  /// Areas of a few values, or near some, as of numbers, have soft edges.
  [[nodiscard]] bool are_blurred_levels() const;

 private:
  [[nodiscard]] bool have_few_levels() const;
  [[nodiscard]] bool have_clusters() const;
};

using ColourCounts = std::map<Colour, std::int64_t>;  ///< pixels

/// Black; or else the commonest, also where that is white and little is black: a class or outline.
[[nodiscard]] Colour background_of(const ColourCounts& colours);

[[nodiscard]] inline double pixel_share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

struct MaskFacts {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::int64_t possible_value = 0;  ///< 255 or 65535
  std::int64_t largest_value = 0;   ///< of its pixels, in luma
  std::int64_t pixels_above_zero = 0;
  std::int64_t pixels_above_dark = 0;  ///< above an eighth of the largest value
  std::int64_t pixels_above_threshold = 0;
  std::int64_t pixels_above_in_a_channel = 0;  ///< likewise, in red, green or blue
  bool has_colours = false;
  std::uint64_t content_hash = 0;
  ImageOrigin origin;
  std::vector<std::pair<Colour, std::int64_t>> colours;  ///< ascending, with their pixels; of more
                                                         ///< than max_mask_colours some,
                                                         ///< black among them
  MaskSlopes slopes;            ///< of a grey mask with more than two values
  bool is_flat = true;          ///< colours, where there are some, fill areas
  std::optional<Colour> frame;  ///< what all outermost pixels are, where others are not
  EdgeCounts edges;  ///< of a mask with more than two values or colours, unless it is lossy
  [[nodiscard]] std::int64_t pixels() const { return height_px * width_px; }
  [[nodiscard]] double largest_frac() const {
    return possible_value == 0 ? 0 : pixel_share(largest_value, possible_value);
  }
  /// As photographs and wide slopes are: hardly anything is bright.
  [[nodiscard]] bool is_mostly_grey() const { return 5 * slopes.between > 4 * pixels_above_dark; }
  /// Black and white, and specks of both, as JPEG and scanners leave.
  [[nodiscard]] bool has_specks() const;
};

/// The threshold is a share of the largest possible value.
[[nodiscard]] MaskFacts facts_of_mask(const Image& mask, double threshold_frac);

/// Of all masks together; those of a mask with too many are as many.
[[nodiscard]] ColourCounts colours_of(const std::vector<MaskFacts>& masks);

}  // namespace scalestudy
