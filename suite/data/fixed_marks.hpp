#pragma once
/// What stands in all masks at one place, as scale bars and captions do.

#include <string>

#include "data/image_set.hpp"
#include "data/mask_reading.hpp"

namespace scalestudy {

/// A sentence where the first 32 masks, six at least and of one size, have an area of foreground in
/// common, less than a quarter of all, with hardly any foreground beside it; "" otherwise, as where
/// objects only overlap.
[[nodiscard]] std::string fixed_marks_note(const ImageSet& set, const MaskReading& reading);

}  // namespace scalestudy
