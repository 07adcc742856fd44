#pragma once
/// What a TIFF says of the pages that it has: ImageJ's keys, OME-XML or tifffile's JSON in the
/// description of a page. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

struct StackAxes {
  std::string_view origin;  ///< "ImageJ keys", "OME-XML", "tifffile shape"
  std::int64_t channels = 1;
  std::int64_t times = 1;
  std::int64_t planes = 0;                       ///< of all channels, times and slices; 0: not said
  std::int64_t images = 1;                       ///< each of them a stack
  std::vector<std::string> files = {};           ///< OME: over which the planes are spread
  std::vector<std::int64_t> page_of_plane = {};  ///< OME: empty, or one for each; -1: elsewhere
  bool operator==(const StackAxes&) const = default;
};

/// None for other descriptions.
[[nodiscard]] std::optional<StackAxes> stack_axes(const std::string& description);

}  // namespace scalestudy
