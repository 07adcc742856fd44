#pragma once
/// Whether masks fit the pictures that they are paired with.

#include <string>

#include "data/image_set.hpp"
#include "data/mask_reading.hpp"

namespace scalestudy {

/// A sentence where most masks correlate much better with another picture, or with their own one
/// mirrored, turned or shifted alike, than with their own as it is; "" otherwise, as where masks do
/// not follow brightness. Looks at the first 32 samples, reduced to 24 × 24 pixels; six at least.
[[nodiscard]] std::string partner_note(const ImageSet& set, const MaskReading& reading);

}  // namespace scalestudy
