#pragma once
/// Whether slices of a volume change as those of one stack do. Pure.

#include <string>

#include "data/volume.hpp"

namespace scalestudy {

/// A sentence where pages seem to be channels, times or positions that nothing says: slices are
/// more alike two or more apart than neighbours are, or those of a half, third or quarter of the
/// stack differ more from the next ones than any others; "" otherwise. From six slices on.
[[nodiscard]] std::string slice_change_note(const Volume& volume);

}  // namespace scalestudy
