#pragma once
/// What ScanImage's header says of the pages. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "data/stack_axes.hpp"

namespace scalestudy {

/// Of a file of `pages`, with the header of any version, behind which the first page's description
/// may stand; nothing for other texts. The pages of the
/// channels take turns, then come the frames of a slice, the slices, the frames of the flyback and
/// the next volume. Every frame of a slice in every volume is a time point. A header that says
/// nothing of slices has one in each page.
[[nodiscard]] std::optional<StackAxes> scan_image_axes(std::string_view header, std::int64_t pages);

}  // namespace scalestudy
