#include "data/fixed_marks.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/all_near.hpp"

namespace scalestudy {
namespace {

/// Of how many masks each pixel is foreground.
struct Overlay {
  std::int64_t height_px = 0, width_px = 0;
  std::int64_t masks = 0;
  std::vector<std::int64_t> counts;
  std::vector<bool> is_seen;

  [[nodiscard]] std::size_t at(std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>(y * width_px + x);
  }
};

Overlay overlay_of(const ImageSet& set, const MaskReading& reading) {
  constexpr std::size_t most_masks = 32;
  Overlay overlay;
  for (std::size_t i = 0; i < std::min(set.samples().size(), most_masks); ++i) {
    try {
      const auto mask = binary_mask(set.read_mask(i), reading);
      if (mask.largest_value() == 0) continue;
      if (overlay.masks++ == 0) {
        overlay.height_px = mask.height_px;
        overlay.width_px = mask.width_px;
        overlay.counts.resize(mask.bytes.size());
        overlay.is_seen.resize(mask.bytes.size());
      }
      if (mask.height_px != overlay.height_px || mask.width_px != overlay.width_px) return {};
      for (std::size_t at = 0; at < mask.bytes.size(); ++at)
        overlay.counts[at] += mask.bytes[at] == std::byte{0} ? 0 : 1;
    } catch (const BadInput&) {
      continue;
    }
  }
  return overlay;
}

/// Pixels of an area that all masks have, from one of them on; 0 where pixels beside it are
/// foreground of a quarter of the masks or more, as where objects overlap.
std::int64_t area_from(std::int64_t y0, std::int64_t x0, Overlay& overlay) {
  std::int64_t area_px = 0;
  std::int64_t beside = 0, foreground_beside = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> open{{y0, x0}};
  overlay.is_seen[overlay.at(y0, x0)] = true;
  while (!open.empty()) {
    const auto [y, x] = open.back();
    open.pop_back();
    ++area_px;
    static_cast<void>(all_near(overlay, y, x, 1, [&](auto row, auto column) {
      const auto at = overlay.at(row, column);
      if (overlay.counts[at] == overlay.masks && !overlay.is_seen[at]) {
        overlay.is_seen[at] = true;
        open.emplace_back(row, column);
      }
      if (overlay.counts[at] < overlay.masks) {
        ++beside;
        foreground_beside += overlay.counts[at];
      }
      return true;
    }));
  }
  return 4 * foreground_beside < beside * overlay.masks ? area_px : 0;
}

}  // namespace

std::string fixed_marks_note(const ImageSet& set, const MaskReading& reading) {
  constexpr std::int64_t fewest_masks = 6, least_px = 9;
  auto overlay = overlay_of(set, reading);
  if (overlay.masks < fewest_masks) return "";
  for (std::int64_t y = 0; y < overlay.height_px; ++y)
    for (std::int64_t x = 0; x < overlay.width_px; ++x) {
      const auto at = overlay.at(y, x);
      if (overlay.counts[at] < overlay.masks || overlay.is_seen[at]) continue;
      if (const auto area_px = area_from(y, x, overlay);
          area_px >= least_px && 4 * area_px < overlay.height_px * overlay.width_px)
        return cat(
            "The same ", area_px, " pixels, at row ", y + 1, " and column ", x + 1,
            ", are foreground in each of ", counted(overlay.masks, "mask"),
            " with hardly any beside them: look whether a scale bar or a caption was saved with "
            "them.");
    }
  return "";
}

}  // namespace scalestudy
