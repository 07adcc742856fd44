#pragma once
/// The pixels around one, as far as there are some.

#include <algorithm>
#include <cstdint>

namespace scalestudy {

/// Whether `holds(row, column)` of all pixels of a picture (height_px, width_px) as near as `reach`
/// in rows and columns, this one among them. Stops at the first of which it does not.
template <class Picture, class Holds>
[[nodiscard]] bool all_near(const Picture& picture,
                            std::int64_t y,
                            std::int64_t x,
                            std::int64_t reach,
                            const Holds& holds) {
  const auto last_row = std::min(y + reach, picture.height_px - 1);
  const auto last_column = std::min(x + reach, picture.width_px - 1);
  for (auto row = std::max<std::int64_t>(y - reach, 0); row <= last_row; ++row)
    for (auto column = std::max<std::int64_t>(x - reach, 0); column <= last_column; ++column)
      if (!holds(row, column)) return false;
  return true;
}

}  // namespace scalestudy
