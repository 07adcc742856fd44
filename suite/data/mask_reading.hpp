#pragma once
/// What of masks is foreground, and masks cut accordingly. Local, pure.

#include <string>
#include <string_view>

#include "data/image.hpp"

namespace scalestudy {

enum class Foreground {
  above_background,  ///< labels: every value but 0
  above_threshold,   ///< soft masks, and where a threshold was asked for
  other_colours      ///< every colour but the background's
};

/// Where to ask for a threshold.
inline constexpr std::string_view threshold_hint =
    "settings.mask_threshold_frac of a study, --mask-threshold of scalestudy init and data";

/// Found from all masks of a set together (mask_survey.hpp): a mask alone may hold one object
/// number, or no background.
struct MaskReading {
  Foreground foreground = Foreground::above_background;
  double threshold_frac = 0;  ///< of the largest possible value; above_threshold only
  Colour background{};        ///< other_colours only
  bool asked_for = false;     ///< by whoever gave a threshold
  /// A threshold that nobody asked for.
  [[nodiscard]] bool is_usual_threshold() const {
    return foreground == Foreground::above_threshold && !asked_for;
  }
  bool operator==(const MaskReading&) const = default;
};

/// "(255, 0, 0)"
[[nodiscard]] std::string colour_text(const Colour& colour);

/// "every value above 0 is foreground".
[[nodiscard]] std::string words_of(const MaskReading& reading);

/// 8 bit, 255 where there is foreground, else 0.
[[nodiscard]] Image binary_mask(const Image& mask, const MaskReading& reading);

}  // namespace scalestudy
