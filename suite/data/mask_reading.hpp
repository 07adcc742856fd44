#pragma once
/// What of a set's masks is foreground, found from all of them together: a mask alone may hold one
/// object number, or no background. Local, pure.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/parallel.hpp"

#include "data/image_set.hpp"

namespace scalestudy {

enum class Foreground {
  above_background,  ///< labels: every value but 0
  above_threshold,   ///< soft masks, and where a threshold was asked for
  other_colours      ///< every colour but the background's
};

struct MaskReading {
  Foreground foreground = Foreground::above_background;
  double threshold_frac = 0;  ///< of the largest possible value; above_threshold only
  Colour background{};        ///< other_colours only
  bool operator==(const MaskReading&) const = default;
};

/// "every value above 0 is foreground".
[[nodiscard]] std::string words_of(const MaskReading& reading);

/// What masks hold, summed over those that were seen.
class MaskEvidence {
 public:
  void add(const Image& mask);
  void add(const MaskEvidence& other);

  /// Errors: BadInput when the masks have too many colours to tell objects from their edges.
  [[nodiscard]] MaskReading reading() const;

 private:
  void count(const std::map<Colour, std::int64_t>& colours);
  void add_slopes(const Image& mask, std::int64_t largest);
  [[nodiscard]] bool is_soft() const;

  std::map<Colour, std::int64_t> colours_;  ///< pixels; of at most max_colours + 1
  bool has_colours_ = false;
  double largest_frac_ = 0;        ///< of the largest possible value
  std::int64_t between_ = 0;       ///< pixels that are neither 0 nor the mask's largest value
  std::int64_t inside_ = 0;        ///< of these: equal to all their neighbours
  std::int64_t edges_ = 0;         ///< pairs of neighbours of which one is 0
  std::int64_t gentle_edges_ = 0;  ///< of these: the other is at most a tenth of the largest value
};

/// What is amiss with masks whose share of foreground is between these; "" for nothing.
[[nodiscard]] std::string foreground_warning(double least_frac, double most_frac);

/// `threshold_frac`: asked for, from 0 to below 1. Else found from all masks of the set, but those
/// that cannot be read, which who uses them refuses. Errors: as MaskEvidence::reading().
[[nodiscard]] MaskReading reading_of_masks(const ImageSet& set,
                                           std::optional<double> threshold_frac,
                                           const Workers& workers);

/// Errors: BadInput naming `id` when the mask holds objects of which the threshold leaves nothing:
/// others of the set are soft, and this one numbers its objects 1, 2, 3 …
void require_credible_mask(const Image& mask, const MaskReading& reading, const std::string& id);

/// 8 bit, 255 where there is foreground, else 0.
[[nodiscard]] Image binary_mask(const Image& mask, const MaskReading& reading);

/// Of the pixels of a binary mask.
[[nodiscard]] double foreground_frac(const Image& binary);

}  // namespace scalestudy
